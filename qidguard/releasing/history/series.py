"""Which releases of the ledger count as earlier ones of a data set, whatever it is called today.

A data set is known by its name, without case. Where the policy writes no ``release.data_set``, the name alone
would be anybody's choice: then what was released under a policy of the same name, or from the same source,
belongs to it too.
"""

import os.path
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from qidguard.core.naming import folded
from qidguard.ledger import read
from qidguard.ledger.payloads import Audited
from qidguard.releasing.context import UNKNOWN_DIGEST

if TYPE_CHECKING:
    from qidguard.ledger import Reader
    from qidguard.releasing.context import ReleaseContext


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
