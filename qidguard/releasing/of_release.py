"""The history as it is seen from one published release."""

from collections.abc import Callable, Sequence

from qidguard.core.history import PublishedColumn
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.earlier import EarlierRelease, KeyedHistory


class OfRelease(KeyedHistory):
    """All other releases beside one that stands where a table to be released would.

    Args:
        mine: The release that is looked at.
        others: The other releases, oldest first.
        now: QIDs → the release's keyed classes, with one combination named ``now``.
        columns_now: Returns its published columns.
    """

    def __init__(
        self,
        *,
        mine: EarlierRelease,
        others: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
    ) -> None:
        super().__init__(earlier=others, now=now, columns_now=columns_now)
        self.qids = tuple(mine.qids.values())
        """The QID combinations whose classes were kept."""
