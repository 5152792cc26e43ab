"""Generated command lines: an exit code of the table, one answer, no traceback and no value."""

import json
from functools import cache
from pathlib import Path

import click
import pytest

from generated import JUDGED, TABLE, generated
from mutation import PIECES, Mutator
from qidguard.core.errors import QidguardError
from qidguard.interfaces.cli import cli, main

pytestmark = [pytest.mark.faults, pytest.mark.timeout(36_000)]

VALUES = (
    *("t.csv", "t.csv", "t.csv", "p.yaml", "p.yaml", "p.yaml", "t.parquet", "d.csv", "nowhere", ".", "", "-"),
    *("age", "sex,age", "sex,age,city,illness,note", "column_0", "k_anonymity", "mondrian", "mdav[k=5]"),
    *("mdav[k=", "pram", "ed25519:AAAA", "memory://x", "s3://", "file:///", "zip://a::b", "%00", "\0", "é"),
    *(
        "\udcff",
        "*",
        "~x",
        "../..",
        "1",
        "0",
        "-1",
        "1.5",
        "nan",
        "inf",
        "1e400",
        "9" * 30,
        "64MB",
        "1GB",
        "0B",
    ),
    *(
        "2026-13-45",
        "2027-01-01",
        ";",
        "::",
        "\t",
        "utf-16",
        "latin-1",
        "rot13",
        "SELECT 1",
        "SELECT * FROM t",
    ),
    *("json", "junit", "html", "released", "r1", "clinic", "out.csv", "out.json", "l.db", "pub", "--help"),
)
HEAVY = {"demo", "discover", "compare", "release"}
"""What takes a second or more where it does its work: mostly it is stopped by what else is asked."""


@cache
def commands() -> dict[tuple[str, ...], tuple[click.Parameter, ...]]:
    """Return the path of every command with what it takes, as the command line itself says."""
    found = {}

    def walk(command: click.Command, path: tuple[str, ...]) -> None:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                walk(command.get_command(context, name), (*path, name))
        else:
            found[path] = tuple(command.params)

    walk(cli, ())
    return found


def drawn(mutator: Mutator) -> list[str]:
    """Return words: a command with options of its own, some of them doubled, misspelt or without a value."""
    draw = mutator.draw
    path = draw.choice(sorted(commands()))
    given = []
    for parameter in commands()[path]:
        is_likely = isinstance(parameter, click.Argument) or parameter.required or parameter.name == "policy"
        for _ in range(draw.choice((1, 1, 1, 1, 2)) if draw.random() < (0.9 if is_likely else 0.12) else 0):
            given += _words(parameter, mutator)
    if draw.random() < 0.15 and given:
        given.insert(draw.randrange(len(given)), draw.choice(("--", "--nothing", *PIECES[:40])))
    if draw.random() < 0.05:
        path = path[:-1]
    if path and path[0] in HEAVY and draw.random() < 0.97:
        given.insert(0, draw.choice(("--help", "--nothing", "--threads=0")))
    return [*path, *(word.replace("\0", "") if draw.random() < 0.5 else word for word in given)]


def _words(parameter: click.Parameter, mutator: Mutator) -> list[str]:
    draw = mutator.draw
    value = draw.choice(VALUES)
    if isinstance(parameter.type, click.Choice) and draw.random() < 0.8:
        value = str(draw.choice(list(parameter.type.choices)))
    elif parameter.name == "policy" and draw.random() < 0.7:
        value = "p.yaml"
    elif parameter.name in {"data", "original"} and draw.random() < 0.7:
        value = "t.csv"
    elif draw.random() < 0.1:
        value = mutator.text(value)
    if isinstance(parameter, click.Argument):
        return [value]
    option = draw.choice([*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return [option]
    if draw.random() < 0.1:
        return [option[:-1]]
    return [f"{option}={value}"] if draw.random() < 0.2 and option.startswith("--") else [option, value]


def test_command_lines(tmp_path, monkeypatch, capsys):
    """Each command with options of its own and odd values for them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QIDGUARD_DEBUG", "")
    inputs = {"t.csv": TABLE, "p.yaml": json.dumps(JUDGED)}

    def act(mutator: Mutator, number: int) -> str:  # noqa: ARG001 - as all of them
        for name, text in inputs.items():
            path = Path(name)
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
        given = drawn(mutator)
        code = main(given)
        captured = capsys.readouterr()
        said = captured.out + captured.err
        assert code in {0, 1, 2, 3}, given
        assert "internal error" not in said, (given, said)
        assert "Traceback" not in said, (given, said)
        assert code != 2 or "Error: " in said or "Usage: " in said, (given, said)
        if given[:1] == ["hierarchy"]:  # it shows the labels of a hierarchy, whatever was given for one
            return ""
        if code == 2:
            raise QidguardError(said)
        return said

    generated("command lines", act)
