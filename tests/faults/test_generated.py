"""Generated policies, tables, command lines, releases and ledgers: every error is ours, no value gets out.

``QIDGUARD_GENERATED=100000`` draws that many in all; ``QIDGUARD_SEED`` draws others.
"""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qidguard
from mutation import PIECES, Mutator
from qidguard.core.errors import QidguardError
from qidguard.evidence.verify import verify_release
from qidguard.interfaces.cli import main
from qidguard.ledger import NewEntry, open_ledger
from qidguard.policy import parse_policy
from released import contents, new_key, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(36_000)]

TOTAL = int(os.environ.get("QIDGUARD_GENERATED", "1000"))
SEED = int(os.environ.get("QIDGUARD_SEED", "20261122"))
SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
"""A value that is alone in its class."""

POLICY = """\
qidguard: 1
name: clinic
description: what the ward publishes
roles:
  quasi_identifiers: [age, sex, city]
  sensitive: [illness]
  direct_identifiers: [name]
  insensitive: [note]
  entity: person
thresholds:
  - {metric: k_anonymity, at_least: 2}
  - metric: distinct_l_diversity
    at_least: 2
    on_miss: warn
  - {metric: prosecutor_risk_max, at_most: 0.5}
attacker: {knows_any: 2}
sampling_fraction: 0.5
source: {format: csv, missing: ["NA", "?"], delimiter: ","}
hierarchies:
  age: {intervals: [5, 10]}
  city: {prefix: [3, 1]}
remedy: {anonymizer: mondrian, parameters: {k: 2}}
release: {data_set: clinic, earlier_releases: unrelated, drop: [note]}
memory_limit: 1GB
"""
ROWS = [
    *(("f", 30, "Basel", "flu", "x"), ("f", 30, "Basel", "cold", "y"), ("m", 41, "Bern", "flu", "")),
    *(("m", 41, "Bern", "cold", "z"), ("m", 52, SECRET, SECRET, SECRET)),
]
TABLE = "sex,age,city,illness,note\n" + "\n".join(",".join(map(str, row)) for row in ROWS) + "\n"
JUDGED = {
    "qidguard": 1,
    "name": "clinic",
    "roles": {"quasi_identifiers": ["sex", "age", "city"], "sensitive": ["illness"], "insensitive": ["note"]},
    "thresholds": [
        {"metric": "k_anonymity", "at_least": 2},
        {"metric": "distinct_l_diversity", "at_least": 2},
        {"metric": "t_closeness", "at_most": 0.2},
    ],
}


def generated(share: float, act: Callable[[Mutator, int], str | None]) -> None:
    """Act on so many draws, each of a seed that its fault is found again by."""
    met = set()
    for number in range(max(20, int(TOTAL * share))):
        seed = SEED * 1_000_003 + number
        try:
            said = act(Mutator(seed), number)
            met.add(False)
        except QidguardError as error:
            said = str(error)
            met.add(True)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__} {error}") from error
        if said is not None:
            assert SECRET not in said, f"seed {seed}: {said}"
            assert "please report it" not in said, f"seed {seed}: {said}"
    assert met == {False, True} or TOTAL < 1000


def test_policies():
    """Changed texts and changed values: a policy or a sentence."""
    whole = parse_policy(POLICY.replace("clinic", "clinic"))
    assert whole.name == "clinic"
    value = json.loads(json.dumps(_plain(POLICY)))

    def act(mutator: Mutator, number: int) -> str | None:
        if number % 2:
            parse_policy(mutator.text(POLICY))
        else:
            parse_policy(json.dumps(mutator.document(value), ensure_ascii=False))
        return None

    generated(0.4, act)


