"""The demo as a story: a table is blocked, coarsened, passes and is published."""

import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.text import Text

from qidguard.auditing import audit
from qidguard.core.errors import PluginError, UserError
from qidguard.core.progress import SILENT, Progress
from qidguard.core.report import AuditReport
from qidguard.core.system import why
from qidguard.demo.coarsening import coarsen
from qidguard.demo.table import hospital_table
from qidguard.evidence.keys import new_key_pair
from qidguard.evidence.verify import verify_release
from qidguard.host import Host, load_host
from qidguard.policy import load_policy
from qidguard.releasing.result import Release
from qidguard.releasing.run import release
from qidguard.rendering.console import ConsoleReport

DATA_SET, KEY = "hospital", "demo-key"


@dataclass(frozen=True, kw_only=True)
class DemoPublication:
    """What came of publishing.

    Args:
        release: The release.
        faults: What verifying it found; nothing, if all went well.
        tampered: What verifying a copy found in which one byte was changed.
        files: Number of files of the release.
    """

    release: Release
    faults: tuple[str, ...]
    tampered: tuple[str, ...]
    files: int

    @property
    def is_as_expected(self) -> bool:
        """Whether it was published and verified, and the changed copy was found out."""
        return self.release.is_published and not self.faults and bool(self.tampered)


def publish(table: Path, policy: Path, place: Path, *, progress: Progress = SILENT) -> DemoPublication:
    """Publish a table into ``published`` below a folder, signed by a new key, with a ledger of its own.

    Args:
        table: The table.
        policy: The policy.
        place: The folder; the public key is left there too.
        progress: Hears of finished steps.

    Returns:
        What came of it.

    Raises:
        QidguardError: When it cannot be published; OSError when the folder cannot be written.

    Example:
        >>> from qidguard.demo.story import run_demo
        >>> run_demo(records=5000, seed=1).published.is_as_expected
        True
    """
    with tempfile.TemporaryDirectory(prefix="qidguard-demo-home-") as home:
        keys = Path(home) / "keys"
        key = new_key_pair(keys, KEY)
        shutil.copyfile(keys / f"{KEY}.pub", place / f"{KEY}.pub")
        made = release(
            table,
            policy=policy,
            to=str(place / "published"),
            home=home,
            data_set=DATA_SET,
            key=str(keys / f"{KEY}.key"),
            progress=progress,
        )
        if made.address is None:
            return DemoPublication(release=made, faults=("nothing was published",), tampered=(), files=0)
        copy = Path(home) / "copy" / DATA_SET / made.release_id
        shutil.copytree(made.address, copy)
        _change_one_byte(copy / f"{DATA_SET}.csv")
        return DemoPublication(
            release=made,
            faults=verify_release(made.address, keys=[key]).faults,
            tampered=verify_release(str(copy), keys=[key]).faults,
            files=len(list(Path(made.address).iterdir())),
        )


def _change_one_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


TABLE, COARSE_TABLE, POLICY = "hospital.csv", "hospital-coarse.csv", "policy.yaml"


