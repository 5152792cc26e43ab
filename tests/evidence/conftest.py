"""Fixtures of the evidence's tests: a signed release on a local folder and in memory."""

import pytest

from released import contents, new_key, remove, write


@pytest.fixture
def key():
    """Return the key that signs."""
    return new_key()


@pytest.fixture
def memory():
    """Return an address in memory, empty again afterward."""
    address = "memory://evidence-tests"
    yield address
    remove(address)


@pytest.fixture(params=["local", "memory"])
def place(request, tmp_path, memory):
    """Return the address of a release's own folder, on each kind of file system."""
    root = str(tmp_path) if request.param == "local" else memory
    return f"{root}/patients/20261121-000001"


@pytest.fixture
def release(place, key):
    """Return the address of a signed release."""
    return write(place, contents(key))
