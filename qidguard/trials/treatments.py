"""What became of each column's cells, found by holding the published table against the source."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.anonymizing.coverage.reading import read_coverage
from qidguard.core.treatment import Technique, Treatment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.coverage.coverage import Coverage
    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.versions import Changes

_MOST_PAIRS = 1 << 24
"""Pairs of an original and a published value up to which they are counted in a table of all."""


def treatments(changes: "Changes", columns: Iterable[str]) -> dict[str, Treatment]:
    """Return column → what became of its cells, for columns in which something was changed.

    A new table has no cell of the source, so that nothing is found in it.
    """
    if changes.kept is None:
        return {}
    return {name: _treatment(changes, name) for name in columns}


def _treatment(changes: "Changes", name: str) -> Treatment:
    before, after = changes.before.column(name), changes.after.column(name)
    hierarchy = changes.hierarchies.get(name)
    coverage = read_coverage(before, after, hierarchy, changes.suppression_mark)
    assert changes.kept is not None  # noqa: S101 - asked by who calls this
    original, published = _pairs(before, after, changes.kept)
    is_same = coverage.same[published] == original
    is_suppressed = coverage.is_mark[published] & ~is_same
    is_covered = coverage.covers(published, original)
    is_wide = coverage.counts[published] > 1
    is_generalized = ~is_suppressed & is_covered & is_wide
    found = {
        Technique.GENERALIZATION: bool(is_generalized.any()),
        Technique.PERTURBATION: bool((~is_suppressed & ~is_covered & ~is_same).any()),
        Technique.SUPPRESSION: bool(is_suppressed.any()),
    }
    techniques = tuple(technique for technique, is_found in found.items() if is_found)
    levels = _levels(hierarchy, after, coverage, published) if is_generalized.any() else ()
    origin = None if hierarchy is None or not levels else hierarchy.origin
    return Treatment(techniques=techniques, hierarchy=origin, levels=levels)


def _pairs(
    before: "ColumnValues", after: "ColumnValues", kept: "NDArray[np.bool_]"
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the codes of each original value with each published one that stands in its place."""
    import numpy as np

    width = len(after.texts)
    joined = before.codes[kept].astype(np.int64) * width + after.codes
    size = len(before.texts) * width
    pairs = np.flatnonzero(np.bincount(joined, minlength=1)) if size <= _MOST_PAIRS else np.unique(joined)
    return pairs // width, pairs % width


def _levels(
    hierarchy: "Hierarchy | None",
    after: "ColumnValues",
    coverage: "Coverage",
    published: "NDArray[np.int64]",
) -> tuple[int, ...]:
    """Return the lowest level of each published value's label; nothing where one is no label of any level."""
    if hierarchy is None:
        return ()
    lowest: dict[tuple[str | None, bool], int] = {}
    for level, labels in enumerate(hierarchy.labels):
        for label in labels:
            # a family of codes may be called as one of them is
            lowest.setdefault((label, level > 0), level)
    used = {
        (after.texts[code], bool(coverage.counts[code] > 1))
        for code in set(published.tolist())
        if not coverage.is_mark[code]
    }
    found = {lowest.get((text, is_wide), lowest.get((text, not is_wide))) for text, is_wide in used}
    return () if None in found else tuple(sorted(level for level in found if level is not None))
