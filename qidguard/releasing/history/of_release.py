"""A release beside all others of its data set, standing where a table to be released would."""

from collections.abc import Callable, Sequence

from qidguard.core.errors import NotMeasurable
from qidguard.core.versions import PublishedColumn
from qidguard.engines.base import KeyedClasses
from qidguard.releasing.history.earlier import EarlierRelease, KeyedHistory


class OfRelease(KeyedHistory):
    """All other releases beside one that stands where a table to be released would.

    Args:
        mine: The release that is looked at.
        others: The other releases, oldest first.
        now: QIDs → the release's keyed classes, with one combination named ``now``.
        columns_now: Returns its published columns.
        is_by_content: As for the history.
    """

    def __init__(
        self,
        *,
        mine: EarlierRelease,
        others: Sequence[EarlierRelease],
        now: Callable[[tuple[str, ...]], KeyedClasses],
        columns_now: Callable[[], tuple[PublishedColumn, ...]],
        is_by_content: bool,
    ) -> None:
        super().__init__(earlier=others, now=now, columns_now=columns_now, is_by_content=is_by_content)
        self.qids = tuple(mine.qids.values())
        """The QID combinations whose classes were kept."""

    def _now_over(self, order: tuple[str, ...]) -> KeyedClasses:
        if order not in self.qids:
            raise NotMeasurable(
                "The sizes of classes cannot be compared, since two releases were recorded with the"
                f" quasi-identifiers {', '.join(order)} in another order."
            )
        return super()._now_over(order)
