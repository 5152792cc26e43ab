"""Names without separators, as surveys and regressions have them: ``faminc``, ``hwage``, ``kidslt6``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from qidguard_standard.recognizers.lexicon.tokens import evened

SHORTEST_CORE = 4
"""A word of the lexicon that is shorter is no part of a name, unless the grammar lists it as one."""
SHORTEST_PERSON = 3
"""A token of a person that is shorter is no part of a name."""
MOST_PARTS = 4
"""A name is taken apart into no more parts."""
NUMBERED, SHORTEST_NUMBERED = "person_", 3
"""What a number of persons is short for, and the letters of the person before it: ``custid``, no ``maid``."""
SHORTEST_LAST = 2
"""A core of so few letters counts only as the last part, after a person: ``momed``."""
LONGEST_JOINED = 60
"""A longer token is no name without separators, and is not tried at each of its letters."""
SHORTEST_LOGARITHM = 5
"""Any word may follow the letter of a logarithm if the name is longer: ``lsalary``."""
LOGARITHM = "l"
"""The letter before the logarithm of an amount."""


@dataclass(frozen=True, kw_only=True)
class NameParts:
    """A name taken apart.

    Args:
        tokens: Its parts, evened out.
        is_by_letter: Whether one of them is a single letter, such as the h of ``hwage``, which may be chance.
    """

    tokens: tuple[str, ...]
    is_by_letter: bool


@dataclass(frozen=True, kw_only=True)
class Glue:
    """The parts of which names without separators are made, each evened out.

    A name counts as glued only if parts cover all of it, one of them is a core, and it is no word of its own.

    Args:
        cores: Part → what it is short for.
        affixes: Parts before and after a core → what they are short for.
        before: Single letter → the cores before which it counts.
        after: Single letter → the cores after which it counts.
        ordinary: Words that look glued and are not.
        persons: Tokens that say that a name is about a person.
    """

    cores: Mapping[str, str] = field(repr=False)
    affixes: Mapping[str, str] = field(repr=False)
    before: Mapping[str, frozenset[str]] = field(repr=False)
    after: Mapping[str, frozenset[str]] = field(repr=False)
    ordinary: frozenset[str] = field(repr=False)
    persons: frozenset[str] = field(repr=False, default=frozenset())

    @classmethod
    def of(
        cls,
        grammar: Mapping[str, Mapping[str, Sequence[str]]],
        words: frozenset[str],
        persons: frozenset[str],
        abbreviations: Mapping[str, str],
    ) -> "Glue":
        """Read the tables ``glued``, ``letters_before``, ``letters_after`` and ``ordinary`` of a grammar.

        Args:
            grammar: Its tables; a part ``inc=income`` is short for what follows the sign.
            words: Words of the lexicon that have one meaning.
            persons: Tokens that say that a name is about a person.
            abbreviations: Token → what it is short for.
        """
        table = grammar.get("glued", {})
        cores = {word: word for word in words if len(word) >= SHORTEST_CORE} | _pairs(table.get("cores", ()))
        affixes = {person: person for person in persons if len(person) >= SHORTEST_PERSON}
        affixes |= _pairs(table.get("affixes", ()))
        return cls(
            cores={part: _evened_all(full, abbreviations) for part, full in cores.items()},
            affixes={part: _evened_all(full, abbreviations) for part, full in affixes.items()},
            before=_letters(grammar.get("letters_before", {})),
            after=_letters(grammar.get("letters_after", {})),
            ordinary=frozenset(word for words in grammar.get("ordinary", {}).values() for word in words),
            persons=persons,
        )

    @cached_property
    def longest(self) -> int:
        """Number of letters of the longest part."""
        return max(map(len, (*self.cores, *self.affixes)), default=0)

    def take_apart(self, tokens: tuple[str, ...]) -> NameParts | None:
        """Return the parts of a name, or None where it has none beside the tokens themselves.

        Example:
            >>> glue = Glue(
            ...     cores={"inc": "income"},
            ...     affixes={"fam": "family"},
            ...     before={},
            ...     after={},
            ...     ordinary=frozenset(),
            ... )
            >>> glue.take_apart(("faminc",)).tokens, glue.take_apart(("since",))
            (('family', 'income'), None)
        """
        found: list[str] = []
        is_apart = is_by_letter = False
        for token in tokens:
            parts = self._of_token(token) or self._alone(token, tokens)
            if parts is None:
                found.append(token)
                continue
            is_apart = is_apart or parts.tokens != (token,)
            is_by_letter = is_by_letter or parts.is_by_letter
            found += parts.tokens
        return NameParts(tokens=tuple(found), is_by_letter=is_by_letter) if is_apart else None

    def _alone(self, token: str, tokens: tuple[str, ...]) -> NameParts | None:
        """Return what a clipped token is short for beside a person: ``mom_ed``, ``hh.inc``."""
        others = {self.affixes.get(other, "") for other in tokens if other != token and not other.isdigit()}
        if token in self.affixes:
            return NameParts(tokens=_split(self.affixes[token]), is_by_letter=False)
        if (
            token in self.cores
            and others
            and all(self.affixes.get(other) in self.persons for other in others)
        ):
            return NameParts(tokens=_split(self.cores[token]), is_by_letter=False)
        return None

    def _of_token(self, token: str) -> NameParts | None:
        is_ordinary = token in self.ordinary or token.removesuffix("s") in self.ordinary
        if is_ordinary or not token.isalpha() or len(token) > LONGEST_JOINED:
            return None
        whole = [parts for parts in self._covers(token, MOST_PARTS) if self._is_plausible(parts)]
        if whole:
            # the fewest and so the longest parts
            best = min(whole, key=len)
            full = [self.cores[part] if is_core else self.affixes[part] for part, is_core in best]
            return NameParts(
                tokens=tuple(token for part in full for token in _split(part)), is_by_letter=False
            )
        return self._by_letter(token)

    def _is_plausible(self, parts: list[tuple[str, bool]]) -> bool:
        """Whether several parts have a core; a very short one counts only behind a person."""
        cores = [part for part, is_core in parts if is_core]
        if not cores or len(parts) == 1:
            return False
        if not (len(parts[-1][0]) <= SHORTEST_LAST and parts[-1][1]):
            return True
        least = SHORTEST_NUMBERED if self.cores[parts[-1][0]].startswith(NUMBERED) else 0
        is_person = len(parts) == 2 and self.affixes.get(parts[0][0], "") in self.persons  # noqa: PLR2004 - a person and a core
        return is_person and len(parts[0][0]) >= least

    def _covers(self, text: str, most: int) -> list[list[tuple[str, bool]]]:
        """Return each way in which parts cover a text: the parts, and whether each is a core."""
        if not text:
            return [[]]
        if most == 0:
            return []
        found = []
        for end in range(2, min(len(text), self.longest) + 1):
            part, rest = text[:end], text[end:]
            for known, is_core in ((self.cores, True), (self.affixes, False)):
                if part in known and not (is_core and end <= SHORTEST_LAST and rest):
                    found += [[(part, is_core), *more] for more in self._covers(rest, most - 1)]
        return found

    def _by_letter(self, token: str) -> NameParts | None:
        """Return a core with a letter for a person, a number or a logarithm beside it."""
        first, last = token[:1], token[-1:]
        if token[1:] in self.before.get(first, ()):
            return NameParts(tokens=_split(self.cores[token[1:]]), is_by_letter=True)
        if token[:-1] in self.after.get(last, ()):
            return NameParts(tokens=_split(self.cores[token[:-1]]), is_by_letter=True)
        if first == LOGARITHM and len(token) > SHORTEST_LOGARITHM and token[1:] in self.cores:
            return NameParts(tokens=_split(self.cores[token[1:]]), is_by_letter=True)
        if first == LOGARITHM and (inner := self._of_token(token[1:])) is not None and not inner.is_by_letter:
            return NameParts(tokens=inner.tokens, is_by_letter=True)
        return None


def _pairs(parts: Sequence[str]) -> dict[str, str]:
    """Return part → what it is short for; a part without a sign stands for itself."""
    return {short: full or short for short, _, full in (part.partition("=") for part in parts)}


def _letters(table: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for letters, *cores in table.values():
        for letter in letters:
            found[letter] = found.get(letter, frozenset()) | frozenset(cores)
    return found


def _evened_all(full: str, abbreviations: Mapping[str, str]) -> str:
    return "_".join(evened(token, abbreviations) for token in full.split("_"))


def _split(full: str) -> tuple[str, ...]:
    return tuple(full.split("_"))