def _plain(text: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(text)


def _frame(mutator: Mutator) -> pd.DataFrame:
    """Return the rows with odd cells, odd columns and odd types."""
    draw = mutator.draw
    frame = pd.DataFrame(ROWS * draw.choice((1, 1, 3)), columns=["sex", "age", "city", "illness", "note"])
    odd = (
        *PIECES,
        None,
        float("nan"),
        10**25,
        -1,
        2.5,
        True,
        b"bytes",
        pd.Timestamp("2026-01-01"),
        pd.NaT,
        [1],
        {},
    )
    for _ in range(draw.choice((1, 2, 6))):
        row, column = draw.randrange(len(frame) - 1), draw.randrange(4)
        cells = list(frame.iloc[:, column])
        cells[row] = draw.choice(odd)
        frame[frame.columns[column]] = pd.Series(cells, dtype=object)
    if draw.random() < 0.2:
        frame = frame.rename(columns={"note": draw.choice(PIECES)})
    if draw.random() < 0.2:
        name = draw.choice(["age", "city", "sex"])
        kind = draw.choice(["string", "category", "float32", "Int8", "bool", "complex64", "datetime64[ns]"])
        try:
            frame[name] = frame[name].astype(kind)
        except (TypeError, ValueError, OverflowError):
            return frame
    return frame


def test_tables(tmp_path):
    """Damaged CSV, and frames with odd cells and types: a verdict or a sentence, never a value."""
    path = tmp_path / "t.csv"

    def act(mutator: Mutator, number: int) -> str | None:
        source: Any = str(path)
        match number % 3:
            case 0:
                path.write_bytes(mutator.text(TABLE).encode("utf-8", "surrogatepass"))
            case 1:
                path.write_bytes(mutator.content(TABLE.encode()))
            case _:
                source = _frame(mutator)
        with qidguard.audit(source, JUDGED, settings=qidguard.EngineSettings(threads=1)) as found:
            return found.to_json() + str(found)

    generated(0.04, act)


WORDS = (
    *(
        "audit",
        "audit",
        "policy",
        "check",
        "init",
        "explain",
        "history",
        "show",
        "verify",
        "keys",
        "schema",
        "plugins",
    ),
    *(
        "anonymize",
        "discover",
        "compare",
        "hierarchy",
        "make",
        "release",
        "withdraw",
        "exception",
        "gx",
        "export",
    ),
    *(
        "t.csv",
        "t.csv",
        "p.yaml",
        "p.yaml",
        "nowhere",
        ".",
        "",
        "-",
        "--",
        "k_anonymity",
        "age",
        "sex,age",
        "mondrian",
    ),
    *(
        "-p",
        "--policy",
        "--format",
        "json",
        "junit",
        "--output",
        "-o",
        "out.json",
        "--all-columns",
        "-q",
        "--record",
    ),
    *(
        "--ledger",
        "l.db",
        "--name",
        "x",
        "--to",
        "pub",
        "out.csv",
        "--release-id",
        "r1",
        "--seed",
        "1",
        "-1",
        "9" * 30,
    ),
    *(
        "--delimiter",
        ";",
        "--header",
        "--no-header",
        "--columns",
        "--encoding",
        "latin-1",
        "utf-16",
        "--missing",
    ),
    *(
        "--trim",
        "--table",
        "--query",
        "SELECT 1",
        "--memory-limit",
        "64MB",
        "1",
        "--threads",
        "2",
        "--key",
        "--unsigned",
    ),
    *(
        "--column",
        "--budget",
        "0",
        "--objective",
        "recognition",
        "--strategy",
        "greedy",
        "--anonymizers",
        "-a",
        "--help",
    ),
    *(
        "mdav[k=5]",
        "mdav[k=",
        "ed25519:AAAA",
        "memory://x",
        "s3://",
        "file:///",
        "%00",
        "\0",
        "é",
        "\udcff",
        "*",
        "~x",
    ),
)
QUICK = {
    "audit",
    "policy",
    "explain",
    "history",
    "show",
    "verify",
    "schema",
    "plugins",
    "hierarchy",
    "keys",
    "anonymize",
}


def test_command_lines(tmp_path, monkeypatch, capsys):
    """Words of commands in any order: an exit code of the table, one answer, no traceback and no value."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QIDGUARD_DEBUG", raising=False)

    def act(mutator: Mutator, number: int) -> str | None:  # noqa: ARG001 - as all of them
        Path("t.csv").write_text(TABLE, encoding="utf-8")
        Path("p.yaml").write_text(json.dumps(JUDGED), encoding="utf-8")
        draw = mutator.draw
        first = draw.choice(sorted(QUICK)) if draw.random() < 0.8 else draw.choice(WORDS)
        given = [first, *(draw.choice(WORDS) for _ in range(draw.randrange(7)))]
        if draw.random() < 0.3:
            given = [first, "t.csv", "-p", "p.yaml", *given[1:]]
        if {"discover", "compare", "demo"} & set(given):
            given = [*given, "--help"]
        code = main(given)
        captured = capsys.readouterr()
        said = captured.out + captured.err
        assert code in {0, 1, 2, 3}, given
        assert "internal error" not in said, (given, said)
        assert "Traceback" not in said, (given, said)
        if "--to" in given or "-o" in given or "--output" in given:
            for file in Path().iterdir():
                if file.name not in {"t.csv", "p.yaml", "home", "l.db"} and file.is_file():
                    file.unlink()
        if code == 2:
            raise QidguardError(said)
        return said

    generated(0.04, act)


def test_releases():
    """Changed manifests, attestations and data: verified never, a fault or a sentence always."""
    key = new_key()
    files = contents(key)
    assert (
        verify_release(write("memory://whole/patients/20261121-000001", files), keys=[key.public]).faults
        == ()
    )

    def act(mutator: Mutator, number: int) -> str | None:  # noqa: ARG001 - as all of them
        name = mutator.draw.choice(sorted(files))
        changed = mutator.content(files[name]) if name.endswith(".csv") else mutator.json(files[name])
        address = write("memory://changed/patients/20261121-000001", {**files, name: changed})
        found = verify_release(address, keys=[key.public])
        is_same = changed == files[name] or _is_same_json(name, changed, files[name])
        assert found.faults or is_same, name
        if found.faults:
            raise QidguardError(" ".join(found.faults))
        return None

    generated(0.46, act)


def _is_same_json(name: str, changed: bytes, original: bytes) -> bool:
    """Whether an envelope says the same in another spelling; a manifest is held to its bytes."""
    try:
        return name == "attestation.json" and json.loads(changed) == json.loads(original)
    except ValueError:
        return False


def test_ledgers(tmp_path):
    """Changed cells, rows and bytes of the file: the check tells of it or refuses; nothing else comes out."""
    whole = tmp_path / "whole.db"
    with open_ledger(str(whole)) as ledger:
        for i in range(4):
            payload = {"k": i, "text": "x" * i, "list": [1, None, {"a": "b"}]}
            new = NewEntry(id=f"e{i}", kind="audited", data_set="d", at=datetime.now(UTC), payload=payload)
            ledger.append(new, attachments=[bytes([i])])
    with closing(sqlite3.connect(whole)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = whole.read_bytes()
    path = tmp_path / "changed.db"

    def act(mutator: Mutator, number: int) -> str | None:
        for beside in tmp_path.glob("changed.db*"):
            beside.unlink()
        is_cell = number % 2
        path.write_bytes(content if is_cell else mutator.content(content))
        if is_cell:
            _change_cell(path, mutator)
        with open_ledger(str(path), must_exist=True) as ledger:
            faults = ledger.check()
            list(ledger.unverified.entries())
            assert faults or not is_cell
            list(ledger.entries())
        return None

    generated(0.06, act)


def _change_cell(path: Path, mutator: Mutator) -> None:
    """Change a cell to another value, or take its row away."""
    draw = mutator.draw
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        table = draw.choice(["entry", "entry", "attachment", "chain_head"])
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]
        column, row = draw.choice(columns), draw.choice(rows)
        value = draw.choice([*PIECES, None, -1, 10**15, 2.5, b"\xff\x00"])
        if draw.random() < 0.2:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            return
        try:
            connection.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE rowid = ?", (value, row))
        except sqlite3.Error:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
