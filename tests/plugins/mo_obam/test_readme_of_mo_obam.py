"""The README of the plugin: its Python is true, and its commands have the options that it names."""

import shlex
from pathlib import Path

import click
import pytest

import pages
from qidguard_mo_obam.plugin import MO_OBAM_COMMAND

README = Path(__file__).resolve().parents[3] / "plugins" / "mo_obam" / "README.md"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder with the README's files in it."""
    monkeypatch.chdir(tmp_path)
    pages.write_files(README, tmp_path)


@pytest.mark.slow
def test_python_blocks_are_true():
    """They run as one doctest."""
    assert list(pages.python_faults(README)) == []


def test_commands_are_those_of_the_group():
    """Each command of ``qidguard mo_obam`` is shown, and parses with the options that stand there."""
    group = MO_OBAM_COMMAND.make()
    shown = {}
    for command, _, _ in pages.commands(README):
        words = shlex.split(command)
        if words[:2] == ["qidguard", "mo_obam"]:
            shown[words[2]] = group.commands[words[2]].make_context(words[2], words[3:])
    assert set(shown) == set(group.commands)
    assert all(isinstance(one, click.Context) for one in shown.values())
