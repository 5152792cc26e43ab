"""Tests of content that tell kinds of values apart: years, leading zeros, small and round numbers."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from qidguard.sdk import ContentTest, ValueType

_NUMBERS = (ValueType.INTEGER, ValueType.NUMBER)
_TEXT_OR_NUMBERS = (ValueType.TEXT, *_NUMBERS)
_YEAR = "(?:1[89]|20)[0-9]{2}"

FORMS = (
    ContentTest(name="kind_year", title="years", pattern=_YEAR, value_types=_TEXT_OR_NUMBERS, chance=0.033),
    ContentTest(
        name="kind_quarter",
        title="quarters, weeks or school years",
        pattern=rf"(?:{_YEAR}[-_ /.]?)?[QTKW][0-9]{{1,2}}|[QTKW][0-9]{{1,2}}[-_ /.]?{_YEAR}"
        rf"|{_YEAR} ?[-/–] ?(?:{_YEAR}|[0-9]{{2}})|{_YEAR}M[01]?[0-9]",
    ),
    ContentTest(
        name="kind_clock",
        title="times of a day",
        pattern=r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?: ?[ap]m)?",
    ),
    ContentTest(
        name="kind_bound",
        title="bands and bounds of numbers",
        pattern=r"[<>≤≥]=? ?[0-9][0-9.,]*.{0,8}"
        r"|[\[(]?[0-9]{1,7} ?(?:-|–|to|bis) ?[0-9]{1,7}[\])]?|norm(?:al)?",
    ),
    ContentTest(
        name="kind_or_more",
        title="numbers of which the last stands for more",
        pattern=r"[0-9]{1,4} ?(?:\+|(?:or |und |et |o |ou |en |e )?(?:more|mehr|plus|más|mais|meer|più))?"
        "|more|mehr",
    ),
    ContentTest(
        name="kind_leading_zero",
        title="numbers that begin with a zero",
        pattern="0[0-9]+",
        value_types=(ValueType.TEXT, ValueType.INTEGER),
        chance=0.1,
    ),
    ContentTest(
        name="kind_year_and_month",
        title="months of years",
        pattern=rf"{_YEAR}(?:0[1-9]|1[0-2])",
        value_types=_TEXT_OR_NUMBERS,
        chance=0.004,
    ),
    ContentTest(
        name="kind_no_answer",
        title="numbers that questionnaires keep for no answer",
        pattern="9{2,4}|9{1,3}[78]|7{2,4}|8{2,4}",
        value_types=_NUMBERS,
        chance=0.05,
    ),
    ContentTest(name="kind_zero", title="zero", pattern="0", value_types=_NUMBERS, chance=0.1),
    ContentTest(name="kind_one", title="one", pattern="1", value_types=_NUMBERS, chance=0.1),
    ContentTest(
        name="kind_to_four", title="whole numbers up to 4", pattern="[0-4]", value_types=_NUMBERS, chance=0.5
    ),
    ContentTest(
        name="kind_round",
        title="round numbers",
        pattern="-?[0-9]*(?:00|50)",
        value_types=_NUMBERS,
        chance=0.02,
    ),
    ContentTest(
        name="kind_negative",
        title="numbers below zero",
        pattern=r"-[0-9].*",
        value_types=_NUMBERS,
        chance=0.1,
    ),
)


@cache
def lists_of(table: str) -> Mapping[str, frozenset[str]]:
    """Return the lists of words of one table of the data."""
    text = (files("qidguard_standard.recognizers.kinds") / "words.toml").read_text("utf-8")
    return {
        name: frozenset(word.casefold() for word in words)
        for name, words in tomllib.loads(text)[table].items()
    }


@cache
def vocabulary_tests() -> tuple[ContentTest, ...]:
    """Return a test for each vocabulary.

    Example:
        >>> next(t for t in vocabulary_tests() if t.name == "kind_levels").passes("Very High")
        True
    """
    ordered = (
        ContentTest(name=f"kind_{name}", title=f"words with an order ({name})", words=words)
        for name, words in lists_of("ordered").items()
    )
    periods = (
        ContentTest(name=f"kind_{name}", title="days of the week", words=words)
        for name, words in lists_of("period").items()
    )
    return (*ordered, *periods)
