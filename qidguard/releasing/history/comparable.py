"""Whether earlier releases can be held against a table, and what to write where they are of other people."""

import os.path
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from qidguard.core.naming import folded
from qidguard.ledger import read
from qidguard.ledger.payloads import Audited
from qidguard.releasing.context import UNKNOWN_DIGEST
from qidguard.releasing.history.past import follows, history_key_id, normalized_as, of_persons

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot
    from qidguard.ledger import Reader, TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.history.past import Past


def unknown_here(data_set: str, every: "Past", here: tuple[str, ...]) -> Iterator[str]:
    """Yield a sentence where releases stand at the destination, ``here``, that the ledger does not know."""
    known = {entry.payload.release_id for entry in every.begun if folded(entry.data_set) == folded(data_set)}
    unknown = [release_id for release_id in here if release_id not in known]
    if unknown:
        # of other people or not: nobody here can tell
        yield (
            f"{len(unknown)} releases of {data_set!r} stand at the destination and not in this"
            f" ledger, the first is {unknown[0]}, so they cannot be compared with this one; use the ledger"
            " that made them, or name another destination."
        )


def incomparable(context: "ReleaseContext", snapshot: "Snapshot", past: "Past") -> Iterator[str]:
    """Yield a sentence for whatever keeps earlier releases from being held against this one."""
    mine = history_key_id(context.history_key)
    earlier = of_persons(past.begun)
    others = [e for e in earlier if e.payload.history_key != mine]
    if others:
        yield (
            f"{len(others)} earlier releases of {series_of(others)} were recorded under another history"
            " key, so they cannot be compared with this one; restore the file history.key that made them, or"
            f" {unrelated_line(others)}."
        )
    followed = follows(context, snapshot)
    others = [e for e in earlier if list(e.payload.follows) != followed]
    if others:
        yield (
            f"Earlier releases of {series_of(others)} follow people by other columns than this policy"
            " does, so they cannot be compared with it; give both the same roles.entity, or the same QIDs and"
            f" sensitive attributes where there is none, or {unrelated_line(others)}."
        )
        return
    ways = normalized_as(context, followed)
    others = [e for e in earlier if (e.payload.normalized or None) != ways]
    if others:
        yield (
            f"Earlier releases of {series_of(others)} took other texts as one value (source.normalize) than"
            " this policy does, so their records cannot be found again; write source.normalize as it was"
            f" then, or {unrelated_line(others)}."
        )


def said_unrelated(context: "ReleaseContext", data_set: str) -> bool:
    """Whether the policy says, with a reason, that the releases of a data set are unrelated."""
    return context.policy.release.why_unrelated(data_set) is not None


def series_of(releases: "Iterable[TypedEntry[Releasing]]") -> str:
    """Return the names of the data sets of releases, one after the other."""
    return listed(sorted({entry.data_set for entry in releases}))


def unrelated_line(releases: "Iterable[TypedEntry[Releasing]]") -> str:
    """Return what to write where the releases are of other people."""
    names = sorted({entry.data_set for entry in releases})
    return f"write under release, if they are of other people: {unrelated(names)}"


def unrelated(names: Iterable[str]) -> str:
    """Return the line of a policy that calls data sets unrelated."""
    return f"unrelated: [{', '.join(f'{{data_set: {name}, reason: …}}' for name in names)}]"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names in quotes, of many the first.

    Example:
        >>> listed(["a", "b", "c"], most=2)
        "'a', 'b' and 1 more data sets"
    """
    more = f" and {len(names) - most:,} more data sets" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def data_sets_of(reader: "Reader", context: "ReleaseContext", source_sha256: str) -> frozenset[str]:
    """Return the folded names of the data sets whose releases count as earlier ones of this one.

    Args:
        reader: What reads the ledger, all of whose audits are looked at where the policy names no data set.
        context: What was asked for.
        source_sha256: The digest of the source.
    """
    own = {folded(context.data_set)}
    if context.policy.release.data_set is not None:
        return frozenset(own)
    policy = folded(context.policy.name)
    for entry in reader.entries(kinds={"audited"}):
        audited = read(entry, Audited).payload
        is_same_policy = audited.policy.name is not None and folded(audited.policy.name) == policy
        is_same_bytes = audited.source_sha256 == source_sha256 != UNKNOWN_DIGEST
        if is_same_policy or is_same_bytes or is_same_path(context.source, audited.source):
            own.add(folded(entry.data_set))
    return frozenset(own)


def is_same_path(source: object, earlier: str) -> bool:
    """Whether a source is at the place that the ledger has, which may be relative to a folder of that day.

    Example:
        >>> is_same_path("/data/ward/visits.csv", "ward/visits.csv")
        True
        >>> is_same_path("/data/ward/visits.csv", "/data/clinic/visits.csv")
        False
    """
    if hasattr(source, "__fspath__"):
        source = str(source.__fspath__())
    if not isinstance(source, str):
        return False
    if "://" in source or "://" in earlier:
        from qidguard.core.address import shown_address

        return folded(shown_address(source)) == folded(earlier)
    theirs = PurePath(os.path.normpath(folded(earlier)))
    parts = tuple(part for part in theirs.parts if part != "..")
    mine = Path(source)
    places = {folded(os.path.normpath(path)) for path in (mine.absolute(), mine.resolve())}
    if theirs.is_absolute():
        return bool({folded(earlier), str(theirs)} & places)
    return any(PurePath(place).parts[-len(parts) :] == parts for place in places) and bool(parts)
