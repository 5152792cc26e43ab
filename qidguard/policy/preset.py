"""Presets: what regulators and data publishers ask for, each with its source, read from ``presets/``."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from qidguard.policy.document import read_document
from qidguard.policy.section import Section
from qidguard.policy.threshold import Threshold
from qidguard.policy.values import Count, Listed, Phrase, Texts

Family = Literal["class size in microdata", "cell counts in tables", "population floor", "attestation"]


class Preset(Section):
    """One preset.

    Example:
        >>> PRESETS["pdpc-sg-5"].k_min
        5
    """

    name: Phrase = Field(description="As written in policies.")
    title: Phrase = Field(description="One phrase that says what it asks for.")
    family: Family = Field(description="What its number counts; families must not be mixed.")
    k_min: Count | None = Field(
        default=None,
        description="The smallest class or cell allowed, in persons; none where the rule sets no such size.",
    )
    nominal: Phrase = Field(description="The rule's figure as its source words it.")
    thresholds: Annotated[tuple[Threshold, ...], Listed] = Field(
        default=(), description="The rule on registered metrics."
    )
    attest: Texts = Field(default=(), description="What a person must attest, each after `that`.")
    applies_to: Phrase = Field(description="Where the rule is meant to hold.")
    source: Phrase = Field(description="The citation.")
    mark: Literal["verified", "secondary source", "attestation only"] = Field(
        description="Whether the rule's own text was read."
    )
    zero_cells: Literal["allowed", "barred", "not stated"] | None = Field(
        default=None, description="For cell counts: whether an empty cell may be published."
    )
    note: str = Field(default="", description="What a reader must know to use it rightly.")

    @property
    def thresholds_text(self) -> str:
        """Its thresholds on one line, saying which only warn; ``attestation`` where it has none."""
        words = (t.text if t.on_miss == "block" else f"{t.text} (warns)" for t in self.thresholds)
        return ", ".join(words) or "attestation"


_FILES = ("microdata.yaml", "tables.yaml", "population.yaml", "attestation.yaml")


@cache
def _loaded() -> Mapping[str, Preset]:
    presets: dict[str, Preset] = {}
    for name in _FILES:
        text = (files("qidguard.policy") / "presets" / name).read_text("utf-8")
        listed, _ = read_document(text, name)
        if not isinstance(listed, list):
            raise TypeError(f"{name} is not a list of presets")
        for preset in map(Preset.model_validate, listed):
            if preset.name in presets:
                raise ValueError(f"{name} names the preset {preset.name!r} a second time")
            presets[preset.name] = preset
    return MappingProxyType(presets)


class _Presets(Mapping[str, Preset]):
    """Reads the files when a preset is first asked for: most policies name none."""

    def __getitem__(self, name: str) -> Preset:
        return _loaded()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_loaded())

    def __len__(self) -> int:
        return len(_loaded())


PRESETS: Mapping[str, Preset] = _Presets()
"""Name → preset."""
