"""The words of all TOML files and the grammar by which a name is read."""

import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

from qidguard.sdk import ColumnKind, Role, Tier, ValueType
from qidguard_standard.recognizers.lexicon.concepts import (
    HEAD_FIRST,
    LANGUAGES,
    Concept,
    Family,
    Word,
    check_table,
    listed,
)
from qidguard_standard.recognizers.lexicon.glue import Glue
from qidguard_standard.recognizers.lexicon.tokens import evened, joined, split_name

GRAMMAR, FAMILIES = "grammar.toml", "families.toml"
NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def _listed(table: str, *lists: str) -> cached_property[frozenset[str]]:
    """Return a property of a vocabulary: the tokens of a table of its grammar, read when first needed."""
    return cached_property(lambda vocabulary: vocabulary.listed(table, *lists))


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """All words and the grammar by which a name is read.

    Args:
        concepts: Name → concept.
        words: Every word.
        families: Short names by survey.
        grammar: The tables of the grammar: name → list → tokens.
        spelling: How tokens are evened out.
    """

    concepts: Mapping[str, Concept] = field(repr=False)
    words: tuple[Word, ...] = field(repr=False)
    families: tuple[Family, ...] = field(repr=False)
    grammar: Mapping[str, Mapping[str, Sequence[str]]] = field(repr=False)
    spelling: "WordSpelling" = field(repr=False)

    @classmethod
    def of(cls, folders: Iterable[Traversable], texts: Mapping[str, str] = NO_TEXTS) -> "Vocabulary":
        """Read every TOML file of the folders, then ``texts``, which are TOML by the name of their file.

        A later one adds words to a concept or brings new ones.

        Raises:
            ValueError: When a file says something that no lexicon has; the sentence names file and concept.
        """
        grammar: dict[str, Mapping[str, Sequence[str]]] = {}
        tables: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        families: dict[str, Mapping[str, Any]] = {}
        every = [
            (file.name, file.read_text("utf-8"))
            for folder in folders
            for file in sorted(folder.iterdir(), key=lambda item: item.name)
            if file.name.endswith(".toml")
        ]
        for where, text in (*every, *texts.items()):
            data = tomllib.loads(text)
            if where == GRAMMAR:
                grammar |= {name: table if name in _SHORT else listed(table) for name, table in data.items()}
            elif where == FAMILIES:
                families |= {title: listed(table) for title, table in data.items()}
            else:
                for name, given in data.items():
                    table = listed(given, _WORDS)
                    if isinstance(table, dict) and "alone" in table:
                        table["alone"] = listed(table["alone"])
                    check_table(where, name, table, _FIELDS, tables)
                    tables.setdefault(name, []).append((where, table))
        short: Mapping[str, Any] = grammar.pop("abbreviations", {})
        first_tokens: Mapping[str, Any] = grammar.pop("prefixes", {})
        spelling = WordSpelling(abbreviations=short, prefixes=first_tokens)
        concepts: dict[str, Concept] = {}
        words: list[Word] = []
        for name, parts in tables.items():
            concepts[name] = _concept(name, *_defined(parts), spelling)
            for where, table in parts:
                words += _words(concepts[name], where, table, spelling)
        return cls(
            concepts=concepts,
            words=tuple(words),
            families=tuple(_family(title, table, concepts) for title, table in families.items()),
            grammar=grammar,
            spelling=spelling,
        )

    @property
    def abbreviations(self) -> Mapping[str, str]:
        """Token → what it is short for."""
        return self.spelling.abbreviations

    def tokens(self, name: str) -> tuple[str, ...]:
        """Return a name's tokens, evened out; an abbreviation of two words gives two tokens."""
        return self.spelling.evened(split_name(name))

    def listed(self, table: str, *lists: str) -> frozenset[str]:
        """Return the tokens of a table of the grammar, of all its lists or of those named."""
        found = self.grammar.get(table, {})
        chosen = lists or tuple(found)
        return frozenset(
            evened(token, self.abbreviations) for name in chosen for token in found.get(name, ())
        )

    persons = _listed("persons")
    """Tokens that say that a name is about a person."""
    clientele = _listed("clientele")
    """Tokens of persons whom somebody serves, teaches or asks."""
    things = _listed("things")
    """Tokens that say that a name is about something else."""
    institutions = _listed("institutions")
    """Tokens of what has names and addresses of its own."""

    @cached_property
    def neutral(self) -> frozenset[str]:
        """Tokens that change nothing."""
        languages = (name for name in self.grammar.get("neutral", {}) if name != "sure")
        return self.listed("neutral", *languages)

    nearly_neutral = _listed("neutral")
    """Tokens that change nothing about a word that has one meaning."""
    changes = _listed("changes", "every")
    """Tokens that make something else of any word."""
    identifier_changes = _listed("changes", "every", "identifier")
    """Tokens that make something else of a direct identifier."""
    questions = _listed("questions")
    """Tokens of questions, which say nothing of what is asked."""
    counting = _listed("counting")
    """Tokens of how many and how long."""
    addressed = _listed("addressed")
    """Tokens by which a questionnaire speaks to whom it asks."""
    of_words = _listed("of")
    """Tokens after which a description follows."""

    @cached_property
    def index(self) -> Mapping[tuple[str, ...], tuple[Word, ...]]:
        """Tokens → the words that they are; a word of several tokens is also found written as one."""
        found: dict[tuple[str, ...], tuple[Word, ...]] = {}
        for word in self.words:
            tokens = word.tokens
            found[tokens] = (*found.get(tokens, ()), word)
            if len(tokens) > 1:
                joint = ("".join(tokens),)
                found[joint] = (*found.get(joint, ()), word)
        return found

    @cached_property
    def longest(self) -> int:
        """Number of tokens of the longest word."""
        return max(map(len, self.index), default=0)

    @cached_property
    def compounds(self) -> Mapping[str, Word]:
        """End of a German or Dutch compound → the first word that it is."""
        found: dict[str, Word] = {}
        for word in self.words:
            if word.language in {"de", "nl"} and len(word.tokens) == 1 and not word.is_alone:
                found.setdefault(word.tokens[0], word)
        return found

    @cached_property
    def whole_words(self) -> tuple[Word, ...]:
        """Words of one token, of which a name may hold the beginning only, in the order of their letters."""
        return tuple(sorted((w for w in self.words if len(w.tokens) == 1), key=lambda word: word.tokens[0]))

    def begun(self, stem: str) -> tuple[Word, ...]:
        """Return the words of one token that begin with these letters."""
        words = self.whole_words
        start = bisect_left(words, stem, key=lambda word: word.tokens[0])
        end = start
        while end < len(words) and words[end].tokens[0].startswith(stem):
            end += 1
        return words[start:end]

    @cached_property
    def spoken(self) -> frozenset[str]:
        """Tokens of the grammar and of words, which are no beginnings of other words."""
        grammar = self.listed("neutral") | self.persons | self.things | self.institutions
        return grammar | self.identifier_changes | {token for word in self.words for token in word.tokens}

    @cached_property
    def endings(self) -> tuple[tuple[str, Concept], ...]:
        """Ends of words, each with what it shows."""
        return tuple((end, concept) for concept in self.concepts.values() for end in concept.endings)

    @cached_property
    def glue(self) -> Glue:
        """How names without separators are taken apart."""
        single = {
            word.tokens[0]
            for word in self.words
            if len(word.tokens) == 1 and not word.is_alone and word.language in {"en", "all"}
        }
        return Glue.of(self.grammar, frozenset(single), self.persons, self.abbreviations)


