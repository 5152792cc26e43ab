"""Kinds of columns: what their values are to a statistician, who said so, and why a column is sensitive."""

from dataclasses import dataclass
from enum import StrEnum

from qidguard.core.annotation import field_misfits
from qidguard.core.role import DecidedBy


class ColumnKind(StrEnum):
    """What the values of a column are to a statistician; whether they are generalized, and how, follows.

    Whole numbers that stand for something else, such as 1 for male, are a code and neither count nor amount.
    """

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    COUNT = "count"
    AMOUNT = "amount"
    CODE = "code"
    DATE = "date"
    PERIOD = "period"
    PLACE = "place"
    TEXT = "text"
    KEY = "key"


KIND_WORDS = {
    ColumnKind.NOMINAL: "names without an order",
    ColumnKind.ORDINAL: "grades with an order",
    ColumnKind.COUNT: "counts",
    ColumnKind.AMOUNT: "amounts",
    ColumnKind.CODE: "codes that stand for something",
    ColumnKind.DATE: "dates",
    ColumnKind.PERIOD: "years or other periods",
    ColumnKind.PLACE: "places",
    ColumnKind.TEXT: "free text",
    ColumnKind.KEY: "keys that number things or persons",
}
"""A kind in words of a privacy officer."""


@dataclass(frozen=True, kw_only=True)
class KindAssignment:
    """The kind of one column with who decided it, why, and how sure that is.

    Args:
        kind: What its values are.
        decided_by: Who says so.
        reason: Why; no value of the table.
        confidence: How sure that is, 0..1; None where a person said it.

    Example:
        >>> KindAssignment(kind=ColumnKind.CODE, decided_by=DecidedBy.PERSON).is_sure
        True
    """

    kind: ColumnKind
    decided_by: DecidedBy
    reason: str = ""
    confidence: float | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is proposed, or stated by a person; if not, it is a question."""
        return self.confidence is None or self.confidence >= SURE_FROM


SURE_FROM = 0.5
"""The confidence from which a role or a kind is proposed; below it a person is asked."""


class Tier(StrEnum):
    """Why a column is sensitive."""

    SPECIAL = "special"
    CRIME = "crime"
    CONFIDENTIAL = "confidential"
    TOPIC = "topic"


TIER_WORDS = {
    Tier.SPECIAL: "a special category of GDPR article 9",
    Tier.CRIME: "GDPR article 10",
    Tier.CONFIDENTIAL: "confidential by custom",
    Tier.TOPIC: "sensitive where the table's topic makes it so",
}
"""A tier in words of a privacy officer."""

ARTICLES = {Tier.SPECIAL: "GDPR article 9", Tier.CRIME: "GDPR article 10"}
"""The law that names a tier."""


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """Why a column is sensitive.

    Args:
        tier: By which of law, custom and topic.
        category: Of what, in words of a privacy officer, such as ``health``; no value of the table.

    Example:
        >>> health = Sensitivity(tier=Tier.SPECIAL, category="health")
        >>> health.article, health.sentence
        ('GDPR article 9', 'health, a special category of GDPR article 9')
    """

    tier: Tier
    category: str

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"a sensitivity's {name} must be {words}")
        if not self.category.strip():
            raise ValueError("a sensitivity must have a category")

    @property
    def article(self) -> str | None:
        """The article of the law that names the category; None where none does."""
        return ARTICLES.get(self.tier)

    @property
    def sentence(self) -> str:
        """The category and the tier in words."""
        return f"{self.category}, {TIER_WORDS[self.tier]}"
