"""A method that keeps a series, tried without a ledger: what a first release would be."""

import pandas as pd

import qidguard
from released_series import months, rules

REMEDY = {
    "anonymizer": "kept_groups",
    "parameters": {"leavers_stay": "until_k", "sensitive_changes": "never"},
}


def tried(table: pd.DataFrame):
    """Return what the method comes to, without thresholds over time."""
    policy = rules(left_on="left_on") | {"remedy": REMEDY}
    policy |= {"thresholds": policy["thresholds"][:1], "unnamed_columns": "insensitive"}
    return qidguard.anonymize(table, policy, seed=1)


def test_who_left_is_not_among_the_present():
    """Nothing was released yet, so of the persons who left by then none is shown."""
    *_, table = months(300, 3)
    present = int(table["left_on"].isna().sum())
    with tried(table) as made:
        assert made.is_passed
        assert made.after.records == present < len(table)
        assert made.receipt.notes[0].startswith(f"of {present:,} persons present {present:,} (100.0%)")


def test_a_day_that_cannot_be_read_is_a_reason():
    """As in a release, nobody knows then who is present."""
    table = next(months(300, 1)).assign(left_on=["in spring", *[None] * 299])
    with tried(table) as made:
        assert not made.is_passed
        assert "left_on" in made.sentences[0]
