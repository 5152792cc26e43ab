"""READMEs of plugins with commands: their Python is true, and commands have the options that they name."""

import shlex
from pathlib import Path

import pytest

import pages
from qidguard_hybrid_dp.plugin import HYBRID_DP_COMMAND
from qidguard_mo_obam.plugin import MO_OBAM_COMMAND

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"


@pytest.fixture
def readme(request, tmp_path, monkeypatch):
    """Return the README of a plugin; work in an empty folder with its files in it."""
    path = PLUGINS / request.param / "README.md"
    monkeypatch.chdir(tmp_path)
    pages.write_files(path, tmp_path)
    return path


@pytest.mark.parametrize(
    "readme", ["hybrid_dp", pytest.param("mo_obam", marks=pytest.mark.slow)], indirect=True
)
def test_python_blocks_are_true(readme):
    """They run as one doctest."""
    assert list(pages.python_faults(readme)) == []


@pytest.mark.slow
@pytest.mark.parametrize("readme", ["hybrid_dp"], indirect=True)
@pytest.mark.usefixtures("readme")
def test_the_policy_holds_on_its_rehearsal():
    """The example's policy is met by what the example's remedy makes of the example's table."""
    assert pages.in_this_process("qidguard anonymize stays.csv --policy policy.yaml --quiet")[0] == 0


@pytest.mark.parametrize(
    ("readme", "command"),
    [("hybrid_dp", HYBRID_DP_COMMAND), ("mo_obam", MO_OBAM_COMMAND)],
    indirect=["readme"],
    ids=["hybrid_dp", "mo_obam"],
)
def test_commands_are_those_of_the_group(readme, command):
    """Each command of the group is shown, and parses with the options that stand there."""
    group, shown = command.make(), set()
    for line, _, _ in pages.commands(readme):
        words = shlex.split(line)
        if words[:2] == ["qidguard", command.name]:
            group.commands[words[2]].make_context(words[2], words[3:])
            shown.add(words[2])
    assert shown == set(group.commands)
