"""What a command writes is never what it reads: each output of each command beside each file it takes."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from qidguard.core.errors import ExitCode
from qidguard.host import load_host
from qidguard.interfaces.cli import cli, main

OUTPUTS = {"output", "receipt", "to", "write"}
READ = {"policy", "codebook", "original"}
ROWS = "age,sex,illness\n34,f,a\n34,f,b\n35,m,a\n35,m,b\n"
POLICY = """qidguard: 1
name: t
roles: {quasi_identifiers: [age, sex], sensitive: [illness]}
thresholds:
  - {metric: k_anonymity, at_least: 2}
"""


def every_command() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command with the words by which it is called, plugins' too."""

    def walk(
        command: click.Command, path: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, ...], click.Command]]:
        if not isinstance(command, click.Group):
            yield path, command
            return
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from walk(found, (*path, name))

    yield from walk(cli, ())
    for name, offered in load_host().commands.items():
        yield from walk(offered.make(), (name,))


CASES = [
    (path, written.opts[0], read.name, None if isinstance(read, click.Argument) else read.opts[0])
    for path, command in every_command()
    for written in command.params
    for read in command.params
    if isinstance(written, click.Option) and written.name in OUTPUTS and path[0] != "release"
    if (isinstance(read, click.Argument) and read.name == "data") or read.name in READ
    if (written.name, read.name) != ("write", "policy")  # what was found is added to it
]


@pytest.mark.parametrize(
    ("path", "written", "read", "option"), CASES, ids=[f"{' '.join(c[0])} {c[1]} {c[2]}" for c in CASES]
)
def test_an_output_that_is_read_is_refused(tmp_path, capsys, path, written, read, option):
    """The command ends before any work, says so, and the file is what it was."""
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(POLICY, encoding="utf-8")
    target = tmp_path / ("rules.yaml" if read == "policy" else "rows.csv" if read == "data" else "more.csv")
    if read in {"codebook", "original"}:
        target.write_text("column,label\nage,Age\n" if read == "codebook" else ROWS, encoding="utf-8")
    before = target.read_text(encoding="utf-8")
    parameters = {p.name: p for p in dict(every_command())[path].params}
    words = [*path, *(["rows.csv"] if "data" in parameters else []), written, str(target)]
    if "policy" in parameters:
        words += ["--policy", "rules.yaml"]
    if "column" in parameters:
        words += ["--column", "age"]
    if option is not None and read != "policy":
        words += [option, str(target)]
    assert main(words) == ExitCode.USER_ERROR
    assert target.read_text(encoding="utf-8") == before
    error = capsys.readouterr().err
    assert any(said in error for said in ("overwrite what is read", "written over its source", "must end in"))


def test_there_is_something_to_refuse():
    """Commands of qidguard and of plugins are among them."""
    assert {("audit",), ("compare",), ("hybrid_dp", "evaluate"), ("mo_obam", "evaluate")} <= {
        path for path, *_ in CASES
    }
    assert Path("rows.csv").exists() is False
