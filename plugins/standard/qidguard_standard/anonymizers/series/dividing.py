"""Groups in which values are held that differ: each part of one value has k persons, or is not shown."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.series.people import People

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class UnlikeParts:
    """What becomes of groups by what is held of their persons.

    Args:
        is_divided: Shape (groups,), whether other values are held of some persons than of others.
        is_small: Shape (persons,), who is of a part of a divided group that cannot be shown.
        is_short: Shape (groups,), whether the present persons of a part could not be shown alone.
    """

    is_divided: "NDArray[np.bool_]" = field(repr=False)
    is_small: "NDArray[np.bool_]" = field(repr=False)
    is_short: "NDArray[np.bool_]" = field(repr=False)


def unlike_parts(
    people: People,
    rows: "NDArray[np.int64]",
    group: "NDArray[np.int64]",
    is_past: "NDArray[np.bool_]",
    count: int,
) -> UnlikeParts:
    """Return the parts of groups, numbers below ``count`` of shape (rows,), by what is held of their persons.

    Who ``is_past`` a limit goes anyway.
    """
    pairs, part = np.unique(np.stack([group, people.held[rows]], axis=1), axis=0, return_inverse=True)
    part = part.reshape(-1)
    of_part = pairs[:, 0]
    is_divided = np.bincount(of_part, minlength=count) > 1
    if not is_divided.any():
        return UnlikeParts(
            is_divided=is_divided, is_small=np.zeros_like(is_past), is_short=np.zeros_like(is_divided)
        )
    is_present = people.is_present[rows]
    alone = ~_can_be_shown(people, rows, part, is_present, len(pairs))
    return UnlikeParts(
        is_divided=is_divided,
        is_small=is_divided[group]
        & ~_can_be_shown(people, rows, part, ~is_past, len(pairs))[part]
        & ~is_past,
        is_short=is_divided & (np.bincount(of_part[alone], minlength=count) > 0),
    )


def _can_be_shown(
    people: People,
    rows: "NDArray[np.int64]",
    part: "NDArray[np.int64]",
    stays: "NDArray[np.bool_]",
    count: int,
) -> "NDArray[np.bool_]":
    """Return for each part whether those who stay of it are k, l and t, or nobody; shape (count,)."""
    sizes = np.bincount(part[stays], minlength=count)
    is_shown = (sizes >= people.k) & people.parts.keep(rows[stays], part[stays], count)
    found: NDArray[np.bool_] = is_shown | (sizes == 0)
    return found


def sent_away(
    people: People,
    rows: "NDArray[np.int64]",
    has_to: "NDArray[np.bool_]",
    missing: int,
    *,
    along: "NDArray[np.bool_]",
) -> "NDArray[np.bool_]":
    """Return which persons of a divided group are not shown: as few as can be, or all.

    Every part that stays has k persons, and k or nobody goes, the ``missing`` counted. Where anybody goes,
    who may go ``along`` does, if the part has more than k. Shape (rows,) each.
    """
    k, part = people.k, np.unique(people.held[rows], return_inverse=True)[1].reshape(-1)
    count = int(part.max(initial=-1)) + 1
    goes = has_to | ~_can_be_shown(people, rows, part, ~has_to, count)[part]
    if not goes.any() and not missing:
        return goes
    spare = np.bincount(part[~goes], minlength=count) - k
    gone = people.earlier.gone[rows]
    far_first = np.where(gone > 0, 0.0, -far(people, rows))
    for at in np.lexsort((*people.places(rows), far_first, -gone)).tolist():
        wanted = along[at] or int(goes.sum()) + missing < k
        if wanted and not goes[at] and spare[part[at]] > 0:
            goes[at] = True
            spare[part[at]] -= 1
    while int(goes.sum()) + missing < k and not goes.all():
        sizes = np.bincount(part[~goes], minlength=count)
        goes |= part == int(np.where(sizes > 0, sizes, len(rows) + 1).argmin())
    is_fine = _can_be_shown(people, rows, part, ~goes, count).all()
    if not is_fine or not people.parts.keep(rows[goes], np.zeros(int(goes.sum()), np.int64), 1).all():
        return np.ones(len(rows), dtype=np.bool_)
    return goes


def far(people: People, rows: "NDArray[np.int64]") -> "NDArray[np.float64]":
    """Return how far each of some persons is from their median, in NCP: the sum over columns."""
    total = np.zeros(len(rows))
    for one, places in zip(people.axes, people.places(rows), strict=True):
        if one.places is not None:
            total += np.abs(places - np.median(places))
        elif one.values > 1:
            codes = places.astype(np.int64)
            total += (codes != np.bincount(codes).argmax()) / (one.values - 1)
    return total
