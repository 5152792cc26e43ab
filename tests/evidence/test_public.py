"""Public documents say whether limits hold; a figure stands there only where it tells of nobody."""

import base64
import json

import pandas as pd
import pytest

from qidguard.core.measurement import Measurement
from qidguard.core.verdict import Bound, Limit, ThresholdResult
from qidguard.evidence.public import band, least_count, told_figure
from qidguard.ledger import read
from qidguard.ledger.payloads import Audited
from releases import Place, people, policy


def result(value, *, limit=5, **changes):
    """Return a threshold of k-anonymity over the age with a figure."""
    own = {"metric": "k_anonymity", "unit": "records", "qids": ("age",)} | {
        name: changes.pop(name) for name in ("unit", "qids", "sensitive") if name in changes
    }
    return ThresholdResult(
        limit=Limit(**{"bound": Bound.AT_LEAST, "value": limit} | changes),
        measurement=Measurement(value=value, **own),
    )


@pytest.mark.parametrize(("threshold", "told"), [
    (result(5), 5),
    (result(7), 5),
    (result(12), 10),
    (result(12, limit=11), 11),
    (result(4), None),
    (result(3, limit=2), None),
    (result(8, limit=7.5), 8),
    (result(7, is_blocking=False), None),
    (result(0.2, unit="probability", bound=Bound.AT_MOST), None),
    (result(3, bound=Bound.AT_MOST), None),
    (result(7, qids=("age", "person")), None),
    (result(7, qids=()), None),
    (result(7, sensitive="secret"), None),
    (result(7, sensitive="illness"), 5),
    (result(None), None),
    (result(float("inf")), None),
])  # fmt: skip
def test_a_figure_is_told_only_where_it_singles_out_nobody(threshold, told):
    """Held, blocking, in persons, over published columns, at least 5, rounded down to a multiple."""
    assert told_figure(threshold, ("age", "illness"), 5) == told


def test_the_smallest_count_that_is_told_is_the_strictest_of_the_policy():
    """What blocking thresholds ask of a class; shares and warnings ask for none; never below 5."""
    results = [result(9, limit=10.5), result(9, limit=3), result(9, limit=40, is_blocking=False)]
    assert (least_count(results), least_count([result(9, limit=2)])) == (11, 5)


@pytest.mark.parametrize("least", [5, 11])
def test_a_band_holds_its_count_and_at_least_as_many_others(least):
    """Below the smallest count there is one band; 0 is itself."""
    for count in range(1, 100):
        own = band(count, least)
        assert own["from"] <= count <= own["to"]
        assert len({*range(own["from"], own["to"] + 1)}) >= least - 1
    assert {band(count, least)["from"] for count in range(1, least)} == {1}
    assert band(0, least) == {"from": 0, "to": 0}


def attested(place: Place) -> dict:
    """Return what the newest release says of itself in public."""
    envelope = json.loads((place.releases()[-1] / "attestation.json").read_bytes())
    found: dict = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    return found


@pytest.mark.slow
def test_a_release_tells_no_count_of_few_no_warning_and_no_run(tmp_path):
    """One record suppressed, a warning missed by a figure, a class over the unpublished column."""
    place = Place(tmp_path)
    table = people(size=6).assign(ward=1)
    odd = table.iloc[:1].assign(person="p9", age=99)
    rules = policy(
        remedy={"anonymizer": "small_class_suppression", "parameters": {"k": 5, "most_suppressed": 0.5}},
        thresholds=[
            {"metric": "k_anonymity", "at_least": 5},
            {"metric": "k_anonymity", "at_least": 100, "on_miss": "warn"},
            {"metric": "marketer_risk", "at_most": 0.5},
            {"metric": "persons_isolated_over_releases", "at_most": 0, "parameters": {"k": 2}},
        ],
    )
    rules["roles"] = rules["roles"] | {"insensitive": ["ward"]}
    rules["accepted"] = [{"columns": ["ward"], "reason": "every ward is named on the door"}]
    source = pd.concat([table, odd])
    first = place.release(source, rules, release_id="r1")
    assert first.is_published, (first.reasons, first.report)
    said = attested(place)
    assert said["information_loss"]["records_suppressed"] == {"from": 1, "to": 4}
    assert [done["records"] for done in said["transformations"]][-2:] == [
        {"from": 1, "to": 4},
        {"from": 0, "to": 0},
    ]
    assert [t["value"] for t in said["verdict"]["thresholds"]] == [5, None, None, None]
    assert sorted(said["ledger"]) == ["hash"]
    (accepted,) = said["accepted"]
    assert accepted == {
        "columns": ["ward"],
        "tells": None,
        "reason": "every ward is named on the door",
        "by": None,
    }
    # the ward is accepted, and the illness tells nobody apart
    assert said["outside_qids"] == {"columns": 1, "persons_unique": {"from": 0, "to": 0}}
    [entry] = [read(one, Audited).payload for one in place.entries("audited")]
    assert (entry.accepted, entry.outside_qids["identifying"]) == ((accepted | {"is_needed": False},), [])
    hidden = rules | {"release": rules["release"] | {"drop": ["sex"]}}
    hidden["accepted"] = []
    alone = source.assign(ward=[2, 3, 4, *[1] * (len(source) - 3)])
    assert place.release(alone, hidden, release_id="r2").is_published
    said = attested(place)
    assert said["verdict"]["thresholds"][0]["value"] is None
    assert said["outside_qids"] == {"columns": 2, "persons_unique": {"from": 1, "to": 4}}