@dataclass(frozen=True, kw_only=True)
class Story:
    """What happened.

    Args:
        first: The report on the table as it was made.
        steps: What was done to it.
        second: The report on the coarsened table, by the same policy.
        published: What came of publishing the coarsened table.
        folder: Where the files are kept, or None.
    """

    first: AuditReport
    steps: tuple[str, ...]
    second: AuditReport
    published: DemoPublication
    folder: str | None

    @property
    def is_as_expected(self) -> bool:
        """Whether the first table was blocked by its thresholds alone, and the second one was published."""
        verdict = self.first.verdict
        is_blocked = verdict is not None and not verdict.is_passed and not verdict.blocks
        is_passed = self.second.is_passed and self.published.is_as_expected
        return is_blocked and self.first.exit_code == 1 and is_passed

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the story from top to bottom."""
        yield Text("1  A table like a hospital discharge file; the patients are made up\n", "bold")
        yield ConsoleReport(report=self.first, is_brief=True)
        yield Text("\n2  The same table, coarsened by a few lines of pandas (not by an anonymizer)\n", "bold")
        for step in self.steps:
            yield Padding(Text(f"- {step}"), (0, 0, 0, 2))
        yield Text("\n3  The same policy judges it again, from scratch\n", "bold")
        yield ConsoleReport(report=self.second, is_brief=True)
        yield Text("\n4  It is published in one step, with signed evidence beside it\n", "bold")
        for line in self._publishing():
            yield Padding(Text(line, overflow="fold"), (0, 0, 0, 2))
        yield Text("\nNext", "bold")
        for line in self._next():
            yield Text(f"  {line}", overflow="fold")

    def _publishing(self) -> Iterator[str]:
        made = self.published
        if made.release.address is None:
            yield from made.release.reasons
            return
        yield (
            f"PUBLISHED  {made.release.data_set} {made.release.release_id}: {made.files} files, signed; the"
            " column patient_id never arrived, the records were shuffled."
        )
        yield "VERIFIED  from the folder and the public key alone." if not made.faults else made.faults[0]
        if made.tampered:
            yield f"And with one byte changed in a copy: {made.tampered[0]}"

    def _next(self) -> Iterator[str]:
        if not self.is_as_expected:
            yield "The story went wrong: the first table must be blocked and the second one published."
        if self.folder is None:
            yield "qidguard demo --keep DIR    keeps the two tables and the policy"
        else:
            table, policy = (shlex.quote(str(Path(self.folder) / name)) for name in (TABLE, POLICY))
            yield f"qidguard audit {table} --policy {policy}"
            address = shlex.quote(str(self.published.release.address))
            key = shlex.quote(str(Path(self.folder) / f"{KEY}.pub"))
            yield f"qidguard verify {address} --trust {key}"
        yield "qidguard audit DATA         describes a table of your own and suggests roles"
        yield "qidguard explain METRIC     says what a figure means"


def run_demo(
    *, records: int = 20_000, seed: int = 1, folder: str | None = None, progress: Progress = SILENT
) -> Story:
    """Make the table, audit it, coarsen it, audit it again by the same policy, and publish it.

    Args:
        records: Number of visits, ≥ 100.
        seed: Where the random numbers begin, ≥ 0; equal seeds give equal verdicts.
        folder: Where the two tables, the policy and the release are kept; None keeps nothing.
        progress: Hears of finished steps.

    Returns:
        The story.

    Units:
        Records.

    Raises:
        UserError: when the folder cannot be written.

    Example:
        >>> run_demo(records=5000, seed=1).is_as_expected
        True
    """
    with _folder(folder) as place:
        policy = place / POLICY
        policy.write_text(policy_text(), encoding="utf-8")
        _need_metrics(load_host(), policy)
        table = hospital_table(records, seed)
        coarse = coarsen(table)
        reports = []
        for name, frame in ((TABLE, table), (COARSE_TABLE, coarse.table)):
            frame.to_csv(place / name, index=False)
            with audit(place / name, policy=policy, progress=progress) as found:
                reports.append(replace(found.report, source=name))
        published = publish(place / COARSE_TABLE, policy, place, progress=progress)
    return Story(first=reports[0], steps=coarse.steps, second=reports[1], published=published, folder=folder)


def policy_text() -> str:
    """Return the policy of the demo.

    Returns:
        YAML text.

    Example:
        >>> "entity: patient_id" in policy_text()
        True
    """
    return resources.files(__package__).joinpath(POLICY).read_text(encoding="utf-8")


def _need_metrics(host: Host, policy: Path) -> None:
    """Refuse to begin without the metrics of the demo's own policy, which is not to blame for that."""
    for threshold in load_policy(policy).thresholds:
        try:
            host.metric(threshold.metric)
        except UserError:
            raise PluginError(
                f"the demo judges by metrics such as {threshold.metric!r}, and no plugin that offers them is"
                " installed; a plain install of qidguard brings them, so install it again"
            ) from None


@contextmanager
def _folder(folder: str | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="qidguard-demo-") as name:
            yield Path(name)
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        yield Path(folder)
    except OSError as error:
        raise UserError(f"The folder {folder!r} cannot be written ({why(error)}); name another one") from None
