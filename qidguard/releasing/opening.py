"""Open what a release needs: policy, plugins, keys, ledger and destination, checked before any reading."""

import glob
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack
from urllib.parse import unquote, urlsplit

from qidguard.auditing.reading import read_options
from qidguard.auditing.remedy import find_remedy
from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.core.naming import folded
from qidguard.core.progress import SILENT
from qidguard.core.system import expanded
from qidguard.engines.linked import sources_of
from qidguard.evidence.home import Home
from qidguard.evidence.key_roles import KeyRole, roles_in
from qidguard.evidence.keys import load_private_key
from qidguard.host import load_host
from qidguard.ledger import ledger_file, open_ledger
from qidguard.policy import load_policy
from qidguard.releasing.context import (
    ReleaseContext,
    ReleaseOptions,
    checked_name,
    data_set_name,
    new_audit_id,
    new_release_id,
)
from qidguard.releasing.publishing.destination import Destination
from qidguard.trials.context import TrialContext, seed_of

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.ledger import Ledger
    from qidguard.policy import Policy


CLOCK_SKEW = timedelta(minutes=10)
"""How far the clocks of machines that share a ledger may differ."""


@contextmanager
def release_context(
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    to: str | None,
    *,
    is_published: bool,
    **options: Unpack[ReleaseOptions],
) -> Iterator[ReleaseContext]:
    """Yield what was asked for; its ledger is closed afterward.

    Unless it is to be published, it needs no destination and no key, and takes none where none is named.

    Raises:
        PolicyError: When the policy is not valid.
        PluginError: When the engine or the remedy is broken or missing.
        UserError: When a name, the key, the destination or the moment is wrong.
        LedgerError: When the ledger cannot be opened.
    """
    rules, now = load_policy(policy), options.get("now")
    moment = checked_moment(now)
    asked = TrialContext.of(
        source,
        rules,
        options.get("host") or load_host(),
        read=options.get("read"),
        settings=options.get("settings"),
        today=moment.astimezone(UTC).date(),
        progress=options.get("progress", SILENT),
        seed=seed_of(options.get("seed")),
    )
    written = rules.release.destination
    address = to if to is not None else None if written is None else rules.resolve(written)
    if address is None and is_published:
        raise UserError(
            "There is no destination; name one with --to, or as release.destination in the policy."
        )
    home = Home.at(options.get("home"))
    key_file = (options.get("key") or home.default_signing_key()) if is_published else None
    data_set = data_set_name(asked.source, rules, options.get("data_set"))
    given = options.get("release_id")
    release_id = checked_name(new_release_id(moment) if given is None else given, "release id")
    destination = None if address is None else open_destination(address)
    if destination is not None and is_published:
        for place in sources_of(asked.source):
            check_source_apart(destination, data_set, place)
        check_private_apart(
            destination,
            data_set,
            folders=_private_folders(home, rules),
            files=_private_files(home, options.get("ledger"), key_file),
        )
        destination.check_unlinked(data_set, release_id)
    key = None if key_file is None else load_private_key(Path(key_file), options.get("passphrase"))
    if key is not None and roles_in(home.keys_folder).get(key.public) is KeyRole.APPROVER:
        raise UserError(
            f"The key {key.public.id[:12]}… has the role approver, and who approves cannot release too; sign"
            " with another key."
        )
    remedy = find_remedy(rules, asked.host)
    history_key = home.history_key()
    audit_id = new_audit_id(moment)
    with opened_ledger(home, options.get("ledger"), moment) as ledger:
        yield ReleaseContext(
            **vars(asked),
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
            origin=options.get("origin", {}),
            has_advice=options.get("has_advice", False),
        )


def checked_moment(now: datetime | None) -> datetime:
    """Return the moment that is meant, the clock's where none is given; UserError without a time zone."""
    moment = now or datetime.now(UTC)
    if moment.tzinfo is None:
        raise UserError("The moment of a release needs a time zone; give for example datetime.now(UTC).")
    return moment


@contextmanager
def opened_ledger(home: Home, url: str | None, moment: datetime) -> Iterator["Ledger"]:
    """Yield the ledger at a URL, or the home folder's; UserError for a moment before its newest entry."""
    with open_ledger(url or home.default_ledger(), anchors=home.anchors_file()) as ledger:
        # dates are held against the moment; whoever decides verifies the ledger, its newest entry included
        newest = next(iter(ledger.unverified.entries(newest_first=True, limit=1)), None)
        if newest is not None and moment < newest.at - CLOCK_SKEW:
            raise UserError(
                f"The release is dated {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC, and the ledger's newest"
                f" entry is of {newest.at:%Y-%m-%d %H:%M} UTC; correct the clock."
            )
        yield ledger


def _private_folders(home: Home, policy: "Policy") -> dict[str, Path]:
    """Return the folders in which nothing is published, by what they are."""
    state = policy.state_folder
    folders = {"the home folder": home.folder, "the folder of the keys": home.keys_folder}
    return folders if state is None else folders | {"the state of the series": Path(state)}


