"""The README of the plugin: what it shows of a classification is what comes out."""

from pathlib import Path

import pytest

import pages

README = Path(__file__).resolve().parents[3] / "plugins" / "qir" / "README.md"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder with the README's files in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    pages.write_files(README, tmp_path)


def test_python_blocks_are_true():
    """They run as one doctest."""
    assert list(pages.python_faults(README)) == []


def test_the_classification_is_what_the_command_shows():
    """The command of the first console block; the others name a table of the reader's own."""
    first = [one for one in pages.commands(README) if "visits.csv" in one[0]]
    assert len(first) == 1
    [(command, expected, code)] = first
    got = pages.in_this_process(command)
    assert got[0] == code
    lines = expected.split("...")
    assert all(part.strip() in got[1] for part in lines)
