"""What a release of a series came to, in sentences of counts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.series.departures import Departures
from qidguard_standard.anonymizers.series.people import People

if TYPE_CHECKING:
    from numpy.typing import NDArray


def told(
    people: People,
    classes: "NDArray[np.int64]",
    departed: Departures,
    *,
    alone: float,
    sensitive: tuple[str, ...],
    may_change: bool,
) -> Iterator[str]:
    """Yield the sentences of the receipt; ``alone`` is the NCP of the persons present, by themselves."""
    earlier, is_shown = people.earlier, classes >= 0
    is_fresh, is_stale = is_shown & people.is_present, is_shown & ~people.is_present
    present, fresh, stale = (int(np.count_nonzero(one)) for one in (people.is_present, is_fresh, is_stale))
    share = f" ({fresh / present:.1%})" if present else ""
    yield f"of {present:,} persons present {fresh:,}{share} are published with today's values"
    if stale:
        oldest = int(earlier.gone[is_stale].max())
        yield (
            f"{_counted(stale, 'person is', 'persons are')} stale, {stale / (stale + fresh):.1%} of those"
            f" published: they left and are shown with their last values, the oldest for {_releases(oldest)}"
        )
    else:
        yield "nobody is stale"
    is_waiting = ~is_shown & people.is_present
    new, back = is_waiting & people.is_new, is_waiting & ~people.is_new & ~earlier.is_in_last
    if new.any():
        longest = int(earlier.waited[new].max()) + 1
        how_long = f", the longest for {_releases(longest)}" if longest else ""
        yield f"{_counted(int(np.count_nonzero(new)), 'newcomer waits', 'newcomers wait')}{how_long}"
    if back.any():
        waiting = _counted(int(np.count_nonzero(back)), "person waits", "persons wait")
        yield f"{waiting} to come back, whom an earlier release showed"
    gone = int(np.count_nonzero(earlier.is_in_last & ~is_shown & ~people.is_present))
    gone += int(np.count_nonzero(earlier.is_missing_in_last))
    if gone or departed.companions or departed.dissolved:
        yield (
            f"{_counted(gone, 'person who left is', 'persons who left are')} no longer shown;"
            f" {_counted(departed.companions, 'present person', 'present persons')} went with them as"
            f" companions, and {_counted(departed.dissolved, 'group was', 'groups were')} dissolved, with"
            f" {_counted(departed.present, 'present person', 'present persons')}"
        )
    if departed.unlike:
        yield (
            f"of {_counted(departed.unlike, 'person', 'persons')} records of other tables changed, and"
            " fewer than k of their group share what they are now, so they are not shown"
        )
    yield f"NCP is {people.ncp(classes):.4f}, and {alone:.4f} for the persons present this month alone"
    if stale and sensitive and may_change:
        yield (
            "a sensitive attribute that changes with time tells stale records, for theirs no longer changes:"
            f" {', '.join(map(repr, sensitive))}"
        )


def _releases(count: int) -> str:
    return _counted(count, "release", "releases")


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
