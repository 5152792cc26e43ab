"""Pages of documentation that are run as they stand: files written, commands run, Python a doctest.

``python -m pages PAGE`` runs one in the current folder, with whatever packages the environment holds.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path) -> list[re.Match[str]]:
    """Return the fenced blocks in order."""
    return list(BLOCK.finditer(page.read_text(encoding="utf-8")))


def option(block: re.Match[str], name: str) -> str | None:
    """Return an option that stands behind the block's kind."""
    found = re.search(rf"\b{name}=(\S+)", block["options"])
    return found[1] if found else None


def write_files(page: Path, folder: Path) -> list[Path]:
    """Write the blocks that are files into a folder."""
    written = []
    for block in blocks(page):
        name = option(block, "file")
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
            written.append(path)
    return written


def commands(page: Path) -> Iterator[tuple[str, str, int]]:
    """Yield each command of the console blocks, what it prints and the code that it ends with."""
    for block in blocks(page):
        if block["kind"] == "console":
            for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                yield command, expected, int(option(block, "exit") or 0)


def by_a_shell(command: str) -> tuple[int, str]:
    """Run a command as a reader does; return its code and what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def in_this_process(command: str) -> tuple[int, str]:
    """Run a command by the function that it calls; return its code and what it prints."""
    from qidguard.interfaces.cli import main

    called, _, file = command.partition(" > ")
    program, *arguments = shlex.split(called)
    assert program == "qidguard"
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = main(arguments)
    if not file:
        return code, printed.getvalue()
    Path(file).write_text(printed.getvalue(), encoding="utf-8")
    return code, ""


def command_faults(page: Path, run: Callable[[str], tuple[int, str]] = in_this_process) -> Iterator[str]:
    """Run the commands of a page in the current folder; yield what they do not say as it stands there."""
    checker = doctest.OutputChecker()
    for command, expected, expected_code in commands(page):
        code, printed = run(command)
        if code != expected_code or not checker.check_output(expected, printed, FLAGS):
            yield f"{command}\n--- page, {expected_code}\n{expected}\n--- printed, {code}\n{printed}"


def python_faults(page: Path) -> Iterator[str]:
    """Run the Python of a page as one doctest; yield what is not as it says."""
    told = io.StringIO()
    text = "\n".join(b["text"] for b in blocks(page) if b["kind"] == "python" and not option(b, "file"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    if doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.write).failed:
        yield told.getvalue()


if __name__ == "__main__":
    wrong = [*command_faults(Path(sys.argv[1])), *python_faults(Path(sys.argv[1]))]
    sys.stderr.write("\n".join(wrong))
    sys.exit(bool(wrong))
