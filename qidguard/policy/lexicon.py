"""The ``lexicon`` section: words for names of columns, beside those that recognizers know."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from qidguard.policy.section import Section, entries, refusal, shown
from qidguard.policy.values import Phrase, phrase


def _words(value: object) -> Mapping[str, tuple[str, ...]]:
    value = entries(value, "concepts to lists of words")
    for concept, words in value.items():
        if not isinstance(words, (list, tuple)) or not words:
            raise refusal(f"must be a list of words, not {shown(words)}", at=concept)
        for word in words:
            if not isinstance(word, str) or not word.strip():
                raise refusal(f"must be a list of words, not of {shown(word)}", at=concept)
    return MappingProxyType({concept: tuple(words) for concept, words in value.items()})


_Listed = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]


class LexiconSettings(Section):
    """Words that recognizers of names know under this policy.

    Example:
        >>> LexiconSettings(words={"income_wealth": ["gage"]}).words["income_wealth"]
        ('gage',)
    """

    path: Phrase | None = Field(
        default=None,
        description="A TOML file of concepts and words, or a folder of them; relative to the policy's file.",
        examples=["lexicon"],
    )
    words: Annotated[
        Mapping[str, tuple[str, ...]],
        PlainValidator(_words, json_schema_input_type=dict[str, _Listed]),
        PlainSerializer(lambda value: {k: list(v) for k, v in value.items()}, return_type=Any),
    ] = Field(
        default_factory=lambda: MappingProxyType({}),
        description="More words for concepts that recognizers know, by concept.",
        examples=[{"income_wealth": ["gage", "stipend"]}],
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.path is None and not self.words:
            raise refusal("names neither a path nor words", remedy="write path: or words:")
        return self


def _spelled_out(value: object) -> object:
    return {"path": phrase(value)} if isinstance(value, str) else value


Lexicon = Annotated[
    LexiconSettings,
    BeforeValidator(
        _spelled_out, json_schema_input_type=LexiconSettings | Annotated[str, Field(min_length=1)]
    ),
]
