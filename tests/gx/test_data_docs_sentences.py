"""Every demand is a sentence in the words of the field, and every finding a phrase beside it."""

import pytest

from qidguard_expectations.data_docs import expected, observed

pytestmark = pytest.mark.gx

QIDS = {"quasi_identifiers": ["age", "sex"]}


@pytest.mark.parametrize(
    ("type_", "given", "sentence"),
    [
        (
            "expect_table_k_anonymity_to_be_at_least",
            {"at_least": 11, "entity": "patient"},
            "Every class over age, sex must hold at least 11 entities told apart by patient (k-anonymity).",
        ),
        (
            "expect_table_l_diversity_to_be_at_least",
            {"at_least": 2.5, "sensitive": "illness", "model": "entropy"},
            (
                "Every class over age, sex must hold at least 2.5 effective values of illness, counted by"
                " their entropy (entropy l-diversity)."
            ),
        ),
        (
            "expect_table_t_closeness_to_be_at_most",
            {"at_most": 0.2, "sensitive": "cost", "ordered": True},
            (
                "In every class over age, sex the values of cost must be spread as in the whole table, at a"
                " distance of at most 0.2 (t-closeness, ordered distance)."
            ),
        ),
        (
            "expect_table_reidentification_risk_to_be_at_most",
            {"at_most": 0.09},
            "The highest re-identification risk over age, sex must be at most 9% (prosecutor attacker).",
        ),
        (
            "expect_table_reidentification_risk_to_be_at_most",
            {"at_most": {"$PARAMETER": "risk"}, "attacker": "marketer", "statistic": "average"},
            (
                "The average re-identification risk over age, sex must be at most parameter risk (marketer"
                " attacker)."
            ),
        ),
        (
            "expect_table_share_at_risk_to_be_at_most",
            {"at_most": 0, "k": 11, "entity": "patient"},
            (
                "At most 0% of the entities may stand in a class of fewer than 11 over age, sex (share at"
                " risk), entities told apart by patient."
            ),
        ),
        (
            "expect_table_share_at_risk_to_be_at_most",
            {"at_most": 0.05, "risk": 0.2},
            (
                "At most 5% of the records may have a re-identification risk above 20% over age, sex (share"
                " at risk)."
            ),
        ),
        (
            "expect_table_privacy_metric_to_be_within",
            {
                "metric": "alpha_k_anonymity",
                "at_most": 0.5,
                "parameters": {"k": 3},
                "sensitive": "illness",
                "attacker": {"knows_any": 2},
                "combination": "voter list",
                "on_miss": "warn",
            },
            (
                "The metric alpha k anonymity of illness (k = 3) over any 2 of age, sex should be at most 50%"
                " (combination voter list)."
            ),
        ),
        (
            "expect_table_columns_to_be_as_approved",
            {"columns": [f"c{i}" for i in range(14)]},
            (
                "The table must have exactly the 14 columns approved: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9,"
                " c10, c11 and 2 more."
            ),
        ),
        (
            "expect_table_to_meet_privacy_policy",
            {"policy": {"name": "clinic"}, "policy_sha256": "a" * 64},
            (
                "The table must pass the whole privacy policy clinic (SHA-256 aaaaaaaaaaaa…), as qidguard"
                " audit judges it."
            ),
        ),
        (
            "expect_table_to_meet_privacy_policy",
            {"policy": {"name": "c"}, "policy_sha256": "a" * 64, "meta": {"qidguard": {"sha256": "b" * 64}}},
            (
                "The table must pass the whole privacy policy c (SHA-256 bbbbbbbbbbbb…), as qidguard audit"
                " judges it."
            ),
        ),
        ("expect_table_of_another_plugin", {}, "expect table of another plugin."),
    ],
)
def test_every_kind_of_demand_is_a_sentence(type_, given, sentence):
    """The words of the field, shares in percent, limits as they were written."""
    assert expected(type_, {**QIDS, **given}).text == sentence


@pytest.mark.parametrize(
    ("result", "phrase"),
    [
        ({}, "--"),
        ({"observed_value": None, "details": {"reason": "no records"}}, "no records"),
        (
            {
                "details": {
                    "threshold": {
                        "metric": "m",
                        "value": None,
                        "reason": "not measured: no population",
                        "unit": "share",
                        "bound": "at_most",
                        "limit": 0.1,
                    }
                }
            },
            "no number: not measured: no population",
        ),
        (
            {
                "details": {
                    "threshold": {
                        "metric": "m",
                        "value": None,
                        "reason": "infinite",
                        "unit": "ratio",
                        "bound": "at_most",
                        "limit": 3,
                    }
                }
            },
            "infinite — infinite over",
        ),
        (
            {
                "details": {
                    "threshold": {
                        "metric": "m",
                        "value": 0.5,
                        "unit": "share",
                        "bound": "at_most",
                        "limit": 0.25,
                        "is_warning": True,
                    }
                }
            },
            "50% — 25 percentage points over, a warning only",
        ),
    ],
)
def test_every_kind_of_finding_is_a_phrase(result, phrase):
    """A figure with its distance, or why there is none."""
    assert observed(result).text == phrase


def test_a_figure_that_holds_in_an_expectation_that_fails_says_why():
    """A figure in doubt: the limit is kept, and the reason stands below it."""
    threshold = {"metric": "k_anonymity", "value": 5, "unit": "records", "bound": "at_least", "limit": 5}
    details = {"threshold": threshold | {"is_met": True}, "reason": "1 record has no person."}
    alone = observed({"details": details}, is_met=True).text
    assert alone == observed({"details": details}).text
    assert observed({"details": details}, is_met=False).text == f"{alone}\n• 1 record has no person."
    missed = {"threshold": threshold | {"is_met": False}, "reason": "too few"}
    assert observed({"details": missed}, is_met=False).text == alone
