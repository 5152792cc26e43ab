"""The ``release`` and ``remedy`` sections: what is published, and what is done to a table that misses."""

import re
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from qidguard.policy.exceptions import EXAMPLE, PublicKeys
from qidguard.policy.section import Section, choice, refusal, shown
from qidguard.policy.values import Columns, Flag, Parameters, Phrase, Texts, phrase


class Remedy(Section):
    """What is done to a table that misses a threshold; what comes out is audited from scratch.

    Example:
        >>> Remedy(anonymizer="small_class_suppression", parameters={"k": 5}).parameters["k"]
        5
    """

    anonymizer: Phrase = Field(
        description="The name of an anonymizer, as `qidguard plugins` lists them; parameters in brackets.",
        examples=["small_class_suppression", "mdav[k=5]"],
    )
    parameters: Parameters = Field(
        default_factory=lambda: MappingProxyType({}),
        description="The anonymizer's own parameters, by name; those that are not in brackets.",
        examples=[{"k": 5}],
    )
    attacks: Texts = Field(
        default=(),
        description="The attacks that are rehearsed, as `qidguard plugins` lists them; they inform, and never"
        " block.",
        examples=[["linkage"]],
    )


_NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
_SECRET = r"^(?!abfss?:|wasbs?:)[^:]+://[^/]*@|://[^/@]*:[^@]*@|://.*[?#]"  # noqa: S105 - a pattern that finds one, not one
"""A user (not the container of Azure), a password that may hold slashes, or a query, often a token."""


def _data_set(value: object) -> str:
    if not isinstance(value, str) or re.fullmatch(_NAME, value) is None:
        raise refusal(
            "must be a name of at most 100 letters, digits, dots, hyphens and underscores that begins with a"
            f" letter, a digit or an underscore, not {shown(value)}"
        )
    return value


def _destination(value: object) -> str:
    text = phrase(value)
    if re.search(_SECRET, text):
        # the value holds a secret, so it is not repeated
        raise refusal(
            "holds a user, a password or a token",
            remedy="leave these to the settings of the store, and write only the place",
        )
    return text


DataSet = Annotated[
    str,
    PlainValidator(_data_set, json_schema_input_type=Annotated[str, Field(pattern=f"^{_NAME}$")]),
]
Destination = Annotated[
    str,
    PlainValidator(_destination),
    WithJsonSchema({"type": "string", "minLength": 1, "not": {"pattern": _SECRET}}, mode="validation"),
]
PublishedFormat = Annotated[
    Literal["parquet", "csv"],
    PlainValidator(choice("parquet", "csv"), json_schema_input_type=Literal["parquet", "csv"]),
]
Signature = Annotated[
    Literal["required", "optional"],
    PlainValidator(choice("required", "optional"), json_schema_input_type=Literal["required", "optional"]),
]
EarlierReleases = Annotated[
    Literal["judged", "unrelated"],
    PlainValidator(choice("judged", "unrelated"), json_schema_input_type=Literal["judged", "unrelated"]),
]


class Release(Section):
    """What is published of the table, in which form and where; nothing of it changes how risk is measured.

    Example:
        >>> Release(data_set="patients", drop=["ward"]).drop
        ('ward',)
    """

    data_set: DataSet | None = Field(
        default=None,
        description="The name under which releases, history and budget are kept; without it the source's.",
        examples=["patients"],
    )
    format: PublishedFormat | None = Field(
        default=None,
        description="What is written; without it CSV for text sources and Parquet for others.",
        examples=["parquet"],
    )
    drop: Columns = Field(
        default=(),
        description="Columns that are never published, beside the direct identifiers.",
        examples=[["ward"]],
    )
    keep_order: Flag = Field(
        default=False,
        description="Whether records keep their order, which may tell who is who; else it is shuffled.",
        examples=[False],
    )
    signature: Signature = Field(
        default="optional", description="Whether a release must be signed.", examples=["required"]
    )
    signers: PublicKeys = Field(
        default=(), description="The public keys that may sign; empty allows any.", examples=[[EXAMPLE]]
    )
    earlier_releases: EarlierReleases = Field(
        default="judged",
        description="Whether earlier releases of the data set are of the same people, or a person decided"
        " that they are unrelated.",
        examples=["judged"],
    )
    destination: Destination | None = Field(
        default=None,
        description="Where releases go when the command line names no place.",
        examples=["published/"],
    )
