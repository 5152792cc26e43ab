"""The ``release`` and ``remedy`` sections: what is published, and what is done to a table that misses."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from qidguard.core.naming import did_you_mean, folded
from qidguard.policy.accepted import Reason
from qidguard.policy.exceptions import EXAMPLE, PublicKeys
from qidguard.policy.recoding import LevelByColumn, SuppressedShare
from qidguard.policy.section import Section, refusal, shown, told
from qidguard.policy.values import Columns, Listed, NestedParameters, Phrase, Texts, Weighted, weights

DataSet = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"),
    told(
        "must be a name of at most 100 letters, digits, dots, hyphens and underscores that begins with a"
        " letter, a digit or an underscore, not {}"
    ),
]


class Unrelated(Section):
    """A data set whose releases are not held against this one, and why.

    Example:
        >>> Unrelated(data_set="ward2", reason="persons of another hospital").data_set
        'ward2'
    """

    data_set: DataSet = Field(description="The data set; case does not matter.", examples=["ward2"])
    reason: Reason = Field(
        description="Why its releases are of other people, or why what they reveal together is accepted, in"
        " words.",
        examples=["persons of another hospital"],
    )


class Weights(Section):
    """Figures by which one of several solutions is chosen, each with its weight.

    Example:
        >>> Weights(weights={"information_loss": 1, "prosecutor_share_above": 2}).weights["information_loss"]
        1
    """

    weights: Weighted = Field(
        description="Metric, parameters in brackets → its weight: the least sum of figures in 0..1 is taken.",
        examples=[{"information_loss": 1, "prosecutor_share_above[threshold=0.1]": 2}],
    )


def _choose(value: object) -> object:
    if isinstance(value, Weights) or value in ("cheapest", "knee"):
        return value
    if not isinstance(value, Mapping) or set(value) != {"weights"}:
        sentence = f"must be cheapest, knee, or weights with a number a metric, not {shown(value)}"
        hint = did_you_mean(value, ("cheapest", "knee"), is_listed=False) if isinstance(value, str) else ""
        raise refusal(sentence, remedy=hint)
    try:
        return Weights.model_construct(weights=weights(value["weights"]))
    except PydanticCustomError as error:
        raise refusal(error.message(), at="weights") from None


Choose = Annotated[Literal["cheapest", "knee"] | Weights, BeforeValidator(_choose)]


class RemedySettings(Section):
    """What is done to a table before it is published: an anonymizer, or fixed levels; audited from scratch.

    Example:
        >>> RemedySettings(anonymizer="small_class_suppression", parameters={"k": 5}).parameters["k"]
        5
        >>> RemedySettings(recode={"age": 2, "specialty": "drop"}, suppress=0.02).recode["age"]
        2
    """

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["anonymizer"], "properties": {"anonymizer": {"type": "string"}}},
                {"required": ["recode"], "properties": {"recode": {"type": "object"}}},
            ]
        }
    )

    anonymizer: Phrase | None = Field(
        default=None,
        description="The name of an anonymizer, as `qidguard plugins` lists them; parameters in brackets.",
        examples=["small_class_suppression", "mdav[k=5]"],
    )
    recode: LevelByColumn | None = Field(
        default=None,
        description="In the place of an anonymizer: QID → the level of its hierarchy, as `qidguard hierarchy"
        " show` counts them (0 is exact), or drop, so that it is not published.",
        examples=[{"age": 2, "specialty": "drop"}],
    )
    suppress: SuppressedShare = Field(
        default=0.0,
        description="With recode: the largest share that may be left out, of persons where there is an entity"
        " column, else of records, since their classes miss a limit of the policy on every class.",
        examples=[0.02],
    )
    parameters: NestedParameters = Field(
        default_factory=lambda: MappingProxyType({}),
        description="The anonymizer's own parameters, by name; those that are not in brackets. Some take a"
        " value for each column.",
        examples=[{"k": 5}, {"epsilon": "1/2", "bounds": {"age": [17, 90]}}],
    )
    attacks: Texts = Field(
        default=(),
        description="The attacks that are rehearsed, as `qidguard plugins` lists them; they inform, and never"
        " block.",
        examples=[["linkage"]],
    )
    when: Literal["always", "missed"] = Field(
        default="missed",
        description="Whether it is applied to every table, or only to one that misses a threshold; what draws"
        " noise is always applied.",
        examples=["always"],
    )
    output: Literal["records", "new_table", "new_table_without_guarantee"] = Field(
        default="records",
        description="What may be published: records of the source, kept or transformed; or also a new_table,"
        " synthetic records or counts, which are nobody's. It takes a guarantee of differential privacy,"
        " unless new_table_without_guarantee accepts one without. Thresholds then hold over the new records"
        " as they are published, and count no persons.",
        examples=["new_table"],
    )
    choose: Choose | None = Field(
        default=None,
        description="Which of an anonymizer's solutions is taken: cheapest, the least loss of those that meet"
        " the policy; knee, the knee of their front of loss and risks; or by weights. Without it the"
        " anonymizer's own.",
        examples=["knee"],
    )

    @model_validator(mode="after")
    def _is_one_way(self) -> Self:
        if self.anonymizer is not None and self.recode is not None:
            raise refusal("has both anonymizer and recode", remedy="keep one of them")
        if self.anonymizer is None and self.recode is None:
            raise refusal(
                "lacks anonymizer and recode, and one is required",
                remedy="write for example recode: {age: 2, specialty: drop}",
            )
        if self.recode is None:
            if self.suppress:
                raise refusal("has suppress without recode", remedy="an anonymizer has its own parameters")
            return self
        for field in ("parameters", "choose"):
            if getattr(self, field):
                raise refusal(f"has {field} beside recode", remedy=f"leave {field} out")
        if self.output != "records":
            raise refusal("has output beside recode, which publishes records", remedy="leave output out")
        if not self.suppress and not any(self.recode.values()):
            raise refusal(
                "has a recode that changes nothing",
                remedy="give a column a level above 0, drop one, or write suppress",
            )
        return self


_SECRET = r"^(?!abfss?:|wasbs?:)[^:]+://[^/]*@|://[^/@]*:[^@]*@|://.*[?#]"  # noqa: S105 - a pattern that finds one, not one
"""A user (not the container of Azure), a password that may hold slashes, or a query, often a token."""


def _destination(text: str) -> str:
    if re.search(_SECRET, text):
        # the value holds a secret, so it is not repeated
        raise refusal(
            "holds a user, a password or a token",
            remedy="leave these to the settings of the store, and write only the place",
        )
    return text


Destination = Annotated[
    Phrase, AfterValidator(_destination), Field(json_schema_extra={"not": {"pattern": _SECRET}})
]


class ReleaseSettings(Section):
    """What is published of the table, in which form and where; nothing of it changes how risk is measured.

    Example:
        >>> ReleaseSettings(data_set="patients", drop=["ward"]).drop
        ('ward',)
    """

    data_set: DataSet | None = Field(
        default=None,
        description="The name under which releases, history and budget are kept; without it the source's.",
        examples=["patients"],
    )
    format: Literal["parquet", "csv"] | None = Field(
        default=None,
        description="What is written; without it CSV for text sources and Parquet for others.",
        examples=["parquet"],
    )
    drop: Columns = Field(
        default=(),
        description="Columns that are never published, beside the direct identifiers.",
        examples=[["ward"]],
    )
    keep_order: bool = Field(
        default=False,
        description="Whether records keep their order, which may tell who is who; else it is shuffled.",
        examples=[False],
    )
    signature: Literal["required", "optional"] = Field(
        default="optional", description="Whether a release must be signed.", examples=["required"]
    )
    signers: PublicKeys = Field(
        default=(), description="The public keys that may sign; empty allows any.", examples=[[EXAMPLE]]
    )
    earlier_releases: Literal["judged", "unrelated"] = Field(
        default="judged",
        description="judged; unrelated gives no reason, so it suffices only until the ledger holds releases"
        " of this data set, or of the same persons: then `unrelated` names them.",
        examples=["judged"],
    )
    unrelated: Annotated[tuple[Unrelated, ...], Listed] = Field(
        default=(),
        description="Data sets, this one or others, whose releases are of other people, or are accepted"
        " together with this one; no threshold over time looks at them.",
        examples=[[{"data_set": "ward2", "reason": "persons of another hospital"}]],
    )
    destination: Destination | None = Field(
        default=None,
        description="Where releases go when the command line names no place.",
        examples=["published/"],
    )

    def why_unrelated(self, data_set: str) -> str | None:
        """Return the reason for which the releases of a data set are not looked at; None where they are.

        Example:
            >>> release = ReleaseSettings(
            ...     unrelated=[{"data_set": "Ward", "reason": "persons of another hospital"}]
            ... )
            >>> release.why_unrelated("ward"), release.why_unrelated("clinic")
            ('persons of another hospital', None)
        """
        said = (one.reason for one in self.unrelated if folded(one.data_set) == folded(data_set))
        return next(said, None)
