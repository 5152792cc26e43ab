"""All names of a table read together: families of short names, its topic, and what values speak against."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from qidguard.sdk import ColumnFacts, ColumnKind, ValueType
from qidguard_standard.recognizers.lexicon.concepts import Family
from qidguard_standard.recognizers.lexicon.context import (
    BY_TOPIC,
    FEWEST_ON_TOPIC,
    ON_PLAIN_TOPIC,
    ON_TOPIC,
    Context,
    FoundMeaning,
    in_context,
    is_personal,
    is_plain_topic,
    most,
    topics_of,
)
from qidguard_standard.recognizers.lexicon.reading import ASKED, COMPANY, Match, read_label, read_name
from qidguard_standard.recognizers.lexicon.tokens import joined, split_name
from qidguard_standard.recognizers.lexicon.values_against import (
    DATES,
    FEW_RECORDS,
    against_values,
    as_date,
    as_flag,
    as_weight,
)
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary

IN_FAMILY = 0.9
"""Confidence of a short name that stands among others of its family."""
SHORTEST_LONELY = 4
"""A short name without others of its family is a question if it has so many letters."""
FEWEST_QUESTIONS = 3
"""Questions among the names of a table from which it is a questionnaire, whose answers are of persons."""
LONGEST_SHORT = 5
"""So short a name is read by a family that stands, even where it is also a word."""
STRONG_ON_TOPIC, STRONG_SHARE = 3, 0.25
"""Columns, or share of the columns, from which on what nobody knows is asked about."""
MOST_FINDINGS, LONG_CODES = 12, 10_000
"""More words than this may be places, and so may numbers of one length from here on."""
MOST_CODES = 50
"""A text with more distinct values is no coded measurement."""
UNIQUE_NUMBER = "other_unique_id"
"""The concept of numbers that name a person within one file."""
_IDS = {"id", "identifier", "uid", "uuid", "guid", "key", "registro", "matricule", "kennung"}
_NUMBERS = {ValueType.INTEGER, ValueType.TEXT}


_BETWEEN_WORDS = re.compile(r"[\s.]+")
FEWEST_WORDS = 4
"""A name of so many words is a phrase, read as a label is: a questionnaire's own question."""
FEWEST_MARKED, SHARE_MARKED, LONGEST_SHARED = 4, 0.1, 5
"""Names, and share of them, that begin or end with one unknown token of at most so many letters: a mark."""


def by_words(columns: Sequence[ColumnFacts], vocabulary: Vocabulary) -> dict[str, FoundMeaning | None]:
    """Return what each column is by its words, without what many names of the table begin or end with."""
    tokens = {column.name: split_name(column.name) for column in columns}
    marks = [
        {
            token
            for token, number in Counter(several[end] for several in tokens.values() if several).items()
            if number >= max(FEWEST_MARKED, SHARE_MARKED * len(columns))
            and token not in vocabulary.spoken
            and len(token) <= LONGEST_SHARED
        }
        for end in (0, -1)
    ]

    def bare(column: ColumnFacts) -> str:
        several = tokens[column.name]
        start = len(several) > 1 and several[0] in marks[0]
        end = len(several) - (len(several) > 1 + start and several[-1] in marks[1])
        return column.name if end - start == len(several) else "_".join(several[start:end])

    return {column.name: _by_words(column, bare(column), vocabulary) for column in columns}


def _by_words(column: ColumnFacts, name: str, vocabulary: Vocabulary) -> FoundMeaning | None:
    """Return what the name says, or the label of a codebook where that says it more exactly."""
    match = read_name(name, vocabulary)
    by_name = None if match is None else _found(column, match, f"its name has {match.seen!r}")
    is_phrase = len(_BETWEEN_WORDS.split(column.name)) >= FEWEST_WORDS
    for what, label in (("label", column.label), ("name", column.name if is_phrase else "")):
        match = read_label(label, vocabulary) if label else None
        if match is not None and (by_name is None or by_name.confidence < match.confidence):
            by_name = _found(column, match, f"its {what} has {match.seen!r}")
    return by_name


