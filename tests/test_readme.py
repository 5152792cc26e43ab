"""The README's blocks are executed: files are written, commands run, Python is a doctest."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks() -> list[re.Match[str]]:
    """Return the fenced blocks in order."""
    return list(BLOCK.finditer(README.read_text(encoding="utf-8")))


def option(block: re.Match[str], name: str) -> str | None:
    """Return an option that stands behind the block's kind."""
    found = re.search(rf"\b{name}=(\S+)", block["options"])
    return found[1] if found else None


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return an empty folder with the README's files in it, as working directory."""
    monkeypatch.chdir(tmp_path)
    for block in blocks():
        name = option(block, "file")
        if name:
            (tmp_path / name).write_text(block["text"], encoding="utf-8")
    return tmp_path


def test_every_kind_of_block_is_known():
    """No block escapes by a kind that nothing executes, but for the two that install and configure."""
    assert {block["kind"] for block in blocks()} == {"shell", "csv", "yaml", "console", "python", "toml"}


def test_console_blocks_say_what_the_commands_say(folder):
    """Each command of a console block prints what the README shows and ends with the code it states."""
    checker = doctest.OutputChecker()
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"COLUMNS": "120", "NO_COLOR": "1", "QIDGUARD_HOME": str(folder / "home")}
    ran = 0
    for block in blocks():
        if block["kind"] != "console":
            continue
        for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == int(option(block, "exit") or 0), done.stderr
            shown = checker.check_output(expected, done.stdout, FLAGS)
            assert shown, f"{command}\n--- README\n{expected}\n--- printed\n{done.stdout}"
            ran += 1
    assert ran >= 5


@pytest.mark.usefixtures("folder")
def test_python_blocks_are_true():
    """The Python blocks run as one doctest."""
    text = "\n".join(block["text"] for block in blocks() if block["kind"] == "python")
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(README), 0)
    assert len(test.examples) >= 5
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert result.failed == 0


def test_ci_runs_the_readmes_test_command():
    """The one test command of the README is the one that CI calls."""
    command = re.search(r"`(uv run [^`]*pytest)`", README.read_text(encoding="utf-8"))
    assert command
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(
        r"^timeout \d+m " + re.escape(command[1]) + "$",
        ci,
        re.MULTILINE,
    )
