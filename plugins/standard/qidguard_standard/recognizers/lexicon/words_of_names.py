"""What each name of a table says by its words, without the marks that many names of it share."""

import re
from collections import Counter
from collections.abc import Sequence

from qidguard.sdk import ColumnFacts
from qidguard_standard.recognizers.lexicon.context import FoundMeaning
from qidguard_standard.recognizers.lexicon.reading import Match, read_label, read_name
from qidguard_standard.recognizers.lexicon.tokens import split_name
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary

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
            for token, number in Counter(ends(several) for several in tokens.values() if several).items()
            if number >= max(FEWEST_MARKED, SHARE_MARKED * len(columns))
            and token not in vocabulary.spoken
            and len(token) <= LONGEST_SHARED
        }
        for ends in (_first, _last)
    ]

    def bare(column: ColumnFacts) -> str:
        several = tokens[column.name]
        start = len(several) > 1 and several[0] in marks[0]
        end = len(several) - (len(several) > 1 + start and several[-1] in marks[1])
        return column.name if end - start == len(several) else "_".join(several[start:end])

    return {column.name: _by_words(column, bare(column), vocabulary) for column in columns}


def _first(tokens: tuple[str, ...]) -> str:
    return tokens[0]


def _last(tokens: tuple[str, ...]) -> str:
    return tokens[-1]


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
