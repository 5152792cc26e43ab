"""From wishes to a job: policy, plugins, keys, ledger and destination, checked before any reading."""

import glob
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.auditing.options import engine_settings, read_options, source_of
from qidguard.auditing.run import source_label
from qidguard.core.errors import UserError
from qidguard.core.policy import load_policy
from qidguard.core.progress import SILENT, Progress
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.evidence.home import Home
from qidguard.evidence.keys import load_private_key
from qidguard.host import Host, load_host
from qidguard.ledger import open_ledger
from qidguard.releasing.destination import Destination, open_destination
from qidguard.releasing.job import (
    Job,
    checked_name,
    data_set_name,
    new_audit_id,
    new_release_id,
    new_seed,
)
from qidguard.releasing.nowhere import Nowhere
from qidguard.releasing.remedy import find_remedy

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy
    from qidguard.ledger import Ledger

CLOCK_SKEW = timedelta(minutes=10)
"""How far the clocks of machines that share a ledger may differ."""

LARGEST_SEED = 1 << 63


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What a release may be told beyond source, policy and destination; every part has a default.

    Args:
        data_set: The name under which releases are kept; None takes the policy's or the file's.
        release_id: The release's own name, so that a repeated run publishes once; None makes a new one.
        ledger: The ledger's URL; None takes QIDGUARD_LEDGER, or a SQLite file in the home folder.
        key: The file of the signing key; None takes QIDGUARD_KEY, or the home folder's key if there is one.
        passphrase: Opens the signing key.
        home: The folder of keys and ledger; None takes QIDGUARD_HOME or the user's own.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads, spill directory; None takes what the policy says.
        host: The plugins; None takes the installed ones.
        seed: Seeds record order and remedy; None draws one that nobody can guess.
        progress: Hears of finished steps.
        origin: What started it, such as the door, the DAG and the run of a schedule; the ledger keeps it.
    """

    data_set: str | None = None
    release_id: str | None = None
    ledger: str | None = field(default=None, repr=False)
    key: str | None = None
    passphrase: str | None = field(default=None, repr=False)
    home: str | None = None
    read: ReadOptions | None = None
    settings: EngineSettings | None = None
    host: Host | None = None
    seed: int | None = field(default=None, repr=False)
    progress: Progress = SILENT
    origin: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def prepared(
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    to: str | None,
    wishes: Wishes,
    now: datetime | None,
    *,
    is_published: bool = True,
) -> Iterator[Job]:
    """Yield the job; its ledger is closed afterwards.

    Unless it is to be published, it needs no destination and no key, and takes none where none is named.

    Raises:
        PolicyError: When the policy is not valid.
        PluginError: When the engine or the remedy is broken or missing.
        UserError: When a name, the key, the destination or the moment is wrong.
        LedgerError: When the ledger cannot be opened.
    """
    rules = load_policy(policy)
    source = source_of(source, rules)
    host = wishes.host or load_host()
    engine = host.engine(rules.engine)
    if not engine.can_open(source):
        kind = type(source).__name__
        raise UserError(f"engine {engine.name!r} cannot open what is a Python {kind}; give a path or a table")
    written = rules.release.destination
    address = to if to is not None else None if written is None else rules.beside(written)
    if address is None and is_published:
        raise UserError(
            "There is no destination; name one with --to, or as release.destination in the policy."
        )
    moment = checked_moment(now)
    home = Home.at(wishes.home)
    key_file = (wishes.key or home.default_signing_key()) if is_published else None
    data_set = data_set_name(source, rules, wishes.data_set)
    release_id = checked_name(wishes.release_id or new_release_id(moment), "release")
    destination = Nowhere() if address is None else open_destination(address)
    if is_published:
        _check_apart(source, destination, data_set)
    seed = new_seed() if wishes.seed is None else checked_seed(wishes.seed)
    key = None if key_file is None else load_private_key(Path(key_file), wishes.passphrase)
    remedy = find_remedy(rules, host)
    history_key = home.history_key()
    audit_id = new_audit_id(moment)
    with opened_ledger(wishes, moment) as ledger:
        yield Job(
            source=source,
            label=source_label(source),
            policy=rules,
            host=host,
            engine=engine,
            options=wishes.read or read_options(rules.source),
            settings=wishes.settings or engine_settings(rules),
            data_set=data_set,
            release_id=release_id,
            audit_id=audit_id,
            run_id=audit_id,
            ledger=ledger,
            destination=destination,
            key=key,
            history_key=history_key,
            remedy=remedy,
            now=moment,
            clock=partial(datetime.now, UTC) if now is None else lambda: moment,
            seed=seed,
            progress=wishes.progress,
            origin=wishes.origin,
        )


def checked_moment(now: datetime | None) -> datetime:
    """Return the moment that is meant, the clock's where none is given; UserError without a time zone."""
    moment = now or datetime.now(UTC)
    if moment.tzinfo is None:
        raise UserError("The moment of a release needs a time zone; give for example datetime.now(UTC).")
    return moment


@contextmanager
def opened_ledger(wishes: Wishes, moment: datetime) -> Iterator["Ledger"]:
    """Yield the ledger that is wished for; UserError when the moment lies before what it has seen."""
    home = Home.at(wishes.home)
    with open_ledger(wishes.ledger or home.default_ledger(), anchors=home.anchors_file()) as ledger:
        _check_moment(ledger, moment)
        yield ledger


def _check_moment(ledger: "Ledger", moment: datetime) -> None:
    """Refuse a moment before what the ledger has seen: dates are held against it."""
    newest = next(iter(ledger.entries(newest_first=True, limit=1)), None)
    if newest is not None and moment < newest.at - CLOCK_SKEW:
        raise UserError(
            f"The release is dated {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC, and the ledger's newest entry"
            f" is of {newest.at:%Y-%m-%d %H:%M} UTC; correct the clock."
        )


def checked_seed(seed: Any) -> int:
    """Return a seed that is one; UserError for any other."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < LARGEST_SEED:
        raise UserError("The seed must be a whole number from 0 to 2^63 - 1; choose another one.")
    return seed


def _check_apart(source: Any, destination: Destination, data_set: str) -> None:
    """Refuse a source that holds the releases, or stands among them: the next run would read them as data."""
    text = str(source) if hasattr(source, "__fspath__") else source
    if destination.path is None or not isinstance(text, str) or "://" in text:
        return
    releases = destination.path / data_set
    # the fixed part of a pattern such as data/*.parquet
    fixed = next((p for p in (Path(text), *Path(text).parents) if not glob.has_magic(str(p))), Path())
    place = fixed.expanduser().resolve()
    is_around = place in (releases, *releases.parents) and not place.is_file()
    if is_around or releases in place.parents:
        raise UserError(
            f"The source {text!r} and the releases in {str(releases)!r} stand in one another, so a release"
            " would be read as data; name another destination."
        )
