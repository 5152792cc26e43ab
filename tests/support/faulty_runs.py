"""The command line in processes of their own, in which a chosen system call kills or fails."""

import multiprocessing
import os
import resource
import signal
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from qidguard.interfaces.cli import main
from releases import verified
from seeds import drawing

POLICY = """\
qidguard: 1
name: people
roles:
  quasi_identifiers: [age, sex]
  sensitive: [illness]
  direct_identifiers: [name]
  entity: person
thresholds:
  - {metric: k_anonymity, at_least: 5}
release: {data_set: people, earlier_releases: unrelated}
"""

_PRELOADED = [
    "faulty_runs",
    "qidguard.interfaces.commands.release",
    "qidguard.interfaces.commands.audit",
    "qidguard.releasing.run",
    "qidguard.engines.duckdb.engine",
    "qidguard.evidence.verify",
    "qidguard.ledger",
    "qidguard.ledger.opening",
    "qidguard.rendering.console",
    "qidguard_checks.plugin",
    "qidguard_standard.plugin",
    "pandas",
]

_CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.link", "os.truncate")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What goes wrong in a run.

    Args:
        at: The number of the change of the file system, from 1, at which it does; None never.
        error: What the system then says; None kills the process.
        is_lasting: Whether every later change fails too.
        largest_file: How many bytes a file may have; None sets no limit.
    """

    at: int | None = None
    error: int | None = None
    is_lasting: bool = False
    largest_file: int | None = None


@dataclass(kw_only=True)
class _Changes:
    """Counts what is about to change below a folder, and lets it fail."""

    root: str
    fault: Fault
    seen: list[str] = field(default_factory=list)

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        """Hear of an event before it happens."""
        if event == "open":
            path, _, flags = (*given, None, None)[:3]
            is_change = isinstance(flags, int) and bool(flags & _WRITING)
        elif event in _CHANGES or event == "sqlite3.connect":
            path, is_change = given[0] if given else None, True
        else:
            return
        self.note(event, path, is_change=is_change)

    def note(self, event: str, path: object, *, is_change: bool = True) -> None:
        """Count a change, or let it fail."""
        if not is_change or not isinstance(path, (str, bytes, os.PathLike)):
            return
        name = os.fsdecode(path).removeprefix("file:")
        if not name.startswith(self.root) or Path(name).parent == Path(self.root):
            return
        self.seen.append(event)
        at, number = self.fault.at, len(self.seen)
        if at is None or number < at or (number > at and not self.fault.is_lasting):
            return
        if self.fault.error is None:
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(self.fault.error, os.strerror(self.fault.error), name)


def _work(root: str, arguments: tuple[str, ...], fault: Fault) -> None:
    """Run the command line in this process, with its output in files."""
    os.environ |= {"QIDGUARD_HOME": f"{root}/home", "TMPDIR": str(Path(root, "tmp")), "COLUMNS": "300"}
    os.environ.pop("QIDGUARD_DEBUG", None)
    tempfile.tempdir = str(Path(root, "tmp"))
    os.chdir(root)
    for name, number in (("out", 1), ("err", 2)):
        handle = os.open(f"{root}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, number)
    changes = _Changes(root=root, fault=fault)
    sys.addaudithook(changes)
    real = os.fsync

    def fsync(handle: int) -> None:
        changes.note("fsync", Path(f"/proc/self/fd/{handle}").readlink())
        real(handle)

    os.fsync = fsync
    if fault.largest_file is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.largest_file, fault.largest_file))
    code = main(arguments)
    Path(root, "seen").write_text("\n".join(changes.seen), encoding="utf-8")
    os._exit(code)


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a run ended."""

    code: int
    out: str
    err: str
    changes: int


class FaultyRuns:
    """Runs of the command line in one folder: home, temporary files, table and policy are in it."""

    _context = None

    def __init__(self, root: Path, table: str) -> None:
        if FaultyRuns._context is None:
            FaultyRuns._context = multiprocessing.get_context("forkserver")
            FaultyRuns._context.set_forkserver_preload(_PRELOADED)
        self.root = root
        (root / "tmp").mkdir(parents=True)
        (root / "table.csv").write_text(table, encoding="utf-8")
        (root / "policy.yaml").write_text(POLICY, encoding="utf-8")

    def run(self, *arguments: str, fault: Fault = Fault()) -> Ended:
        """Run the command line."""
        (self.root / "seen").unlink(missing_ok=True)
        process = self._context.Process(target=_work, args=(str(self.root), arguments, fault))
        process.start()
        process.join(250)
        assert process.exitcode is not None, "it hangs"
        seen = self.root / "seen"
        return Ended(
            code=process.exitcode,
            out=(self.root / "out").read_text(encoding="utf-8"),
            err=(self.root / "err").read_text(encoding="utf-8"),
            changes=len(seen.read_text(encoding="utf-8").split()) if seen.exists() else 0,
        )

    def release(self, fault: Fault = Fault()) -> Ended:
        """Release the table as r1."""
        return self.run(
            *("release", "table.csv", "-p", "policy.yaml", "--to", "published", "--release-id", "r1"),
            fault=fault,
        )

    @property
    def release_folder(self) -> Path:
        """Where r1 is, if it is published."""
        return self.root / "published" / "people" / "r1"

    def left_over(self) -> list[str]:
        """Return what stands in any folder without being a part of a release, a key, a ledger or an input."""
        known = {"ledger.db", "ledger.db-wal", "ledger.db-shm", "anchors.jsonl", "anchors.jsonl.lock"}
        known |= {"history.key", ".qidguard-destination", "signing.key", "signing.pub"}
        files = [p for p in self.root.rglob("*") if p.parent != self.root]
        kept = {self.root / "published" / "people", self.release_folder, self.root / "home" / "keys"}
        strange = [
            p for p in files if p not in kept and p.parent != self.release_folder and p.name not in known
        ]
        return sorted(str(p.relative_to(self.root)) for p in strange)


def points(changes: int, number: int) -> list[int]:
    """Return the changes to fail at: all where there are no more, else some with both ends."""
    if number >= changes:
        return list(range(1, changes + 1))
    inner = drawing("points").sample(range(2, changes), number - 2)
    return sorted({1, changes, *inner})


def check_made_good(runs: FaultyRuns, *, was_published: bool) -> None:
    """Hold that the next run publishes, or finds what is there, and that nothing is left of the first."""
    again = runs.release()
    assert (again.code, "PUBLISHED  people r1" in again.out) == (0, True), again.err
    assert ("It was there already" in again.out) == was_published
    assert verified(runs.release_folder) == ()
    assert runs.left_over() == []
    assert runs.run("history", "--check").code == 0
