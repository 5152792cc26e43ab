"""One name read: the word in it that decides, and how exactly it does."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qidguard.sdk import ColumnKind, Role
from qidguard_standard.recognizers.lexicon.concepts import HEAD_FIRST, Word
from qidguard_standard.recognizers.lexicon.tokens import is_within, split_name
from qidguard_standard.recognizers.lexicon.vocabulary import Vocabulary

WHOLE = 0.95
"""Confidence of a name that is a word of one meaning, and of nothing else."""
COMPANY = 0.9
"""Confidence of such a word beside a person, a number or a unit."""
DESCRIBED = 0.75
"""Confidence of such a word that something unknown describes."""
COMPOUND = 0.7
"""Confidence of a word at the end of a German or Dutch compound."""
AMBIGUOUS, AMBIGUOUS_OF_A_PERSON = 0.7, 0.8
"""Confidence of a word of several meanings: alone, and beside a person."""
LABELED = 0.75
"""The most that a word in a label says: a phrase may speak of more than its words."""
ASKED = 0.35
"""Confidence of what is a question to a person, below that from which the host takes a role as proposed."""
LONGEST_MARK, SHORTEST_BESIDE_MARK = 2, 3
"""Letters at an end of a name that say nothing of their own, at most, beside a word of so many, at least."""
SHORTEST_JOINED = 5
"""A name with separators in odd places (``e_mail``) is also read without them, from this length on."""
SHORTEST_COMPOUND = 6
"""A word that is shorter is not looked for at the end of a compound."""
SHORTEST_STEM, TRUNCATED = 5, 0.55
"""Letters of a truncated word, at least, and the confidence of one: ``geschl`` begins one word only."""
NOTHING: frozenset[str] = frozenset()
_LABEL_NUMBER = re.compile(
    r"^\W*(?:[a-z]{0,4}[-._ ]?\d+[a-z]?(?:[-._]\d*[a-z]?)*)[\s.):\]-]+(?=\S)", re.IGNORECASE
)
"""The number of a question before its words: ``Q102.``, ``A4a)``, ``[12.3]``."""
_LABEL_ENDS = re.compile(r"[,:;(\[?]| - ")
_LABEL_NOUNS = re.compile(
    r"\s(?:of|in|for|at|by|who|when|with|to|from|did|du|de|der|des|van|di)\s", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Match:
    """A word found in a name.

    Args:
        word: The word.
        seen: What of the name it is, evened out.
        confidence: How exactly it fits, 0..1.
        kind: What the values are, by the concept and by what else the name says.
        is_head: Whether it is the noun that decides.
        is_sure: Whether the word has one meaning.
    """

    word: Word
    seen: str
    confidence: float
    kind: ColumnKind
    is_head: bool
    is_sure: bool


def read_name(name: str, vocabulary: Vocabulary) -> Match | None:
    """Return the word of a name that decides: the longest, then the head noun, then the surest.

    Example:
        >>> from qidguard_standard.recognizers.lexicon.vocabulary import standard_words
        >>> words = Vocabulary.of([standard_words()])
        >>> read_name("mothers_maiden_name", words).word.concept.name, read_name("product_name", words)
        ('name', None)
    """
    found = _in_words(name, vocabulary) or _glued(name, vocabulary)
    return _best(found or list(_truncated(vocabulary.tokens(name), vocabulary)))


def _in_words(name: str, vocabulary: Vocabulary, fillers: frozenset[str] = NOTHING) -> list[Match]:
    """Return the words that a name has, by its separators and at the end of its compounds.

    ``fillers`` are tokens that change nothing, beside those that never do.
    """
    tokens = vocabulary.tokens(name)
    found = [*_matches(tokens, vocabulary, fillers), *_without_separators(split_name(name), vocabulary)]
    return found or list(_compounds(tokens, vocabulary))


def _best(found: list[Match]) -> Match | None:
    return max(
        found,
        key=lambda match: (match.confidence > ASKED, len(match.word.tokens), match.is_head, match.confidence),
        default=None,
    )


def read_label(label: str, vocabulary: Vocabulary) -> Match | None:
    """Return the word of a codebook's label that decides; a label is a phrase, whose noun stands first.

    Example:
        >>> from qidguard_standard.recognizers.lexicon.vocabulary import standard_words
        >>> words = Vocabulary.of([standard_words()])
        >>> read_label("Age of the respondent, in years", words).word.concept.name
        'age'
    """
    number = _LABEL_NUMBER.match(label)
    label = label[number.end() :] if number else label
    phrase = _LABEL_ENDS.split(label, maxsplit=1)[0]
    found = [
        _best(_in_words(part, vocabulary, vocabulary.questions))
        for part in (phrase, _LABEL_NOUNS.split(phrase, maxsplit=1)[0], label)
    ]
    known = [match for match in found if match is not None and not match.word.concept.is_weak]
    if not known:
        return None
    best = max(known, key=lambda match: (match.confidence > ASKED, len(match.word.tokens)))
    return replace(best, confidence=min(best.confidence, LABELED))


def _matches(
    tokens: tuple[str, ...], vocabulary: Vocabulary, fillers: frozenset[str] = NOTHING
) -> Iterator[Match]:
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + vocabulary.longest, len(tokens)) + 1):
            for word in vocabulary.index.get(tokens[start:end], ()):
                match = _judged(word, tokens, start, end, vocabulary, fillers)
                if match is not None:
                    yield match


def _without_separators(tokens: tuple[str, ...], vocabulary: Vocabulary) -> Iterator[Match]:
    """Yield what the whole name is when its separators stand in odd places: ``Geburts_Datum``."""
    text = "".join(tokens)
    if len(tokens) > 1 and len(text) >= SHORTEST_JOINED:
        yield from _matches((text,), vocabulary)


def _judged(
    word: Word,
    tokens: tuple[str, ...],
    start: int,
    end: int,
    vocabulary: Vocabulary,
    fillers: frozenset[str] = NOTHING,
) -> Match | None:
    concept = word.concept
    before = tuple(token for token in tokens[:start] if not token.isdigit() and token not in fillers)
    after = tuple(token for token in tokens[end:] if not token.isdigit() and token not in fillers)
    others = (*before, *after)
    if any(is_within(tokens, other) for other in concept.unless):
        return None
    is_identifier = Role.DIRECT_IDENTIFIER in concept.roles
    changing = vocabulary.identifier_changes if is_identifier else vocabulary.changes
    if any(token in changing for token in others) or _is_of_a_thing(word, before, after, vocabulary):
        return None
    if "count" in others and concept.kind in _UNCOUNTED:
        return None
    neutral = vocabulary.neutral if word.is_alone else vocabulary.nearly_neutral
    is_of_a_person = any(token in vocabulary.persons for token in others)
    known = neutral | vocabulary.persons
    unknown_before = [token for token in before if token not in known]
    unknown_after = [token for token in after if token not in known]
    if not word.is_alone and sum(map(len, word.tokens)) >= SHORTEST_BESIDE_MARK:
        unknown_before = _without_mark(unknown_before, before[:1])
        unknown_after = _without_mark(unknown_after, after[-1:])
    heads_first = word.language in HEAD_FIRST
    is_head = not (unknown_before if heads_first else unknown_after)
    if word.is_alone:
        is_asked = heads_first and is_of_a_person and not unknown_before and concept.kind is ColumnKind.TEXT
        if (unknown_before or unknown_after) and not is_asked:
            return None
        confidence = AMBIGUOUS_OF_A_PERSON if is_of_a_person else AMBIGUOUS
        # a name of somebody, with more about it: NM_URNA_CANDIDATO
        confidence = ASKED if unknown_after else confidence
    elif not others:
        confidence = WHOLE
    elif not unknown_before and not unknown_after:
        confidence = COMPANY
    elif is_head or concept.is_anywhere:
        confidence = DESCRIBED
    else:
        confidence = ASKED
    confidence = min(confidence, concept.confidence, ASKED if word.is_weak else 1.0)
    return Match(
        word=word,
        seen=" ".join(tokens[start:end]),
        confidence=confidence,
        kind=_kind(word, tokens),
        is_head=is_head,
        is_sure=not word.is_alone,
    )


def _without_mark(unknown: list[str], end: tuple[str, ...]) -> list[str]:
    """Return unknown tokens without one or two letters at the end of a name, which mark a wave or a file."""
    is_mark = len(end) == 1 and len(end[0]) <= LONGEST_MARK
    return [token for token in unknown if not (is_mark and token == end[0])]


def _is_of_a_thing(
    word: Word, before: tuple[str, ...], after: tuple[str, ...], vocabulary: Vocabulary
) -> bool:
    """Whether the nearest description of the word is a thing: ``device_user_name`` is of a user."""
    heads_first = word.language in HEAD_FIRST
    described = after if heads_first else tuple(reversed(before))
    if not heads_first and after and after[0] in vocabulary.of_words:
        described = (*after, *described)
    elif heads_first and not after:
        described = tuple(reversed(before))
    is_identifier = Role.DIRECT_IDENTIFIER in word.concept.roles
    things = vocabulary.things | vocabulary.institutions if is_identifier else vocabulary.things
    for token in (*word.tokens, *described):
        if token in vocabulary.persons:
            return False
        if token in word.tokens:
            continue
        if token in things:
            return True
    # what follows a noun of English is the noun: a zip of a file is no zip
    return (
        not heads_first
        and any(token in vocabulary.things for token in after)
        and not word.concept.is_anywhere
    )


_UNCOUNTED = {ColumnKind.PLACE, ColumnKind.DATE, ColumnKind.KEY, ColumnKind.TEXT}
"""A number of these says nothing of a person."""
_DATES = {"date", "datum", "fecha", "data", "datetime", "timestamp"}
_COUNTS = {"count", "anzahl", "aantal", "cantidad"}
_GROUPS = {
    "group",
    "band",
    "range",
    "bracket",
    "level",
    "decile",
    "quintile",
    "quartile",
    "category",
    "class",
}


def _kind(word: Word, tokens: tuple[str, ...]) -> ColumnKind:
    """Return the kind of the values: ``age_group`` is ordinal although an age is a count."""
    kind = word.concept.kind
    if kind in {ColumnKind.COUNT, ColumnKind.AMOUNT} and not _GROUPS.isdisjoint(tokens):
        return ColumnKind.ORDINAL
    if not _DATES.isdisjoint(tokens):
        return ColumnKind.DATE
    return ColumnKind.COUNT if not _COUNTS.isdisjoint(tokens) else kind


def _glued(name: str, vocabulary: Vocabulary) -> list[Match]:
    """Return the words of a name that is written without separators: ``faminc`` is the income of a family."""
    glue = vocabulary.glue.take_apart(split_name(name))
    if glue is None:
        return []
    return [
        replace(
            match,
            seen=" ".join(glue.tokens),
            confidence=min(match.confidence, AMBIGUOUS if glue.is_by_letter else DESCRIBED),
            is_sure=match.is_sure and not glue.is_by_letter,
        )
        for match in _matches(glue.tokens, vocabulary)
    ]


def _compounds(tokens: tuple[str, ...], vocabulary: Vocabulary) -> Iterator[Match]:
    """Yield German and Dutch words that stand at the end of a longer one: ``Hauptdiagnose``."""
    for at, token in enumerate(tokens):
        ends = (token[start:] for start in range(1, len(token) - SHORTEST_COMPOUND + 1))
        end = next((end for end in ends if end in vocabulary.compounds), "")
        if not end:
            continue
        parts = (*tokens[:at], token.removesuffix(end), end, *tokens[at + 1 :])
        match = _judged(vocabulary.compounds[end], parts, at + 1, at + 2, vocabulary)
        if match is not None and match.is_head:
            confidence = min(COMPOUND, match.confidence)
            yield replace(match, seen=token, confidence=confidence, is_sure=True)


def _truncated(tokens: tuple[str, ...], vocabulary: Vocabulary) -> Iterator[Match]:
    """Yield words of which a token is the beginning, where all that begin so mean one thing."""
    for at, token in enumerate(tokens):
        # what ends in a vowel is more often a word of its own: manage, managerial
        if len(token) < SHORTEST_STEM or token[-1] in "aeiouy" or not token.isalpha():
            continue
        if token in vocabulary.spoken:
            continue
        begun = vocabulary.begun(token)
        # one letter less is another word: manage, manager
        long = [word for word in begun if len(token) + 2 <= len(word.tokens[0]) <= 2 * len(token)]
        if not long or len({word.concept.name for word in begun}) > 1:
            continue
        match = _judged(long[0], (*tokens[:at], *long[0].tokens, *tokens[at + 1 :]), at, at + 1, vocabulary)
        if match is not None and match.is_head:
            yield replace(match, seen=token, confidence=min(TRUNCATED, match.confidence), is_sure=False)
