"""All names of a table read together: families of short names, its topic, and what facts speak against."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from qidguard.sdk import ColumnFacts, ColumnKind, Role, ValueType
from qidguard_standard.recognizers.lexicon.concepts import Concept, Family
from qidguard_standard.recognizers.lexicon.context import (
    BY_TOPIC,
    FEWEST_ON_TOPIC,
    ON_TOPIC,
    Context,
    Found,
    in_context,
    most,
    topics_of,
)
from qidguard_standard.recognizers.lexicon.reading import ASKED, COMPANY, Match, read_label, read_name
from qidguard_standard.recognizers.lexicon.tokens import joined, split_name
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary

FEW_RECORDS = 20
"""With fewer records, the number of distinct values says nothing."""
DOUBTED = 0.2
"""What is taken off where few distinct values speak against a direct identifier."""
IN_FAMILY = 0.9
"""Confidence of a short name that stands among others of its family."""
SHORTEST_LONELY = 4
"""A short name without others of its family is a question if it has so many letters."""
LONGEST_SHORT = 5
"""So short a name is read by a family that stands, even where it is also a word."""
STRONG_ON_TOPIC, STRONG_SHARE = 3, 0.25
"""Columns, or share of the columns, from which on what nobody knows is asked about."""
MOST_CODES = 50
"""A text with more distinct values is no coded measurement."""
_IMPERSONAL = {
    "residence",
    "postcode",
    "geo_point",
    "geo_area",
    "url_ip",
    "period",
    "free_text",
    "account_no",
}
UNIQUE_NUMBER = "other_unique_id"
"""The concept of numbers that name a person within one file."""
_IDS = {"id", "identifier", "uid", "uuid", "guid", "key", "registro", "matricule", "kennung"}
_NUMBERS = {ValueType.INTEGER, ValueType.TEXT}
_NO_MEASUREMENT = {ValueType.DATE, ValueType.TIMESTAMP}


def meanings(columns: Sequence[ColumnFacts], vocabulary: Vocabulary) -> list[Found]:
    """Return what each known column means, in the order of the columns."""
    words = {column.name: _by_words(column, vocabulary) for column in columns}
    is_about_persons = any(_is_personal(found) for found in words.values()) or any(
        _speaks_of_persons(column.name, vocabulary) for column in columns
    )
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
            found = in_context(_as_flag(found, column, vocabulary), context)
        if found is None and is_about_persons:
            found = _numbered(column, vocabulary)
        if found is None:
            found = _asked_by_topic(column, topics, len(columns), vocabulary)
        if found is not None:
            found = _against_facts(found, column)
        if found is not None:
            found_all.append(found)
    return found_all


def _as_flag(found: Found, column: ColumnFacts, vocabulary: Vocabulary) -> Found:
    """Return what an ambiguous word means in a column of two values."""
    concept = vocabulary.concepts.get(found.concept.flag)
    is_flag = 1 <= column.distinct <= 2 and column.records - column.missing >= FEW_RECORDS  # noqa: PLR2004 - a yes and a no
    if concept is None or found.is_sure or not is_flag:
        return found
    why = f"{found.why}, with two values ({concept.title})"
    return replace(found, concept=concept, kind=ColumnKind.NOMINAL, why=why)


def _by_words(column: ColumnFacts, vocabulary: Vocabulary) -> Found | None:
    """Return what the name says, or the label of a codebook where that says it more exactly."""
    match = read_name(column.name, vocabulary)
    by_name = None if match is None else _found(column, match, f"its name has {match.seen!r}")
    match = read_label(column.label, vocabulary) if column.label else None
    if match is None or (by_name is not None and by_name.confidence >= match.confidence):
        return by_name
    return _found(column, match, f"its label has {match.seen!r}")


def _found(column: ColumnFacts, match: Match, why: str) -> Found:
    concept = match.word.concept
    return Found(
        column=column.name,
        concept=concept,
        kind=match.kind,
        confidence=match.confidence,
        why=f"{why} ({concept.title})",
        is_sure=match.is_sure,
        is_weak=match.word.is_weak,
    )


def _is_personal(found: Found | None) -> bool:
    """Whether a column shows that the table is about persons."""
    if found is None or not found.is_sure or found.confidence < COMPANY:
        return False
    return found.concept.name not in _IMPERSONAL


def _speaks_of_persons(name: str, vocabulary: Vocabulary) -> bool:
    """Whether a name of several words has one for a person whom somebody serves, teaches or asks."""
    tokens = set(vocabulary.tokens(name))
    return len(tokens) > 1 and not tokens.isdisjoint(vocabulary.clientele)


def _standing(
    columns: Sequence[ColumnFacts], vocabulary: Vocabulary, *, is_about_persons: bool
) -> list[tuple[Family, bool]]:
    """Return each family that the table has names of, most names first, and whether it has enough."""
    names = {joined(column.name) for column in columns}
    counted = [
        (family, sum(_of_code(name, family) is not None for name in names))
        for family in vocabulary.families
        if is_about_persons or not family.needs_persons
    ]
    counted.sort(key=lambda pair: -pair[1])
    return [(family, number >= family.least) for family, number in counted if number]


def _of_code(name: str, family: Family) -> Concept | None:
    """Return what a short name means in a family; figures at its end may number a series."""
    return family.codes.get(name) or family.codes.get(name.rstrip("0123456789"))


def _by_family(
    column: ColumnFacts, words: Found | None, families: Iterable[tuple[Family, bool]]
) -> Found | None:
    """Return what a family says of a name, unless its words say more exactly what it is."""
    name = joined(column.name)
    is_exact = words is not None and words.is_sure and words.confidence >= COMPANY
    if is_exact and len(name) > LONGEST_SHORT:
        return words
    for family, is_standing in families:
        concept = _of_code(name, family)
        if concept is None or not (is_standing or (words is None and len(name) >= SHORTEST_LONELY)):
            continue
        if not is_standing and (is_exact or family.needs_persons):
            continue
        return Found(
            column=column.name,
            concept=concept,
            kind=concept.kind,
            confidence=IN_FAMILY if is_standing else ASKED,
            why=f"{column.name} is a name of {family.title} ({concept.title})",
        )
    return words


def _by_endings(first: Mapping[str, Found | None], vocabulary: Vocabulary) -> dict[str, Found | None]:
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
        column: Found(
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


def _numbered(column: ColumnFacts, vocabulary: Vocabulary) -> Found | None:
    """Return a number of persons: its name ends in (or begins with) an id, and no value of it repeats."""
    tokens = vocabulary.tokens(column.name)
    concept = vocabulary.concepts.get(UNIQUE_NUMBER)
    is_unique = FEW_RECORDS <= column.distinct == column.records - column.missing
    if concept is None or not is_unique or column.value_type not in _NUMBERS or len(tokens) < 2:  # noqa: PLR2004 - an id of something
        return None
    ends = {tokens[0], tokens[-1]} & _IDS
    if not ends or set(tokens) & (vocabulary.things | vocabulary.institutions):
        return None
    return Found(
        column=column.name,
        concept=concept,
        kind=concept.kind,
        confidence=ON_TOPIC,
        why=f"its name has {min(ends)!r}, and no value repeats ({concept.title})",
    )


def _asked_by_topic(
    column: ColumnFacts, topics: Counter[str], columns: int, vocabulary: Vocabulary
) -> Found | None:
    """Return a question about a column that nobody knows, in a table with a strong sensitive topic."""
    total = max(topics.values(), default=0)
    concept = vocabulary.concepts.get(BY_TOPIC)
    is_strong = total >= STRONG_ON_TOPIC or (total >= FEWEST_ON_TOPIC and total >= STRONG_SHARE * columns)
    if concept is None or not is_strong or not _may_be_measured(column):
        return None
    tokens = set(vocabulary.tokens(column.name))
    if not tokens or tokens & (
        vocabulary.identifier_changes - {"score", "rate", "total", "average", "count"}
    ):
        return None
    return Found(
        column=column.name,
        concept=concept,
        kind=_kind_of_values(column),
        confidence=ASKED,
        why=f"its name is unknown, and the table speaks of {most(topics)} ({concept.title})",
    )


def _may_be_measured(column: ColumnFacts) -> bool:
    if column.value_type in _NO_MEASUREMENT:
        return False
    return column.value_type is not ValueType.TEXT or column.distinct <= MOST_CODES


def _kind_of_values(column: ColumnFacts) -> ColumnKind:
    numeric = {ValueType.INTEGER, ValueType.NUMBER}
    return (
        ColumnKind.AMOUNT
        if column.value_type in numeric and column.distinct > MOST_CODES
        else ColumnKind.NOMINAL
    )


def _against_facts(found: Found, column: ColumnFacts) -> Found | None:
    """Return what the facts leave of a meaning; None where they rule it out."""
    present = column.records - column.missing
    if present < FEW_RECORDS:
        return found
    if Role.DIRECT_IDENTIFIER in found.concept.roles:
        if column.distinct <= 2:  # noqa: PLR2004 - two values are a yes and a no
            # such as a flag "telephone: yes/no"; a person decides, since no proposal never means safe
            return None
        few = f"only {column.distinct:,} distinct values"
        if column.distinct < found.concept.least_share * present:
            return _doubted(found, few) if found.is_sure else None
        if column.distinct * 10 < present:
            confidence = max(found.confidence - DOUBTED, min(found.confidence, ASKED))
            return replace(found, why=f"{found.why}; yet it has {few}", confidence=confidence)
    misfit = _misfit(found, column)
    return _doubted(found, misfit) if misfit else found


def _misfit(found: Found, column: ColumnFacts) -> str:
    """Return what about the values does not fit, as one phrase; nothing where all does."""
    concept = found.concept
    if concept.types and column.value_type not in {*concept.types, ValueType.EMPTY}:
        return f"values of type {column.value_type.value}"
    # ages in years and months have more values than there are years
    is_exact = concept.kind is ColumnKind.COUNT and column.value_type is ValueType.NUMBER
    if concept.most_values and column.distinct > concept.most_values and not is_exact:
        return f"{column.distinct:,} distinct values"
    if not found.is_sure and column.distinct < concept.fewest_values:
        return f"only {column.distinct:,} distinct values, which may be a status"
    return ""


def _doubted(found: Found, what: str) -> Found:
    return replace(found, confidence=min(found.confidence, ASKED), why=f"{found.why}; yet it has {what}")
