"""Ages, years of birth and weekly hours among whole numbers: how persons spread over a life and a week."""

from collections.abc import Callable

from qidguard.sdk import ColumnFacts, ContentTest, ValueType

FEWEST_AGES = 30
"""Distinct values below which ages and counts look alike."""
FEWEST_ADULT_AGES = 25
"""The same in a table that is about persons."""
FEWEST_HOURS = 15
"""Distinct values below which hours of a week and codes look alike."""
_WHOLE = (ValueType.INTEGER,)
_OLDEST = 120
_SAME = 0.98
_MOST_VARIED = 0.9
_WEEK = 168
_MOMENTS = (946_684_800, 2_051_222_400)
"""The years 2000 and 2035 in seconds since 1970."""


def _between(low: int, high: int) -> Callable[[str], bool]:
    """Return whether a text is a whole number of such a size."""

    def holds(text: str) -> bool:
        return text.isdecimal() and len(text) <= 4 and low <= int(text) <= high  # noqa: PLR2004 - a year has 4 digits

    return holds


_LIFE = {
    "of_ten": (10, 120),
    "of_age": (18, 120),
    "of_twenty": (20, 120),
    "below_fifty": (0, 49),
    "below_sixty": (0, 59),
    "below_ninety": (0, 89),
}
"""Parts of a life, in years; most values pass each, so that each is asked of all that are looked at."""
_BIRTH = (1900, 2030)
_BIRTHS = {"birth_early": (1900, 1959), "birth_middle": (1960, 1989), "birth_late": (1990, 2030)}
"""Parts of the years of birth."""


def _part(name: str, low: int, high: int) -> ContentTest:
    title = f"whole numbers from {low} to {high}"
    return ContentTest(name=name, title=title, holds=_between(low, high), value_types=_WHOLE, chance=1.0)


AGES = (
    _part("life", 0, _OLDEST),
    *(_part(name, low, high) for name, (low, high) in _LIFE.items()),
    ContentTest(
        name="dozens",
        title="multiples of six",
        holds=lambda text: text.isdecimal() and int(text[-9:]) % 6 == 0,
        value_types=_WHOLE,
        chance=1.0,
    ),
    ContentTest(
        name="round",
        title="multiples of five",
        holds=lambda text: text[-1:] in {"0", "5"},
        value_types=_WHOLE,
        chance=1.0,
    ),
    _part("one_or_two", 1, 2),
    _part("week", 0, _WEEK),
    _part("full_time", 35, 42),
    _part("birth", *_BIRTH),
    *(_part(name, low, high) for name, (low, high) in _BIRTHS.items()),
    ContentTest(
        name="moment",
        title="seconds or milliseconds since 1970",
        pattern="[0-9]{10}(?:000|[0-9]{3})?",
        holds=lambda text: _MOMENTS[0] <= int(text[:10]) <= _MOMENTS[1],
        value_types=_WHOLE,
        chance=0.11,
    ),
)
"""Tests whose shares of records draw a coarse histogram; nothing else is learned of a number."""


def _records(column: ColumnFacts, test: str) -> float:
    look = column.look(test)
    return look.share_of_records if look is not None else 0.0


def _is_whole_between(column: ColumnFacts, test: str) -> bool:
    look = column.look(test)
    return look is not None and look.share >= _SAME and look.share_of_records >= _SAME


def are_weekly_hours(column: ColumnFacts) -> bool:
    """Return whether numbers up to 168 pile up where a full week of work lies, from 35 to 42."""
    is_possible = column.distinct >= FEWEST_HOURS and _is_whole_between(column, "week")
    return is_possible and _records(column, "full_time") >= 0.4 and _records(column, "of_ten") > 0.7  # noqa: PLR2004 - ages have a fifth there at most


def are_ages(column: ColumnFacts) -> bool:
    """Return whether whole numbers spread as ages of persons do.

    At most 120, few from 90 on, some in the middle of life and some behind it, and not piled up at nothing as
    counts are, at multiples of six as months are, or at round numbers as amounts are.
    """
    if column.distinct < FEWEST_AGES or column.distinct > _OLDEST or not _is_whole_between(column, "life"):
        return False
    if column.variety > _MOST_VARIED:
        return False  # numbers of a list
    child, minor = 1 - _records(column, "of_ten"), 1 - _records(column, "of_age")
    elder, retired, oldest = (
        1 - _records(column, part) for part in ("below_fifty", "below_sixty", "below_ninety")
    )
    adult = _records(column, "of_twenty") - elder
    is_spread = adult >= 0.15 and elder >= 0.04 and oldest <= 0.05  # noqa: PLR2004 - populations and samples
    # minutes and weeks end before sixty, and a population with children does not
    is_spread &= minor < 0.05 or retired >= 0.02  # noqa: PLR2004 - a young population has 3 %
    is_no_count = child <= 0.22 and child <= 0.7 * minor + 0.01  # noqa: PLR2004 - even a young population
    is_rounded = _records(column, "dozens") > 0.35 or _records(column, "round") > 0.4  # noqa: PLR2004 - .17 and .2 by chance
    return is_spread and is_no_count and not is_rounded


def are_ages_of_adults(column: ColumnFacts) -> bool:
    """Return whether whole numbers lie where ages of adults do, in a table that is about persons anyway."""
    is_possible = FEWEST_ADULT_AGES <= column.distinct <= _OLDEST and column.variety <= _MOST_VARIED
    if not is_possible or not _is_whole_between(column, "life"):
        return False
    is_adult = _records(column, "of_ten") >= 0.95 and _records(column, "of_twenty") >= 0.6  # noqa: PLR2004 - few minors
    is_young = _records(column, "below_ninety") >= 0.99 and _records(column, "below_sixty") >= 0.6  # noqa: PLR2004 - few elders
    is_rounded = _records(column, "dozens") > 0.35 or _records(column, "round") > 0.4  # noqa: PLR2004 - .17 and .2 by chance
    return is_adult and is_young and not is_rounded


def are_moments(column: ColumnFacts) -> bool:
    """Return whether whole numbers are the seconds since 1970 of moments of this century."""
    return column.distinct >= FEWEST_HOURS and _is_whole_between(column, "moment")


def are_birth_years(column: ColumnFacts) -> bool:
    """Return whether whole numbers are years over which births of a living population spread."""
    if column.distinct < FEWEST_AGES or column.distinct > _OLDEST:
        return False
    early, middle, late = (_records(column, part) for part in _BIRTHS)
    is_all = _is_whole_between(column, "birth")
    return is_all and middle >= 0.25 and 0.05 <= early <= 0.95 and late <= 0.7  # noqa: PLR2004 - generations