def _private_files(home: Home, ledger: str | None, key: str | Path | None) -> dict[str, Path]:
    """Return the files that stand nowhere among releases, by what they are."""
    file = ledger_file(ledger or home.default_ledger())
    named = {"the ledger": file, "the signing key": None if key is None else expanded(key)}
    return {what: path for what, path in named.items() if path is not None}


def open_destination(to: str) -> Destination:
    """Return the destination at an address.

    Args:
        to: A folder, which is made when it is missing, or a URL of fsspec such as ``memory://published``.

    Returns:
        The destination.

    Raises:
        UserError: When there is no such protocol, its library is missing, or the address is empty.

    Example:
        >>> open_destination("memory://published").label
        'memory://published'
    """
    if not to.strip():
        raise UserError("The destination is empty; name a folder or a URL.")
    scheme, separator, rest = to.partition("://")
    if separator and scheme not in {"file", "local"}:
        from qidguard.releasing.publishing.store import open_store

        return open_store(to)
    if separator:
        if urlsplit(to).netloc not in {"", "localhost"}:
            raise UserError(
                f"The destination {shown_address(to)!r} names another machine;"
                " write file:///folder for one here."
            )
        rest = unquote(urlsplit(to).path)
    if not separator and shown_address(to) != to:
        raise UserError(
            f"The destination {shown_address(to)!r} is written like an address with a password; name a"
            " folder, or a URL with ://."
        )
    from qidguard.releasing.publishing.folder import LocalFolder

    try:
        folder = Path(rest if separator else to).expanduser().resolve()
        folder.is_dir()  # it raises where a name is too long
        return LocalFolder(folder)
    except (RuntimeError, ValueError, OSError):
        raise UserError(
            f"The destination {shown_address(to)!r} is no path of this machine; name a folder."
        ) from None


def check_private_apart(
    destination: Destination, data_set: str, *, folders: Mapping[str, Path], files: Mapping[str, Path]
) -> None:
    """Refuse a destination in a private folder, and private folders and files among the releases.

    Links, ``..`` and another spelling of a folder that stands there lead to the same place.

    Args:
        destination: Where releases go.
        data_set: Whose releases.
        folders: In words what each private folder is → where it is, be it there or not.
        files: The same of private files.

    Raises:
        UserError: When they are not apart.
    """
    if destination.path is None:
        return
    releases = destination.path / data_set
    for what, path in folders.items():
        if _is_within(destination.path, path):
            raise UserError(
                f"The destination {destination.label!r} stands in {what} {str(path)!r}, so what is published"
                " would lie among what is private; name a folder outside of it."
            )
    for what, path in (*folders.items(), *files.items()):
        if _is_within(path, releases):
            raise UserError(
                f"The releases would go to {str(releases)!r}, and {what} {str(path)!r} stands there, so what"
                " is private would lie among what is published; name another destination."
            )


def check_source_apart(destination: Destination, data_set: str, source: Any) -> None:
    """Refuse a source that holds the releases, or stands among them: the next run would read them as data."""
    text = str(source) if hasattr(source, "__fspath__") else source
    if destination.path is None or not isinstance(text, str) or "://" in text:
        return
    releases = destination.path / data_set
    # the fixed part of a pattern such as data/*.parquet
    fixed = next((p for p in (Path(text), *Path(text).parents) if not glob.has_magic(str(p))), Path())
    place = expanded(fixed).resolve()
    is_around = place in (releases, *releases.parents) and not place.is_file()
    if is_around or releases in place.parents:
        raise UserError(
            f"The source {text!r} and the releases in {str(releases)!r} stand in one another, so a release"
            " would be read as data; name another destination."
        )


def _is_within(inner: Path, outer: Path) -> bool:
    """Whether a path is another one or stands in it, links followed."""
    real = Path(os.path.realpath(inner))
    sought = _identity(Path(os.path.realpath(outer)))
    return any(_identity(place) == sought for place in (real, *real.parents))


def _identity(path: Path) -> tuple[int, int, tuple[str, ...]]:
    """Return what a path is, however it is spelled: what stands there of it, and the folded names below."""
    for place in (path, *path.parents):
        try:
            found = place.stat()
        except OSError:  # it is not there, or may not be looked at
            continue
        return found.st_dev, found.st_ino, tuple(map(folded, path.parts[len(place.parts) :]))
    return 0, 0, tuple(map(folded, path.parts))  # pragma: no cover - a root is always there


@contextmanager
def population_kept(context: ReleaseContext) -> Iterator[ReleaseContext]:
    """Yield the context with a private copy of the policy's population, which every audit reads."""
    population = context.policy.population
    if population is None:
        yield context
        return
    path = context.policy.resolve(population.path)
    with context.engine.snapshot(path, read_options(population.source), context.settings) as kept:
        yield replace(context, population=kept)
