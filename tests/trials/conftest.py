import pytest

from releases import Place


@pytest.fixture
def place(tmp_path):
    """Return a folder for releases with a home of its own."""
    return Place(tmp_path)
