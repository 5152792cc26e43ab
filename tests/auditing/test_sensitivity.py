"""Why a column is sensitive: by law, by custom or by its table's topic, in reports and drafts."""

import random

import pandas as pd
import pytest

import qidguard
from qidguard.core.kind import Sensitivity
from qidguard.policy import draft_policy, parse_policy
from qidguard.rendering.console import console_text
from qidguard.rendering.document import document
from qidguard.sdk import Role, Tier

DRAWN = random.Random(7)  # noqa: S311 - the same table on every run
HEALTH, RACE, PAY = "special, health", "special, racial or ethnic origin", "confidential, income or wealth"
WHY = {
    "diagnosis": HEALTH,
    "ethnicity": RACE,
    "religion": "special, political opinion, religion or belief",
    "trade_union": "special, trade union membership",
    "sexual_orientation": "special, sex life or sexual orientation",
    "genotype": "special, genetic data",
    "fingerprint": "special, biometric data",
    "convictions": "crime, criminal convictions and offences",
    "monthly_income": PAY,
    "credit_score": "confidential, credit and debt",
    "unemployment_benefit": "confidential, benefits and unemployment",
    "donation_amount": "confidential, donations",
    "c_codes": HEALTH,
    "c_words": RACE,
    "c_pay": PAY,
}
ARTICLES = {"special": "GDPR article 9", "crime": "GDPR article 10", "confidential": None}
VALUES = {
    "c_codes": ["E11.9", "I10", "J45.0", "F32.1", "M54.5", "I25.1"],
    "c_words": ["White", "Black", "Asian", "Hispanic"],
    "c_pay": ["<10k", "10k-50k", "50k-100k", ">100k"],
}


@pytest.fixture(scope="module")
def report():
    """Return the report on one table with sensitive columns of every category."""
    columns = {
        name: DRAWN.choices(VALUES.get(name, [f"{name} {i}" for i in range(40)]), k=90) for name in WHY
    }
    table = pd.DataFrame({**columns, "age": DRAWN.choices(range(20, 70), k=90), "patient": range(90)})
    with qidguard.audit(table) as found:
        return found.report


@pytest.mark.slow
def test_a_sensitive_column_has_a_tier_a_category_and_the_article(report) -> None:
    """Names and values both say of what law or custom a column is; an age is a QID and no more."""
    told = {one["name"]: one["sensitivity"] for one in document(report)["columns"]}
    assert {name: f"{told[name]['tier']}, {told[name]['category']}" for name in WHY} == WHY
    assert {told[name]["article"] == ARTICLES[told[name]["tier"]] for name in WHY} == {True}
    age = next(c for c in report.columns if c.facts.name == "age")
    assert (age.assignment.role, age.sensitivity) == (Role.QUASI_IDENTIFIER, None)


def test_a_topic_makes_a_measurement_sensitive() -> None:
    """In a table of health a column that nobody knows is sensitive by the topic, which no article names."""
    names = ["diagnosis", "cholesterol", "blood_pressure", "glucose", "zzq"]
    table = pd.DataFrame({name: DRAWN.choices(range(100, 180), k=90) for name in [*names, "age"]})
    with qidguard.audit(table) as found:
        column = next(c for c in found.report.columns if c.facts.name == "zzq")
    assert column.sensitivity is not None
    said = column.assignment.role, column.sensitivity.tier, column.sensitivity.article
    assert said == (Role.SENSITIVE, Tier.TOPIC, None)
    assert column.assignment.reason == "its name is unknown, and the table speaks of health"


@pytest.mark.slow
def test_a_draft_groups_sensitive_columns_by_tier(report) -> None:
    """A person sees what the law protects apart from what is confidential by custom."""
    text = draft_policy(report.columns)
    law, crime, custom = (text.index(f"    # {w}:\n") for w in (
        "a special category of GDPR article 9", "GDPR article 10", "confidential by custom"
    ))  # fmt: skip
    assert law < text.index("    - religion") < crime < text.index("    - convictions") < custom
    assert custom < text.index("    - monthly_income")
    assert "religion" in parse_policy(text).roles.sensitive


@pytest.mark.slow
def test_the_console_says_category_and_article(report) -> None:
    """Each sensitive column says of what it is, and the article where one names it."""
    said = " ".join(console_text(report, 120, has_all_columns=True).split())
    assert "sensitive: criminal convictions and offences, GDPR article 10" in said


def test_a_sensitivity_says_of_what() -> None:
    """A tier without a category is no reason."""
    with pytest.raises(ValueError, match="must have a category"):
        Sensitivity(tier=Tier.CRIME, category=" ")
    with pytest.raises(TypeError, match="tier must be Tier"):
        Sensitivity(tier="crime", category="x")  # type: ignore[arg-type]
