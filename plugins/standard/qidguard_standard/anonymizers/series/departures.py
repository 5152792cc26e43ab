"""Who leaves a group: nobody, or at least k together, of whom companions have not left."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.series.people import People, far

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
    is_shown = (sizes >= people.k) & people.keep_parts(rows[stays], part[stays], count)
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
    if not is_fine or not people.keep_parts(rows[goes], np.zeros(int(goes.sum()), np.int64), 1).all():
        return np.ones(len(rows), dtype=np.bool_)
    return goes


@dataclass(frozen=True, kw_only=True)
class Departures:
    """What becomes of the groups of the last release.

    Args:
        stays: Shape (persons,), who of the last release is shown again.
        companions: Present persons who go with those who left.
        dissolved: Groups that went whole although some of their persons are present.
        present: Present persons of these groups.
        unlike: Present persons who go since what is held of them is that of fewer than k of their group.
    """

    stays: "NDArray[np.bool_]" = field(repr=False)
    companions: int = 0
    dissolved: int = 0
    present: int = 0
    unlike: int = 0


def departures(people: People, most_gone: int | None) -> Departures:
    """Return who stays of the persons that the last release showed.

    ``most_gone`` is how many releases may show somebody who left; None sets no limit. Every group, the
    persons of one trajectory, is divided so that each part has k persons, l values and t, or none. Persons of
    whom other values are held than of the rest of their group are a part of their own.
    """
    earlier, k = people.earlier, people.k
    shown = np.flatnonzero(earlier.is_in_last)
    group = earlier.trajectory[shown]
    missing = earlier.missing[earlier.is_missing_in_last]
    count = int(max(group.max(initial=-1), missing.max(initial=-1))) + 1
    gone = earlier.gone[shown]
    left, away = np.bincount(group[gone > 0], minlength=count), np.bincount(missing, minlength=count)
    present = np.bincount(group[gone == 0], minlength=count)
    is_past = gone > (np.inf if most_gone is None else most_gone)
    unlike = unlike_parts(people, shown, group, is_past, count)
    has_to = is_past | unlike.is_small
    forced = away + np.bincount(group[has_to], minlength=count)
    # who left goes of itself where k do and k stay, or nobody does
    leaves = (forced == 0) & (left >= k) & (present >= k) & ~unlike.is_short
    asked = leaves[group]
    side = 2 * group[asked] + (gone[asked] > 0)
    leaves &= people.keep_parts(shown[asked], side, 2 * count).reshape(-1, 2).all(axis=1)
    leaves |= (left + away > 0) & (present == 0)
    stays = ~(leaves[group] & (gone > 0))
    companions = dissolved = lost = 0
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=count))
    for one in np.flatnonzero((forced > 0) & (present > 0)).tolist():
        at = order[(ends[one - 1] if one else 0) : ends[one]]
        if unlike.is_divided[one]:
            goes = sent_away(people, shown[at], has_to[at], int(away[one]), along=gone[at] > 0)
        else:
            goes = _goes(people, shown[at], is_past[at], int(away[one]))
        stays[at] = ~goes
        here = int(np.count_nonzero(goes & (gone[at] == 0)))
        if goes.all():
            dissolved, lost = dissolved + 1, lost + here
        else:
            companions += here
    is_kept = np.zeros(people.count, dtype=np.bool_)
    is_kept[shown[stays]] = True
    return Departures(
        stays=is_kept,
        companions=companions,
        dissolved=dissolved,
        present=lost,
        unlike=int(np.count_nonzero(unlike.is_small & (gone == 0))),
    )


def _goes(
    people: People, rows: "NDArray[np.int64]", is_past: "NDArray[np.bool_]", away: int
) -> "NDArray[np.bool_]":
    """Return which persons of a group go, some of whom have to: as few as the rule allows, or all."""
    k, gone = people.k, people.earlier.gone[rows]
    left, forced = int(np.count_nonzero(gone)), int(np.count_nonzero(is_past))
    distance = far(people, rows)
    # who has to go, who left, the longest ago first, and who is far from the rest; of equal ones by values
    order = np.lexsort((*people.places(rows), np.where(gone > 0, 0.0, -distance), -gone, ~is_past))
    size = len(rows) + away
    first = min(max(k, left + away), size - k)
    for number in range(max(first, forced + away), size - k + 1):
        goes = np.zeros(len(rows), dtype=np.bool_)
        goes[order[: number - away]] = True
        if (
            number >= k
            and people.keep_parts(rows, goes.astype(np.int64), 2)[[0, *([1] if goes.any() else [])]].all()
        ):
            return goes
        if people.rule.wanted.is_k_alone:
            break
    return np.ones(len(rows), dtype=np.bool_)


def returning(people: People) -> "NDArray[np.int64]":
    """Return the group of each person who comes back, −1 of all others, shape (persons,).

    Who went together comes back together: at least k of a trajectory, and k or nobody stays away.
    """
    earlier, k = people.earlier, people.k
    group = np.full(people.count, -1)
    away = np.flatnonzero(~people.is_new & ~earlier.is_in_last)
    lost = earlier.missing[~earlier.is_missing_in_last]
    number = earlier.trajectory[away]
    back = people.is_present[away]
    span = int(max(number.max(initial=-1), lost.max(initial=-1))) + 1
    here = np.bincount(number[back], minlength=span)
    others = np.bincount(number[~back], minlength=span) + np.bincount(lost, minlength=span)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=span))
    can = (here >= k) & ((others == 0) | (here + others >= 2 * k))
    for one in np.flatnonzero(can).tolist():
        at = away[order[(ends[one - 1] if one else 0) : ends[one]]]
        if len(np.unique(people.held[at[people.is_present[at]]])) > 1:
            missing = int(np.count_nonzero(lost == one))
            goes = sent_away(people, at, ~people.is_present[at], missing, along=np.zeros(len(at), np.bool_))
            group[at[~goes]] = one
            continue
        at = at[np.lexsort((*people.places(at), -far(people, at), people.is_present[at]))]
        first = int(np.count_nonzero(~people.is_present[at]))
        stay_away = max(first, first + k - int(others[one])) if others[one] else 0
        side = (np.arange(len(at)) >= stay_away).astype(np.int64)
        if people.keep_parts(at, side, 2)[[1, *([0] if stay_away else [])]].all():
            group[at[stay_away:]] = one
    return group