@dataclass(frozen=True, kw_only=True)
class WordSpelling:
    """How one word stands for its spellings, in names and in the words of every file.

    Args:
        abbreviations: Token → what it is short for.
        prefixes: First token of several by which databases say what a column holds → what it is short for.
    """

    abbreviations: Mapping[str, str] = field(repr=False)
    prefixes: Mapping[str, str] = field(repr=False)
    _parts: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def evened(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return tokens without plurals, abbreviations and prefixes of databases; one may become two."""
        if len(tokens) > 1 and tokens[0] in self.prefixes:
            tokens = (self.prefixes[tokens[0]], *tokens[1:])
        parts = tuple(map(self._of, tokens))
        return parts[0] if len(parts) == 1 else tuple(part for several in parts for part in several)

    def _of(self, token: str) -> tuple[str, ...]:
        known = self._parts.get(token)
        if known is None:
            known = self._parts[token] = tuple(evened(token, self.abbreviations).split("_"))
        return known


_SHORT = ("abbreviations", "prefixes")
"""Tables of the grammar whose texts stand for others."""
_WORDS = {"unless", "weak_alone", "endings", *LANGUAGES}
_FIELDS = {
    "title", "roles", "kind", "tier", "category", "topic", "confidence", "anywhere", "weak", "types",
    "most_values", "fewest_values", "least_share", "note", "flag", "alone", *_WORDS,
}  # fmt: skip


def _defined(parts: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[str, Mapping[str, Any]]:
    """Return the first table of a concept, with what later ones say of words that mean something else."""
    where, first = parts[0]
    lists = ("unless", "weak_alone", "endings")
    return where, {**first, **{key: [w for _, table in parts for w in table.get(key, ())] for key in lists}}


def _concept(name: str, where: str, table: Mapping[str, Any], spelling: WordSpelling) -> Concept:
    try:
        return Concept(
            name=name,
            title=table["title"],
            roles=tuple(Role(role) for role in table["roles"]),
            kind=ColumnKind(table["kind"]),
            tier=Tier(table["tier"]) if table.get("tier") else None,
            category=table.get("category", ""),
            topic=table.get("topic", ""),
            confidence=table.get("confidence", 1.0),
            is_anywhere=table.get("anywhere", False),
            is_weak=table.get("weak", False),
            types=tuple(ValueType(value) for value in table.get("types", ())),
            most_values=table.get("most_values", 0),
            fewest_values=table.get("fewest_values", 0),
            least_share=table.get("least_share", 0.0),
            unless=tuple(spelling.evened(split_name(other)) for other in table.get("unless", ())),
            weak_alone=frozenset(spelling.evened(split_name(w)) for w in table.get("weak_alone", ())),
            endings=tuple(table.get("endings", ())),
            note=table.get("note", ""),
            flag=table.get("flag", ""),
        )
    except KeyError as error:
        raise ValueError(f"{where}: {name!r} has no {error.args[0]!r}; add it") from error
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {name!r}: {error}; correct it") from error


def _words(concept: Concept, where: str, table: Mapping[str, Any], spelling: WordSpelling) -> Iterator[Word]:
    seen: set[tuple[tuple[str, ...], bool, bool]] = set()
    for lists, is_alone in ((table, False), (table.get("alone", {}), True)):
        for language in LANGUAGES:
            for text in lists.get(language, ()):
                tokens = spelling.evened(split_name(text))
                if not tokens:
                    raise ValueError(f"{where}: {concept.name!r} has a word without letters; remove it")
                key = (tokens, is_alone, language in HEAD_FIRST)
                if key not in seen:
                    seen.add(key)
                    yield Word(tokens=tokens, concept=concept, language=language, is_alone=is_alone)


def _family(title: str, table: Mapping[str, Any], concepts: Mapping[str, Concept]) -> Family:
    every = {
        code: concepts[name]
        for name, listed in table.items()
        if isinstance(listed, list) and name != "nothing"
        for code in listed
    }
    return Family(
        title=title,
        least=table["least"],
        needs_persons=table.get("needs_persons", False),
        codes={joined(code): concept for code, concept in every.items() if "*" not in code},
        series={code.casefold(): concept for code, concept in every.items() if "*" in code},
        nothing=frozenset(code.casefold() for code in table.get("nothing", ())),
    )


@cache
def standard() -> Vocabulary:
    """Return this plugin's own words, read once."""
    return Vocabulary.of([standard_words()])


def standard_words() -> Traversable:
    """Return the folder of this plugin's own words."""
    return files("qidguard_standard.recognizers.lexicon") / "words"
