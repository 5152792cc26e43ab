"""The README of the comparison is true."""

from pathlib import Path

import pytest

import pages
import qidguard_comparison

README = Path(__file__).resolve().parents[3] / "plugins" / "comparison" / "README.md"


@pytest.mark.slow
def test_its_blocks_run(tmp_path, monkeypatch):
    """Commands print what it shows, and Python blocks run as one doctest."""
    pages.write_files(README, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert list(pages.python_faults(README)) == []
    assert list(pages.command_faults(README)) == []


def test_every_public_name_is_told():
    """Each name of the package stands on the page."""
    told = README.read_text(encoding="utf-8")
    assert [name for name in qidguard_comparison.__all__ if name not in told] == []