def _found(column: ColumnFacts, match: Match, why: str) -> FoundMeaning:
    concept = match.word.concept
    return FoundMeaning(
        column=column.name,
        concept=concept,
        kind=match.kind,
        confidence=match.confidence,
        why=f"{why} ({concept.title})",
        is_sure=match.is_sure,
        is_weak=match.word.is_weak,
    )


def are_about_persons(columns: Sequence[ColumnFacts], vocabulary: Vocabulary) -> bool:
    """Return whether a name or a label shows that a table is about persons."""
    return _show_persons(columns, by_words(columns, vocabulary), vocabulary)


def _show_persons(
    columns: Sequence[ColumnFacts], words: Mapping[str, FoundMeaning | None], vocabulary: Vocabulary
) -> bool:
    if any(is_personal(found) for found in words.values()):
        return True
    questions = sum(_is_question(column.label or column.name, vocabulary) for column in columns)
    return questions >= FEWEST_QUESTIONS or any(
        _speaks_of_persons(column.name, vocabulary) for column in columns
    )


def meanings(columns: Sequence[ColumnFacts], vocabulary: Vocabulary) -> list[FoundMeaning]:
    """Return what each known column means, in the order of the columns."""
    words = by_words(columns, vocabulary)
    is_about_persons = _show_persons(columns, words, vocabulary)
    families = _standing(columns, vocabulary, is_about_persons=is_about_persons)
    first = {column.name: _by_family(column, words[column.name], families) for column in columns}
    first = _by_endings(first, vocabulary)
    topics = topics_of([found for found in first.values() if found is not None], len(columns))
    context = Context.of(
        [found for found in first.values() if found is not None],
        topics,
        len(columns),
        is_about_persons=is_about_persons,
    )
    found_all = []
    for column in columns:
        found = first[column.name]
        if found is not None:
            for meant in (as_flag, as_date, as_weight):
                found = meant(found, column, vocabulary)
            found = in_context(found, context)
        if found is None and is_about_persons:
            found = _numbered(column, vocabulary)
        name = joined(column.name)
        if found is None and not any(family.says_nothing(name) for family, stands in families if stands):
            found = _asked_by_topic(column, topics, len(columns), vocabulary)
        if found is not None:
            found = against_values(found, column)
        if found is not None:
            found_all.append(found)
    return found_all


def _speaks_of_persons(name: str, vocabulary: Vocabulary) -> bool:
    """Whether a name of several words has one for a person whom somebody serves, teaches or asks."""
    tokens = set(vocabulary.tokens(name))
    return len(tokens) > 1 and not tokens.isdisjoint(vocabulary.clientele)


def _is_question(phrase: str, vocabulary: Vocabulary) -> bool:
    """Whether a name or a label is a sentence by which somebody is asked something."""
    tokens = split_name(phrase)
    is_asked = "?" in phrase or not vocabulary.addressed.isdisjoint(tokens)
    return is_asked and len(tokens) >= FEWEST_WORDS


def _standing(
    columns: Sequence[ColumnFacts], vocabulary: Vocabulary, *, is_about_persons: bool
) -> list[tuple[Family, bool]]:
    """Return each family that the table has names of, most names first, and whether it has enough."""
    names = {joined(column.name) for column in columns}
    counted = [
        (family, sum(family.code(name) is not None for name in names))
        for family in vocabulary.families
        if is_about_persons or not family.needs_persons
    ]
    counted.sort(key=lambda pair: -pair[1])
    return [(family, number >= family.least) for family, number in counted if number]


def _by_family(
    column: ColumnFacts, words: FoundMeaning | None, families: Iterable[tuple[Family, bool]]
) -> FoundMeaning | None:
    """Return what a family says of a name, unless its words say more exactly what it is."""
    name = joined(column.name)
    is_exact = words is not None and words.is_sure and words.confidence >= COMPANY
    if is_exact and len(name) > LONGEST_SHORT:
        return words
    for family, is_standing in families:
        is_of_series = is_standing and not family.says_nothing(name)
        concept = family.code(name) or (family.in_series(name) if is_of_series else None)
        if concept is None or not (is_standing or (words is None and len(name) >= SHORTEST_LONELY)):
            continue
        if not is_standing and (is_exact or family.needs_persons):
            continue
        return FoundMeaning(
            column=column.name,
            concept=concept,
            kind=concept.kind,
            confidence=IN_FAMILY if is_standing else ASKED,
            why=f"{column.name} is a name of {family.title} ({concept.title})",
        )
    return words


