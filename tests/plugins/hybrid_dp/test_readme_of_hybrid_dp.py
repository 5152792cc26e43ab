"""The README of the plugin: its Python is true, and its commands run or have the options that it names."""

import shlex
from pathlib import Path

import pytest

import pages
from qidguard_hybrid_dp.plugin import HYBRID_DP_COMMAND

README = Path(__file__).resolve().parents[3] / "plugins" / "hybrid_dp" / "README.md"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder with the README's files in it."""
    monkeypatch.chdir(tmp_path)
    pages.write_files(README, tmp_path)


def test_python_blocks_are_true():
    """They run as one doctest."""
    assert list(pages.python_faults(README)) == []


@pytest.mark.slow
def test_the_policy_holds_on_its_rehearsal():
    """The example's policy is met by what the example's remedy makes of the example's table."""
    assert pages.in_this_process("qidguard anonymize stays.csv --policy policy.yaml --quiet")[0] == 0


def test_commands_are_those_of_the_group():
    """Each command of ``qidguard hybrid_dp`` is shown, and parses with the options that stand there."""
    group = HYBRID_DP_COMMAND.make()
    shown = set()
    for command, _, _ in pages.commands(README):
        words = shlex.split(command)
        if words[:2] == ["qidguard", "hybrid_dp"]:
            group.commands[words[2]].make_context(words[2], words[3:])
            shown.add(words[2])
    assert shown == set(group.commands)
