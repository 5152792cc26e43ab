"""Fixtures that read sources."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from qidguard.core.errors import ExitCode, UserError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect

SETTINGS = EngineSettings(threads=1)


_OURS = {"spill", "in-use"}
"""What a connection itself keeps in its private directory."""


@dataclass(frozen=True)
class Found:
    """What reading a source gave."""

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    notes: tuple[str, ...]
    is_text: bool
    count: int | None
    types: tuple[str, ...]


def _read(source: Any, *, is_one_pass: bool = False, **options: Any) -> Found:
    given = ReadOptions(**options)
    named = sources.column_names(source, given, SETTINGS)
    with connect(SETTINGS) as connection:
        staged = sources.stage(connection, source, given)
        connection.duckdb.execute(f"CREATE TABLE copied AS SELECT * FROM {staged.relation}")
        rows = connection.duckdb.execute("SELECT * FROM copied").fetchall()
        described = connection.duckdb.execute("DESCRIBE copied").fetchall()
        if not is_one_pass:
            again = connection.duckdb.execute(f"SELECT count(*) FROM {staged.relation}").fetchall()
            assert again == [(len(rows),)]
        staged.release()
        staged.release()
        leftover = [path.name for path in connection.spill.iterdir() if path.name not in _OURS]
    assert leftover == []
    assert named == staged.names
    assert [row[0] for row in described] == [f"c{i}" for i in range(len(named))]
    assert staged.rows in {None, len(rows)}
    types = tuple(row[1] for row in described)
    return Found(staged.names, rows, staged.notes, staged.is_text, staged.rows, types)


@pytest.fixture(scope="session")
def read() -> Callable[..., Found]:
    """Return a function that stages a source and gives all that is in it; nothing is left behind."""
    return _read


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes bytes, or a text as it stands, and gives the path."""

    def put(content: bytes | str, name: str = "x.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


@pytest.fixture(scope="session")
def refuse() -> Callable[..., str]:
    """Return a function that expects a user's error (exit 2) and gives its one-line sentence."""

    def expect(source: Any, **options: Any) -> str:
        with connect(SETTINGS) as connection:
            with pytest.raises(UserError) as caught:
                sources.stage(connection, source, ReadOptions(**options))
            leftover = [
                path.name for path in connection.spill.iterdir() if path.name not in {"spill", "in-use"}
            ]
            tables = connection.duckdb.execute("SELECT count(*) FROM duckdb_databases() WHERE NOT internal")
            assert tables.fetchall() == [(1,)]
        sentence = str(caught.value)
        assert caught.value.exit_code == ExitCode.USER_ERROR
        assert "\n" not in sentence
        assert sentence.endswith(".")
        assert leftover == []
        assert "SECRET" not in sentence
        return sentence

    return expect
