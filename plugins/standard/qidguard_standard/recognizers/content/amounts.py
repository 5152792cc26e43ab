"""What numbers say in a table about persons: amounts of money, answers on one scale, or who knows what."""

from collections import Counter
from collections.abc import Iterator, Sequence

from qidguard.sdk import ColumnFacts, Role, RoleProposal, ValueType
from qidguard_standard.recognizers.content.saying import MOST, say
from qidguard_standard.recognizers.content.vocabularies import names_a_thing

SURE, ASKED = 0.5, 0.2
"""Confidence of amounts and answers that are told by their form, and of numbers of which nothing is known."""
FEWEST_AMOUNTS, FEWEST_KEPT, VARIED_WEIGHTS = 20, 2, 0.1
"""Distinct values from which numbers may be amounts; columns that a key keeps; variety of a weight."""
MOSTLY_ROUND = 0.75
"""Share of round amounts from which numbers of one length are of money."""
ROUND, LARGE, MANY_ZEROS, FEWEST_BESIDE_ZERO = 0.25, 1000, 0.3, 30
"""Shares of round amounts, and of zero, from which numbers are of money; how far, and how many, they go."""
GRADES, FEWEST_ITEMS, MANY_ITEMS, GRADES_OF_NOBODY = range(3, 12), 4, 6, 5
"""Distinct values of an answer on a scale; columns with as many, sure and unsure; values of the latter."""
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}


def of_scales(columns: Sequence[ColumnFacts], *, is_company: bool) -> Iterator[RoleProposal]:
    """Yield proposals for answers on a scale: several columns of as many whole numbers without a gap.

    Of scales of three more columns are asked for, and so in a table that nothing else shows to be about
    persons, where short scales say nothing.
    """
    scales = Counter(column.distinct for column in columns if _is_scale(column))
    for column in columns:
        items = scales[column.distinct] if _is_scale(column) else 0
        if not is_company and column.distinct < GRADES_OF_NOBODY:
            continue
        is_doubtful = column.distinct == GRADES.start or not is_company
        if items >= (MANY_ITEMS if is_doubtful else FEWEST_ITEMS) and not names_a_thing(column.name):
            sentence = (
                f"{items} columns have {column.distinct} whole numbers in a row, as answers on a scale do"
            )
            yield say(column, Role.SENSITIVE, SURE, sentence)


def of_amounts(columns: Sequence[ColumnFacts], known: set[str]) -> Iterator[RoleProposal]:
    """Yield proposals for numbers of persons; ``known`` are columns that something else explains."""
    for column in columns:
        if column.name in known or not _may_be_amounts(column):
            continue
        sentence = _of_money(column)
        if sentence:
            yield say(column, Role.SENSITIVE, SURE, sentence)
            continue
        sentence = "its many different numbers may be amounts or measurements, in a table about persons"
        yield say(column, Role.SENSITIVE, ASKED, sentence)
        shape = column.shape
        is_above_one = shape is not None and shape.low is not None and shape.low >= 1
        if is_above_one and column.variety >= VARIED_WEIGHTS:
            yield say(column, Role.WEIGHT, ASKED / 2, "its positive numbers above 1 may be a sampling weight")


def _may_be_amounts(column: ColumnFacts) -> bool:
    if column.value_type not in _NUMBERS or column.distinct < FEWEST_AMOUNTS:
        return False
    is_key = column.value_type is ValueType.INTEGER and column.distinct >= column.records - column.missing
    return not is_key and len(column.keeps) < FEWEST_KEPT


def _is_scale(column: ColumnFacts) -> bool:
    is_whole = column.value_type is ValueType.INTEGER and column.is_consecutive
    return is_whole and column.distinct in GRADES


def _of_money(column: ColumnFacts) -> str:
    """Return how numbers show that they are amounts of money; nothing where they do not."""
    rounded, zero, week = column.look("kind_round"), column.look("kind_zero"), column.look("week")
    shape = column.shape
    high = None if shape is None else shape.high
    # codes of areas have one length, and half of them end in zeros
    least = MOSTLY_ROUND if shape is not None and shape.is_same_length else ROUND
    if rounded is not None and rounded.share >= least and high is not None and high >= LARGE:
        return (
            f"{rounded.share:.0%} of its numbers are round".replace("%", " %") + ", as amounts of money are"
        )
    is_of_a_week = week is not None and week.share >= MOST
    has_zeros = zero is not None and zero.share_of_records >= MANY_ZEROS
    if has_zeros and column.distinct >= FEWEST_BESIDE_ZERO and not is_of_a_week:
        return "many of its numbers are zero and the others differ, as amounts that few persons have"
    return ""
