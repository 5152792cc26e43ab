"""One release that was published before: where its keyed classes are, and which of them answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qidguard.core.errors import InternalError
from qidguard.core.versions import PublishedColumn
from qidguard.engines.base import KeyedClasses

DEFAULT = "default"
"""The name of a release's main combination."""


@dataclass(frozen=True, kw_only=True)
class EarlierRelease:
    """One release that was published before.

    Args:
        release_id: Its name, for errors.
        load: Reads its keyed classes; called when they are needed and not kept.
        qids: Combination's name → its QIDs; ``default`` is among them.
        columns: Its published columns.
        is_other: Whether it is of another series, and counts since the same persons are in it.
    """

    release_id: str
    load: Callable[[], KeyedClasses]
    qids: Mapping[str, tuple[str, ...]]
    columns: tuple[PublishedColumn, ...]
    is_other: bool = False

    def combination_for(self, qids: tuple[str, ...]) -> str:
        """Return the combination whose classes answer for ``qids``.

        It is the one with the same QIDs; else one that has them all, the main one first, since its classes
        are at least as fine; else the main one, which is what this release revealed of the columns it had.

        Args:
            qids: Column names, in any order.

        Returns:
            The combination's name.

        Raises:
            InternalError: When the release has no main combination.

        Example:
            >>> one = EarlierRelease(release_id="r1", load=dict, qids={"default": ("age", "sex")}, columns=())
            >>> one.combination_for(("sex",))
            'default'
        """
        if DEFAULT not in self.qids:
            raise InternalError(f"The release {self.release_id!r} was kept without its main combination.")
        asked = set(qids)
        names = [DEFAULT, *self.qids]
        same = [name for name in names if set(self.qids[name]) == asked]
        finer = [name for name in names if set(self.qids[name]) > asked]
        return [*same, *finer, DEFAULT][0]
