"""A release that went through a remedy tells what the remedy did: record, lines and attestation."""

import json

import pandas as pd
import pytest

from plugged import Coarse, Counting, host_with, share_changed
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.releasing.result import lines
from qidguard.sdk import Bound, Guarantee, Limit
from releases import people, policy, verified

CLAIM = Guarantee(metric="k_anonymity", limit=Limit(bound=Bound.AT_LEAST, value=9), qids=("age", "sex"))
HOST = host_with([Coarse(claims=(CLAIM,))], [Counting()], [share_changed()])
REMEDY = {"anonymizer": "coarse", "attacks": ["counting"]}


@pytest.fixture
def source() -> pd.DataFrame:
    """Return two classes of four men."""
    rows = people(groups=3, size=4)
    return rows[rows["sex"] == "m"]


def cured(place, source, **more):
    """Release a table through the remedy."""
    rules = policy(remedy=REMEDY)
    rules["thresholds"].append({"metric": "share_changed", "at_most": more.pop("most", 0.5)})
    return place.release(source, rules, host=HOST, seed=4, **more)


@pytest.mark.slow
def test_the_record_tells_what_was_done_and_what_came_of_it(place, source):
    """Cells a column, claims beside figures, attacks, time; the attestation nothing but how many columns."""
    made = cured(place, source)
    record = place.record(made.audit_id)
    receipt = record["suppression"]
    said = (made.outcome.value, receipt["anonymizer"], receipt["title"])
    assert (said, receipt["cells_changed"]) == (("passed", "coarse", "what a test does"), {"age": 8})
    assert (receipt["records_before"], receipt["records_suppressed"], receipt["seed"]) == (8, 0, 4)
    [claim] = receipt["guarantees"]
    assert (claim["limit"], claim["measured"], claim["is_kept"]) == (9, 8, False)
    assert [attack["attack"] for attack in receipt["attacks"]] == ["counting"]
    assert receipt["seconds"] >= 0
    assert {c["name"]: c["technique"] for c in record["columns"]} == {
        "person": "removed (entity)",
        "name": "removed (direct identifier)",
        "age": "what a test does, 8 cells changed",
        "sex": "unchanged",
        "illness": "unchanged",
    }
    assert (record["utility"]["columns_changed"], record["utility"]["cells_changed"]) == (1, 8)
    assert "  The remedy suppressed 0 of 8 records and changed 8 cells." in list(lines(made))
    public = place.verification().statement["predicate"]
    nobody = {"from": 0, "to": 0}
    assert {"technique": "coarse", "columns": 1, "records": nobody} in public["transformations"]
    assert set(public["information_loss"]) == {"columns_dropped", "columns_published", "records_suppressed"}
    assert "counting" not in json.dumps(public)
    assert verified(made.address) == ()


@pytest.mark.slow
def test_a_threshold_on_losses_holds_in_a_release(place, source):
    """Half of the QID cells changed: at most a half passes, at most a quarter is blocked."""
    made = cured(place, source)
    assert [t.measurement.value for t in made.report.verdict.thresholds] == [8, 0, 0.5]
    assert [t.measurement.value for t in made.before.verdict.thresholds] == [4, 0, 0]
    assert cured(place, source, most=0.25).outcome.value == "blocked"


@pytest.mark.slow
def test_a_figure_of_what_was_lost_is_taken_from_the_record_later(place, source):
    """The original is gone when a release is judged again, be it that records are the persons."""
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}
    rules = policy(remedy=REMEDY, roles={**roles, "direct_identifiers": ["name", "person"]})
    rules["thresholds"] = [*rules["thresholds"], {"metric": "share_changed", "at_most": 0.5}]
    made = place.release(source, rules, host=HOST, release_id="r1")
    assert made.is_published
    today = rules | {"thresholds": [{"metric": "share_changed", "at_most": 0.25}]}
    again = reaudit("people", "r1", policy=today, home=str(place.home), host=HOST)
    [result] = again.report.verdict.thresholds
    assert (result.measurement.value, again.outcome.value) == (0.5, "blocked")
