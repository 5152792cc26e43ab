"""How large the classes are that single columns make, and how values are prepared before they are counted."""

from dataclasses import dataclass

from qidguard.core.errors import UserError
from qidguard.core.spelling import Spelling

_MOST_PLACES = 18


@dataclass(frozen=True, kw_only=True)
class Preprocessing:
    """What of a column's values is taken as one value before its classes are counted; by default nothing.

    Args:
        spellings: Ways of writing in which texts may differ and still be one value; ``missing`` makes NULL of
            words such as ``?`` and ``NA``.
        decimals: Numbers are rounded to as many places behind the point, −18..18, half away from zero; −2
            rounds to hundreds. None rounds nothing.

    Raises:
        UserError: When there is no such way of writing, or the places are no whole number in their range.

    Example:
        >>> Preprocessing(decimals=-1).is_empty, Preprocessing().is_empty
        (False, True)
    """

    spellings: tuple[Spelling, ...] = ()
    decimals: int | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "spellings", tuple(Spelling(one) for one in self.spellings))
        except ValueError:
            raise UserError(
                f"values may be taken as one by {', '.join(Spelling)}, not by {self.spellings!r}"
            ) from None
        places: object = self.decimals
        is_whole = isinstance(places, int) and not isinstance(places, bool)
        if places is not None and not (is_whole and abs(self.decimals or 0) <= _MOST_PLACES):
            raise UserError(
                f"decimals must be a whole number from -{_MOST_PLACES} to {_MOST_PLACES}, not {places!r}"
            )

    @property
    def is_empty(self) -> bool:
        """Whether values are taken as they are read."""
        return not self.spellings and self.decimals is None


AS_READ = Preprocessing()
"""Nothing is taken as one value."""


@dataclass(frozen=True, kw_only=True)
class ClassSizes:
    """How large the classes are that one column makes alone. Counts only; NULL is a value.

    Args:
        column: The column's name.
        sizes: The sizes that occur, in persons, ascending, each ≥ 1.
        classes: How many classes have each size, ≥ 1.
        persons: For how many persons it is the size of their class, ≥ 0; an entity counts once, by the
            smallest class that it appears in.

    Example:
        >>> pairs = ClassSizes(column="ward", sizes=(1, 2), classes=(1, 3), persons=(1, 6))
        >>> pairs.class_count, pairs.person_count
        (4, 7)
    """

    column: str
    sizes: tuple[int, ...]
    classes: tuple[int, ...]
    persons: tuple[int, ...]

    @property
    def class_count(self) -> int:
        """Number of classes, ≥ 0."""
        return sum(self.classes)

    @property
    def person_count(self) -> int:
        """Number of persons, ≥ 0."""
        return sum(self.persons)
