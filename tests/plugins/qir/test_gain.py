"""Privacy gain and non-uniform entropy, against counting by hand and against the standard metrics."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from columns import column
from qidguard.sdk import MemoryRecords, NotMeasurable, ValueType, set_text
from qidguard_qir.example import small
from qidguard_qir.gain import measure_gain
from qidguard_standard.utility.information import NON_UNIFORM_ENTROPY_METRICS
from two_tables import measured, view

GROUPS = {"x": "xy", "y": "xy", "a": "abc", "b": "abc", "c": "abc"}
"""The group that a value is published in; others are published as they are."""
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", "z", None]),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["1", "2", "3"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
).filter(lambda records: any(record[3] for record in records))


def tables(records):
    """Return records (q, r, person, whether it is kept) before, what is published, and which are kept."""
    before = {name: [record[at] for record in records] for at, name in enumerate("qrw")}
    kept = np.array([record[3] for record in records])
    after = {
        name: [grouped(record[at], before[name]) for record in records if record[3]]
        for at, name in enumerate("qr")
    }
    return small(**before), small(**after), kept, before, after


def grouped(value, values):
    """Return what is published of a value: the members of its group that occur."""
    return set_text(sorted(set(GROUPS[value]) & set(values))) if value in GROUPS else value


def mean_risk(rows, persons, everybody):
    """Return the mean over everybody of 1 / persons in the smallest class of a person, 0 who is in none."""
    classes = {}
    for row, person in zip(rows, persons, strict=True):
        classes.setdefault(row, set()).add(person)
    sizes = {who: min(len(members) for members in classes.values() if who in members) for who in set(persons)}
    return sum(1 / sizes[who] if who in sizes else 0 for who in everybody) / len(everybody)


@given(records=RECORDS)
def test_entropy_is_the_standard_metric(records):
    """The bits lost and the share kept are those of the standard metrics on the same two tables."""
    before, after, kept, values, published = tables(records)
    gain = measure_gain(before, after, kept, ["q", "r"])
    seen = view({n: values[n] for n in "qr"}, published, kept.tolist())
    lost, share = (measured(metric, seen) for metric in NON_UNIFORM_ENTROPY_METRICS)
    assert lost == pytest.approx(gain.bits_lost, abs=1e-9)
    assert 100 * share == pytest.approx(gain.kept, abs=1e-9)


@given(records=RECORDS)
def test_risks_by_counting(records):
    """Mean risks before and after, with and without persons, are those of a loop over the records."""
    before, after, kept, values, published = tables(records)
    for entity, who in ((None, list(range(len(records)))), ("w", values["w"])):
        gain = measure_gain(before, after, kept, ["q", "r"], entity=entity)
        left = [person for person, is_kept in zip(who, kept, strict=True) if is_kept]
        rows = list(zip(values["q"], values["r"], strict=True))
        now = list(zip(published["q"], published["r"], strict=True))
        assert gain.persons == len(set(who))
        assert gain.risk_before == pytest.approx(mean_risk(rows, who, set(who)))
        assert gain.risk_after == pytest.approx(mean_risk(now, left, set(who)))


LOST = pytest.approx(log2(3))
THIRD = pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("before", "after", "kept", "figures"),
    [
        # (x, 3), (y, 2), (z, 1): mean risks of 3/6 and 2/6
        (
            "x x x y y z",
            "{x,y} {x,y} {x,y} {x,y} {x,y} z",
            "111111",
            {"privacy_gain": pytest.approx(100 / 3)},
        ),
        # four ages in pairs: the smallest class rises by 1 person, and half of the mean risk is removed
        ("1 2 3 4", "{1,2} {1,2} {3,4} {3,4}", "1111", {"anonymity_gain": 1, "privacy_gain": 50, "kept": 50}),
        # of x, x, y the y is left out: log₂(3) of its bits go, and one of two thirds of the risk
        (
            "x x y",
            "x x",
            "110",
            {"bits_lost": LOST, "risk_after": THIRD, "suppressed": THIRD, "anonymity_gain": 1},
        ),
        # where no record is published the risk is gone and so is the information
        ("x y", "", "00", {"privacy_gain": 100, "kept": 0, "smallest_after": 0}),
        # a column of one value has no bits and one class
        ("x x", "x x", "11", {"privacy_gain": 0, "kept": 100, "anonymity_gain": 0}),
        # NULL is a class of its own
        ("- - x x", "- - x x", "1111", {"risk_before": 0.5, "smallest_before": 2}),
    ],
)
def test_small_tables(before, after, kept, figures):
    """The figures are those that are counted by hand."""
    one, other = (
        small(q=[None if text == "-" else text.replace(",", ", ") for text in words.split()])
        for words in (before, after)
    )
    gain = measure_gain(one, other, np.array([mark == "1" for mark in kept]), ["q"])
    assert {name: getattr(gain, name) for name in figures} == figures


def test_numbers_that_do_not_hold_their_original():
    """A published centroid tells nothing of its original: it loses what a suppressed cell loses."""
    before = MemoryRecords.of_columns([column([1, 2, 9], name="q")])
    after = MemoryRecords.of_columns([column([1.5, 1.5, 9.0], name="q", value_type=ValueType.NUMBER)])
    gain = measure_gain(before, after, np.ones(3, dtype=bool), ["q"])
    assert gain.bits_lost == pytest.approx(2 * log2(3))


@pytest.mark.parametrize(
    ("before", "after", "qids", "error"),
    [
        (["x"], ["x"], [], ValueError),
        (["x", "y"], ["what?", "what?"], ["q"], NotMeasurable),
        ([], [], ["q"], NotMeasurable),
    ],
    ids=["no QID", "unreadable", "no record"],
)
def test_what_has_no_gain(before, after, qids, error):
    """No QID, a text that nobody can read, and an empty table are errors that say so."""
    kept = np.ones(len(before), dtype=bool)
    with pytest.raises(error):
        measure_gain(small(q=before), small(q=after), kept, qids)
