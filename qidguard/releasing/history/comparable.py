"""Whether earlier releases can be held against a table, and what to write where they are of other people."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from qidguard.core.naming import folded
from qidguard.releasing.history.past import follows, history_key_id, normalized_as, of_persons

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot
    from qidguard.ledger import TypedEntry
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
    lines = ", ".join(f"{{data_set: {name}, reason: …}}" for name in names)
    return f"write under release, if they are of other people: unrelated: [{lines}]"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names in quotes, of many the first.

    Example:
        >>> listed(["a", "b", "c"], most=2)
        "'a', 'b' and 1 more data sets"
    """
    more = f" and {len(names) - most:,} more data sets" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more
