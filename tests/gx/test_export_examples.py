"""The examples in the docstrings of the Great Expectations door are true."""

import doctest
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import qidguard_expectations as door

pytestmark = pytest.mark.gx

MODULES = sorted(found.name for found in walk_packages(door.__path__, f"{door.__name__}."))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", [door.__name__, *MODULES])
def test_the_examples_are_true(name):
    """Each example gives what it shows; the light install cannot import these files."""
    result = doctest.testmod(import_module(name), optionflags=FLAGS)
    assert result.failed == 0


def test_every_file_is_among_them():
    """No file of the door is left out."""
    files = [path for path in Path(door.__path__[0]).rglob("*.py") if path.name != "__init__.py"]
    assert len(files) <= len(MODULES)
