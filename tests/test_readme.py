"""The README's blocks are executed: files are written, commands run, Python is a doctest."""

import doctest
import tomllib
from pathlib import Path

import pytest

import pages

README = Path(__file__).resolve().parents[1] / "README.md"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return an empty folder with the README's files in it, as working directory."""
    monkeypatch.chdir(tmp_path)
    pages.write_files(README, tmp_path)
    return tmp_path


def test_every_kind_of_block_is_known():
    """No block escapes by a kind that nothing executes, but for the two that install and configure."""
    kinds = {block["kind"] for block in pages.blocks(README)}
    assert kinds == {"shell", "csv", "yaml", "console", "python", "toml"}


@pytest.mark.parametrize(
    "run", [pages.in_this_process, pytest.param(pages.by_a_shell, marks=pytest.mark.slow)]
)
def test_console_blocks_say_what_the_commands_say(folder, monkeypatch, run):
    """Each command of a console block prints what the README shows and ends with the code it states."""
    for name, value in {"COLUMNS": "120", "NO_COLOR": "1", "QIDGUARD_HOME": str(folder / "home")}.items():
        monkeypatch.setenv(name, value)
    assert len(list(pages.commands(README))) >= 5
    assert list(pages.command_faults(README, run)) == []


@pytest.mark.usefixtures("folder")
def test_python_blocks_are_true():
    """The Python blocks run as one doctest."""
    assert list(pages.python_faults(README)) == []


def test_ci_runs_the_readmes_commands():
    """The two commands of the install section bring uv along, and every save runs them."""
    [shell] = [block["text"].splitlines() for block in pages.blocks(README) if block["kind"] == "shell"]
    checks = tomllib.loads((README.parent / ".ci" / "checks.toml").read_text(encoding="utf-8"))
    called = [step["command"] for step in checks["run"]]
    for line in shell:
        bring, _, command = line.partition(" && ")
        assert bring == "pip install uv"
        assert command in called
    assert len(shell) == 2


@pytest.mark.slow
def test_python_blocks_type_check(tmp_path):
    """A user who copies the Python blocks into a script gets no complaint from a type checker."""
    from mypy import api

    texts = [block["text"] for block in pages.blocks(README) if block["kind"] == "python"]
    script = tmp_path / "script.py"
    parsed = doctest.DocTestParser()
    script.write_text(
        "".join(example.source for text in texts for example in parsed.get_examples(text)), encoding="utf-8"
    )
    settings = ("--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"))
    said, _, code = api.run([*settings, str(script)])
    assert (code, said.splitlines()[-1:]) == (0, ["Success: no issues found in 1 source file"])
