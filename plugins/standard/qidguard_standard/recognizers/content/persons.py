"""What numbers, codes and dates say of persons, surer where other columns of the table speak of persons."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from qidguard.sdk import ColumnFacts, Look, Role, RoleProposal, ValueType
from qidguard_standard.recognizers.content.ages import (
    are_ages,
    are_ages_of_adults,
    are_birth_years,
    are_moments,
    are_weekly_hours,
)
from qidguard_standard.recognizers.content.amounts import FEWEST_KEPT, of_amounts, of_scales
from qidguard_standard.recognizers.content.codes import POSTCODES
from qidguard_standard.recognizers.content.saying import (
    DOUBTED_ORDERS,
    MOST,
    QUESTION,
    SURE_ORDERS,
    orders_against_chance,
    say,
    say_share,
)
from qidguard_standard.recognizers.content.vocabularies import counts_things
from qidguard_standard.recognizers.lexicon.table import are_about_persons
from qidguard_standard.recognizers.lexicon.vocabulary import standard

BY_SHAPE, IN_COMPANY = 0.5, 0.55
"""Confidence of what the spread of numbers says: alone, and beside columns about persons."""
_PERSONAL = {"word_sex", "word_marital", "word_race", "word_relationship", "word_education", "word_religion"}
_DATES = {ValueType.DATE, ValueType.TIMESTAMP}
_CODES = {"nace": 5, "isco": 5, "soc": 5, "nuts": 4}
"""Test of a code → distinct values below which nothing is said."""
_QID = Role.QUASI_IDENTIFIER


def has_persons(columns: Sequence[ColumnFacts]) -> bool:
    """Return whether a name, or values that only persons have, show that a table is about persons."""
    return _has_persons(tuple(columns))


@lru_cache(maxsize=2)  # several recognizers ask it of the same table
def _has_persons(columns: tuple[ColumnFacts, ...]) -> bool:
    by_content = any(are_ages(column) or _speaks_of_persons(column) for column in columns)
    return by_content or are_about_persons(columns, standard())


def of_persons(columns: Sequence[ColumnFacts], *, is_company: bool) -> Iterator[RoleProposal]:
    """Yield proposals for ages, hours, years of birth, codes, postcodes, degrees and dates.

    ``is_company`` is whether the table is about persons.
    """
    aged = {column.name for column in columns if are_ages(column)}
    for column in columns:
        if are_weekly_hours(column):
            yield say(column, _QID, BY_SHAPE, "its whole numbers pile up where a full week of work lies")
        elif column.name in aged:
            sure = QUESTION if counts_things(column.name) else IN_COMPANY if is_company else BY_SHAPE
            yield say(column, _QID, sure, "its whole numbers spread as ages of persons do")
        elif are_birth_years(column):
            sure = IN_COMPANY if is_company else QUESTION
            yield say(column, _QID, sure, "its whole numbers spread as years of birth do")
        elif is_company and are_ages_of_adults(column) and not counts_things(column.name):
            yield say(column, _QID, BY_SHAPE, "its whole numbers lie where ages of adults do")
        elif are_moments(column):
            sure = BY_SHAPE if is_company else QUESTION
            yield say(
                column, _QID, sure, "its whole numbers are seconds since 1970, the moments of something"
            )
        yield from _of_codes(column)
        yield from _of_postcodes(column)
        if column.value_type in _DATES and column.distinct > 1:
            sentence = "its values are dates" + (", in a table about persons" if is_company else "")
            yield say(column, _QID, BY_SHAPE if is_company else QUESTION, sentence)
        if is_company and _is_pair_of_codes(column):
            yield say(column, _QID, QUESTION, "its only values are 1 and 2, which often stand for a sex")
    yield from _of_degrees(columns)
    yield from _of_keys(columns)
    yield from of_scales(columns, is_company=is_company)
    if is_company:
        yield from of_amounts(columns, aged)


def _of_keys(columns: Sequence[ColumnFacts]) -> Iterator[RoleProposal]:
    """Yield keys for each of whose values others stay the same; of persons where these speak of them."""
    personal = {column.name for column in columns if _speaks_of_persons(column) or are_birth_years(column)}
    for column in columns:
        number = len(column.keeps)
        if number < FEWEST_KEPT:
            continue
        repeats = (column.records - column.missing) / column.distinct
        sentence = (
            f"each of its values stands in {repeats:.1f} records in the mean, and {number} other columns stay"
            " the same in them, as under a key of persons"
        )
        yield say(column, Role.ENTITY, IN_COMPANY if personal & set(column.keeps) else QUESTION, sentence)


def _speaks_of_persons(column: ColumnFacts) -> bool:
    """Whether most values are words that only persons have."""
    return column.distinct > 1 and any(
        look.test in _PERSONAL and look.share >= 0.5 and look.share_of_records >= MOST  # noqa: PLR2004 - half
        for look in column.looks
    )


def _of_codes(column: ColumnFacts) -> Iterator[RoleProposal]:
    for test, fewest in _CODES.items():
        look = column.look(test)
        if look is None or column.distinct < fewest or look.share < MOST:
            continue
        if column.value_type is ValueType.INTEGER and column.distinct * 2 > column.records:
            continue  # numbers that hardly repeat classify nobody
        orders = orders_against_chance(look)
        if orders >= DOUBTED_ORDERS:
            yield say_share(column, _QID, BY_SHAPE if orders >= SURE_ORDERS else QUESTION, look)


def _of_postcodes(column: ColumnFacts) -> Iterator[RoleProposal]:
    """Yield a proposal for the country whose prefixes fit against all chance; else a question, or nothing.

    A proposal also asks for some leading zeros, which a number loses and an amount never has.
    """
    found: list[tuple[float, Look]] = []
    for test in POSTCODES:
        look = column.look(test.name)
        if look is not None and look.share >= MOST:
            found.append((orders_against_chance(look), look))
    orders, look = max(found, key=lambda one: one[0], default=(0.0, None))
    if look is None or orders < DOUBTED_ORDERS:
        return
    has_zeros = column.look("leading_zero") is not None
    yield say_share(column, _QID, BY_SHAPE if has_zeros and orders >= SURE_ORDERS else QUESTION, look)


def _of_degrees(columns: Sequence[ColumnFacts]) -> Iterator[RoleProposal]:
    """Yield two columns beside each other that hold latitudes and longitudes."""
    for one, other in pairwise(columns):
        for first, second in ((one, other), (other, one)):
            if not (_has(first, "latitude") and _has(second, "longitude")) or _has(second, "latitude"):
                continue
            both = _has(first, "degrees") and _has(second, "degrees")
            for column in (first, second):
                sentence = "its numbers and those beside it are latitudes and longitudes"
                yield say(column, _QID, BY_SHAPE if both else QUESTION, sentence)


def _has(column: ColumnFacts, test: str) -> bool:
    look = column.look(test)
    least = 0.8 if test == "degrees" else MOST  # zeros at the end are not written
    return look is not None and look.share >= least


def _is_pair_of_codes(column: ColumnFacts) -> bool:
    is_pair = column.value_type is ValueType.INTEGER and column.distinct == 2  # noqa: PLR2004 - a pair
    look = column.look("one_or_two")
    return is_pair and look is not None and look.share == 1
