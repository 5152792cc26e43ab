"""The ``remedy`` section: the anonymiser that may transform a table before it is published."""

from types import MappingProxyType

from pydantic import Field

from qidguard.core.policy.section import Section
from qidguard.core.policy.values import Parameters, Phrase, Texts


class Remedy(Section):
    """What is done to a table that misses a threshold; what comes out is audited from scratch.

    Example:
        >>> Remedy(anonymiser="small_class_suppression", parameters={"k": 5}).parameters["k"]
        5
    """

    anonymiser: Phrase = Field(
        description="The name of an anonymiser, as `qidguard plugins` lists them.",
        examples=["small_class_suppression"],
    )
    parameters: Parameters = Field(
        default_factory=lambda: MappingProxyType({}),
        description="The anonymiser's own parameters, by name.",
        examples=[{"k": 5}],
    )
    attacks: Texts = Field(
        default=(),
        description="The attacks that are rehearsed, as `qidguard plugins` lists them; they inform, and never"
        " block.",
        examples=[["linkage"]],
    )
