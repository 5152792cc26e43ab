"""Recognition by name: the words of a column's name against a lexicon."""

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from qidguard.sdk import ColumnFacts, DecidedBy, Role, RoleAssignment, RoleProposal

# letters that Unicode does not take apart into a base letter and an accent
_FOLDED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


def split_name(name: str) -> tuple[str, ...]:
    """Return the tokens of a column name: lower case, accents folded, camelCase and snake_case split."""
    letters = [c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)]
    words: list[str] = []
    for at, character in enumerate(letters):
        before = letters[at - 1] if at else " "
        after = letters[at + 1] if at + 1 < len(letters) else " "
        if not character.isalnum():
            continue
        if _is_start(before, character, after):
            words.append("")
        words[-1] += character
    return tuple(word.casefold().translate(_FOLDED) for word in words)


def _is_start(before: str, character: str, after: str) -> bool:
    """Whether a token starts here: after a separator, between letters and digits, at the hump of a camel."""
    if not before.isalnum() or before.isdigit() != character.isdigit():
        return True
    return character.isupper() and (before.islower() or (before.isupper() and after.islower()))


def is_within(tokens: tuple[str, ...], sequence: tuple[str, ...]) -> bool:
    """Return whether ``sequence`` stands in ``tokens``, as whole tokens next to each other.

    Example:
        >>> is_within(("date", "of", "birth"), ("of", "birth")), is_within(("report",), ("ort",))
        (True, False)
    """
    return any(tokens[at : at + len(sequence)] == sequence for at in range(len(tokens) - len(sequence) + 1))


SURE = 0.9
"""Confidence of a word that has one meaning."""
AMBIGUOUS = 0.7
"""Confidence of a word that means something else in other company."""
DOUBTED = 0.2
"""What is taken off where few distinct values speak against a direct identifier."""
FEW_RECORDS = 20
"""With fewer records, the number of distinct values says nothing."""
SHORTEST_JOINED = 5
"""A name with separators in odd places (``e_mail``) is also read without them, from this length on."""


@dataclass(frozen=True, kw_only=True)
class Synonym:
    """One word of the lexicon.

    Args:
        tokens: Its tokens, which must stand next to each other.
        category: What it means, such as ``birth_date``.
        role: The role of such a column.
        confidence: 0..1.
        is_ambiguous: Counts only where every other token of the name is a person, a place or neutral.
        unless: Token sequences beside which it means something else.
        note: What a person should know.
    """

    tokens: tuple[str, ...]
    category: str
    role: Role
    confidence: float
    is_ambiguous: bool
    unless: tuple[tuple[str, ...], ...]
    note: str


class Lexicon:
    """Proposes the role that a column's name says; whole tokens count, never parts of them."""

    name = "lexicon"
    title = "column names in English, German, French, Spanish, Portuguese, Dutch and Italian"

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column whose name is known; the longest synonym in it decides.

        Example:
            >>> from qidguard.sdk import ValueType
            >>> column = ColumnFacts(
            ...     name="patient_nbr", value_type=ValueType.INTEGER, records=8, distinct=6, missing=0
            ... )
            >>> Lexicon().propose([column])[0].assignment.reason
            "its name has 'patient nbr' (medical_record)"
        """
        matches = ((column, _best(split_name(column.name))) for column in columns)
        proposals = (_proposal(column, synonym) for column, synonym in matches if synonym is not None)
        return tuple(proposal for proposal in proposals if proposal is not None)


def _best(tokens: tuple[str, ...]) -> Synonym | None:
    """Return the synonym with the most tokens, then the surest, then the first in the file."""
    applicable = [synonym for synonym in _candidates(tokens) if _applies(synonym, tokens)]
    return max(applicable, key=lambda s: (len(s.tokens), s.confidence), default=None)


def _candidates(tokens: tuple[str, ...]) -> Iterator[Synonym]:
    synonyms, longest = _synonyms()
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + longest, len(tokens)) + 1):
            yield from synonyms.get(tokens[start:end], ())
    joined = "".join(tokens)
    if len(tokens) > 1 and len(joined) >= SHORTEST_JOINED:
        yield from synonyms.get((joined,), ())


def _applies(synonym: Synonym, tokens: tuple[str, ...]) -> bool:
    if any(is_within(tokens, other) for other in synonym.unless):
        return False
    if not synonym.is_ambiguous:
        return True
    own = {*synonym.tokens, "".join(synonym.tokens)}
    company = _company()
    return all(token in own or token in company or token.isdigit() for token in tokens)


def _proposal(column: ColumnFacts, synonym: Synonym) -> RoleProposal | None:
    reason = f"its name has {' '.join(synonym.tokens)!r} ({synonym.category})"
    confidence = synonym.confidence
    present = column.records - column.missing
    if synonym.role is Role.DIRECT_IDENTIFIER and present >= FEW_RECORDS:
        if column.distinct <= 2:  # noqa: PLR2004 - two values are a yes and a no
            # such as a flag "telephone: yes/no"; a person decides, since no proposal never means safe
            return None
        if column.distinct * 10 < present:
            reason += f"; yet it has only {column.distinct:,} distinct values"
            confidence -= DOUBTED
    if synonym.note:
        reason += f"; {synonym.note}"
    assignment = RoleAssignment(
        column=column.name, role=synonym.role, decided_by=DecidedBy.LEXICON, reason=reason
    )
    return RoleProposal(assignment=assignment, confidence=round(confidence, 2))


@cache
def _data() -> Mapping[str, Any]:
    text = (files("qidguard_standard.recognizers") / "lexicon.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _company() -> frozenset[str]:
    """Tokens beside which an ambiguous word keeps its meaning."""
    return frozenset(token for words in _data()["company"].values() for token in words)


@cache
def _synonyms() -> tuple[Mapping[tuple[str, ...], tuple[Synonym, ...]], int]:
    """Return tokens → synonyms, and the number of tokens of the longest one."""
    by_words: dict[tuple[str, ...], list[Synonym]] = {}
    for category in _data()["category"]:
        for synonym in _of_category(category):
            for key in dict.fromkeys((synonym.tokens, ("".join(synonym.tokens),))):
                by_words.setdefault(key, []).append(synonym)
    return {key: tuple(synonyms) for key, synonyms in by_words.items()}, max(map(len, by_words))


def _of_category(category: Mapping[str, Any]) -> Iterator[Synonym]:
    for words, is_ambiguous in (("sure", False), ("ambiguous", True)):
        for word in category.get(words, ()):
            yield Synonym(
                tokens=split_name(word),
                category=category["name"],
                role=Role(category["role"]),
                confidence=category.get("confidence", AMBIGUOUS if is_ambiguous else SURE),
                is_ambiguous=is_ambiguous,
                unless=tuple(split_name(other) for other in category.get("unless", ())),
                note=category.get("note", ""),
            )
