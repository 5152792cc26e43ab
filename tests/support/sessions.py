"""The processes of a session, as Linux lists them: all that a program started, and those in turn."""

import os
import signal
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_KILL_SECONDS = 30
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_GONE = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True, kw_only=True)
class Process:
    """A process as it was when it was looked at.

    Args:
        pid: Its id.
        parent: The id of who started it, or of who took it over.
        session: The id of the process that began its session.
        title: What it is called: its program and arguments, unless it says otherwise.
        memory_bytes: Its resident memory.
    """

    pid: int
    parent: int
    session: int
    title: str
    memory_bytes: int

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """Return a process; None where it has ended, whether or not its parent has asked how."""
        folder = Path("/proc", str(pid))
        try:
            # the name, in brackets, may hold anything
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            title = (
                (folder / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
            )
        except _GONE:
            return None
        if fields[0] in "ZX":
            return None
        return cls(
            pid=pid,
            parent=int(fields[1]),
            session=int(fields[3]),
            title=title,
            memory_bytes=int(fields[21]) * _PAGE_BYTES,
        )


def running() -> list[Process]:
    """Return every process of the machine that has not ended."""
    found = (Process.of(int(folder.name)) for folder in Path("/proc").glob("[0-9]*"))
    return [process for process in found if process is not None]


def session(leader: int) -> list[Process]:
    """Return the processes of a session: nothing that Airflow starts leaves the one that it was born in."""
    return [process for process in running() if process.session == leader]


def descendants(pid: int) -> list[Process]:
    """Return the processes that a process started, and what those started in turn."""
    everything = running()
    found: list[Process] = []
    parents = {pid}
    while parents:
        children = [process for process in everything if process.parent in parents]
        found += children
        parents = {process.pid for process in children}
    return found


def send(processes: Iterable[Process], number: signal.Signals) -> None:
    """Send a signal to processes; those that have ended need none."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def kill(processes: Collection[Process]) -> None:
    """Kill processes without warning, and wait until none of them runs."""
    send(processes, signal.SIGKILL)
    end = time.monotonic() + _KILL_SECONDS
    while left := [process for process in processes if Process.of(process.pid) is not None]:
        assert time.monotonic() < end, left
        time.sleep(0.01)