def _by_endings(
    first: Mapping[str, FoundMeaning | None], vocabulary: Vocabulary
) -> dict[str, FoundMeaning | None]:
    """Return the meanings with names that end as few words do: a question, unless there are several."""
    ending = {
        column: (end, concept)
        for column, found in first.items()
        if found is None
        for end, concept in vocabulary.endings
        if any(len(token) > len(end) + 1 and token.endswith(end) for token in split_name(column))
    }
    confidence = ON_TOPIC if len(ending) >= FEWEST_ON_TOPIC else ASKED
    return {
        column: FoundMeaning(
            column=column,
            concept=ending[column][1],
            kind=ending[column][1].kind,
            confidence=confidence,
            why=f"its name ends in {ending[column][0]!r} ({ending[column][1].title})",
        )
        if column in ending
        else found
        for column, found in first.items()
    }


def _numbered(column: ColumnFacts, vocabulary: Vocabulary) -> FoundMeaning | None:
    """Return a number of persons: its name ends in (or begins with) an id, and no value of it repeats."""
    tokens = vocabulary.tokens(column.name)
    concept = vocabulary.concepts.get(UNIQUE_NUMBER)
    is_unique = FEW_RECORDS <= column.distinct == column.records - column.missing
    if concept is None or not is_unique or column.value_type not in _NUMBERS or len(tokens) < 2:  # noqa: PLR2004 - an id of something
        return None
    ends = {tokens[0], tokens[-1]} & _IDS
    if not ends or set(tokens) & (vocabulary.things | vocabulary.institutions):
        return None
    return FoundMeaning(
        column=column.name,
        concept=concept,
        kind=concept.kind,
        confidence=ON_TOPIC,
        why=f"its name has {min(ends)!r}, and no value repeats ({concept.title})",
    )


def _asked_by_topic(
    column: ColumnFacts, topics: Counter[str], columns: int, vocabulary: Vocabulary
) -> FoundMeaning | None:
    """Return a question about a column that nobody knows, in a table with a strong sensitive topic."""
    total = max(topics.values(), default=0)
    concept = vocabulary.concepts.get(BY_TOPIC)
    is_much = total >= STRONG_SHARE * columns
    is_strong = total >= STRONG_ON_TOPIC or (total >= FEWEST_ON_TOPIC and is_much)
    if concept is None or not is_strong or not _may_be_measured(column):
        return None
    is_sure = is_plain_topic(topics, columns) and not _may_be_place(column)
    tokens = set(vocabulary.tokens(column.name))
    if not tokens or tokens & (
        vocabulary.identifier_changes - {"score", "rate", "total", "average", "count"}
    ):
        return None
    return FoundMeaning(
        column=column.name,
        concept=concept,
        kind=_kind_of_values(column),
        confidence=ON_PLAIN_TOPIC if is_sure else ASKED,
        why=f"its name is unknown, and the table speaks of {most(topics)}",
    )


def _may_be_measured(column: ColumnFacts) -> bool:
    if column.distinct <= 1 and column.records >= FEW_RECORDS:
        return False
    if column.value_type in DATES:
        return False
    return column.value_type is not ValueType.TEXT or column.distinct <= MOST_CODES


def _may_be_place(column: ColumnFacts) -> bool:
    """Whether what nobody knows may as well be a place: many words, or long codes of one length."""
    shape = column.shape
    if column.value_type is ValueType.TEXT:
        return column.distinct > MOST_FINDINGS
    return shape is not None and shape.is_same_length and shape.low is not None and shape.low >= LONG_CODES


def _kind_of_values(column: ColumnFacts) -> ColumnKind:
    numeric = {ValueType.INTEGER, ValueType.NUMBER}
    return (
        ColumnKind.AMOUNT
        if column.value_type in numeric and column.distinct > MOST_CODES
        else ColumnKind.NOMINAL
    )
