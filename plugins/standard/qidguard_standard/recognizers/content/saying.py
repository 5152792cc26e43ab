"""How content speaks: the confidence of what is sure and what is asked, and sentences without a value."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from qidguard.sdk import ColumnFacts, DecidedBy, Evidence, Look, Role, RoleProposal, Sensitivity, Tier

QUESTION = 0.3
"""Confidence of what is asked of a person."""
MOST = 0.95
"""Share of the values that must pass a weak test; real files have shifted rows."""
SURE_ORDERS, DOUBTED_ORDERS = 6.0, 3.0
"""Powers of ten against chance from which values that pass are believed, and asked about."""


def say(
    column: ColumnFacts, role: Role, confidence: float, sentence: str, test: str | None = None
) -> RoleProposal:
    """Return a proposal by content."""
    evidence = Evidence(by=DecidedBy.CONTENT, sentence=sentence, test=test)
    why = sensitivities().get(test or "") if role is Role.SENSITIVE else None
    return RoleProposal.of(column.name, role, confidence, evidence, sensitivity=why)


@cache
def sensitivities() -> Mapping[str, Sensitivity]:
    """Return test of content → why a column whose values pass it is sensitive.

    Example:
        >>> sensitivities()["word_race"].sentence
        'racial or ethnic origin, a special category of GDPR article 9'
    """
    text = (files("qidguard_standard.recognizers.content") / "tiers.toml").read_text("utf-8")
    return {
        test: Sensitivity(tier=Tier(tier), category=category)
        for tier, categories in tomllib.loads(text).items()
        for category, listed in categories.items()
        for test in listed["tests"]
    }


def say_share(column: ColumnFacts, role: Role, confidence: float, look: Look) -> RoleProposal:
    """Return a proposal that rests on the share of values that pass a test."""
    share = f"{look.share:.0%}".replace("%", " %")
    return say(column, role, confidence, f"{share} of its values are {look.kind}", look.test)


def orders_against_chance(look: Look) -> float:
    """Return how far a share lies above chance, in powers of ten: n · D(share ‖ chance) / ln 10.

    D is the Kullback–Leibler divergence of two Bernoulli variables (Sanov's bound on the tail of a binomial);
    0 where no more pass than by chance.

    Example:
        >>> look = Look(kind="cards", share=1.0, test="card", looked_at=6, chance=0.1)
        >>> round(orders_against_chance(look), 6)
        6.0
    """
    share, chance = look.share, min(max(look.chance, 1e-6), 1 - 1e-6)
    if share <= chance:
        return 0.0
    passed = share * math.log(share / chance)
    failed = (1 - share) * math.log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return look.looked_at * (passed + failed) / math.log(10)
