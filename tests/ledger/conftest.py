"""Fixtures for tests of the ledger: each on both databases, and ways to write behind the ledger's back."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from postgres import PostgresServer, postgres_server
from qidguard.ledger import NewEntry
from raw_ledger import Raw

__all__ = ["postgres_server"]

WRITER = Path(__file__).parent / "support" / "writer.py"


class Databases:
    """Makes empty places for ledgers in one kind of database."""

    def __init__(self, kind: str, folder: Path, server: PostgresServer | None) -> None:
        self.kind = kind
        self._folder = folder
        self._server = server
        self._made: list[str] = []

    def create(self) -> str:
        """Return the URL of a place where no ledger is yet."""
        if self._server is None:
            url = str(self._folder / f"ledger{len(self._made)}.db")
        else:
            url = self._server.create_database()
        self._made.append(url)
        return url

    def drop_all(self) -> None:
        """Remove them."""
        for url in self._made if self._server is not None else ():
            self._server.drop_database(url)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Databases]:
    """Return a maker of empty databases, of each kind in turn."""
    server = request.getfixturevalue("postgres_server") if request.param == "postgresql" else None
    made = Databases(request.param, tmp_path, server)
    yield made
    made.drop_all()


@pytest.fixture
def url(databases: Databases) -> str:
    """Return a place where no ledger is yet."""
    return databases.create()


@pytest.fixture
def raw(url: str) -> Raw:
    """Return a way behind the ledger at ``url``."""
    return Raw(url)


@pytest.fixture
def new() -> Callable[..., NewEntry]:
    """Return what makes a new entry: plain but for what the test says."""

    def make(entry_id: str = "e1", **changes: Any) -> NewEntry:
        fields: dict[str, Any] = {
            "id": entry_id,
            "kind": "audited",
            "data_set": "visits",
            "at": datetime(2026, 11, 21, 10, 30, 0, 123456, tzinfo=UTC),
            "payload": {"k": 5},
        }
        return NewEntry(**fields | changes)

    return make


@pytest.fixture
def start_writer() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return what starts a process that writes to a ledger; it waits for a line on its input, then works."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-W", "error", str(WRITER), *map(str, arguments)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def together(start_writer) -> Callable[..., list[str]]:
    """Return what lets several writers go at the same time and gives back what each printed."""

    def run(commands: Sequence[Sequence[object]]) -> list[str]:
        writers = [start_writer(*command) for command in commands]
        for writer in writers:
            assert writer.stdout.readline() == "ready\n", writer.stderr.read()
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
        done = [writer.communicate(timeout=240) for writer in writers]
        assert [""] * len(done) == [errors for _, errors in done]
        return [printed for printed, _ in done]

    return run
