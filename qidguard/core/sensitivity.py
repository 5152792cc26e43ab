"""Why a column is sensitive: by law, by custom, or by the topic of its table."""

from dataclasses import dataclass
from enum import StrEnum

from qidguard.core.annotation import field_misfits


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
