"""The README of the plugin: its Python is true, and the package offers what it names."""

from pathlib import Path

import pytest

import pages
import qidguard_series

README = Path(__file__).resolve().parents[3] / "plugins" / "series" / "README.md"


def test_python_blocks_are_true():
    """They run as one doctest."""
    assert list(pages.python_faults(README)) == []


def test_names_are_imported_when_they_are_used():
    """Both public names are there; another is an ordinary AttributeError."""
    assert [callable(getattr(qidguard_series, name)) for name in qidguard_series.__all__] == [True, True]
    with pytest.raises(AttributeError, match="no attribute 'plan'"):
        qidguard_series.__getattr__("plan")
