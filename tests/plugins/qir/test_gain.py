"""Privacy gain and non-uniform entropy, against counting by hand and against the standard metrics."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from columns import column
from qidguard.sdk import MemoryRecords, NotMeasurable, ValueType, set_text
from qidguard_qir.example import small
from qidguard_qir.gain import bits_of_values, measure_gain
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


def test_by_hand():
    """Six records: (x, 3), (y, 2), (z, 1) as {x, y}, {x, y}, z. Equation (4) from the counts alone."""
    values, texts = ["x"] * 3 + ["y"] * 2 + ["z"], ["{x, y}"] * 5 + ["z"]
    gain = measure_gain(small(q=values), small(q=texts), np.ones(6, dtype=bool), ["q"])
    f, g = Counter(values), Counter(texts)
    by_equation = sum(-log2(f[value] / g[text]) for value, text in zip(values, texts, strict=True))
    whole = sum(-log2(f[value] / 6) for value in values)
    assert gain.bits_lost == pytest.approx(by_equation)
    assert gain.kept == pytest.approx(100 * (1 - by_equation / whole))
    assert (gain.smallest_before, gain.smallest_after, gain.anonymity_gain) == (1, 1, 0)
    assert gain.privacy_gain == pytest.approx(100 * (3 / 6 - 2 / 6) / (3 / 6))


def test_the_two_readings_differ():
    """Four ages in pairs: the smallest class rises by 1 person, and half of the mean risk is removed."""
    gain = measure_gain(
        small(q=["1", "2", "3", "4"]),
        small(q=["{1, 2}", "{1, 2}", "{3, 4}", "{3, 4}"]),
        np.ones(4, dtype=bool),
        ["q"],
    )
    assert (gain.anonymity_gain, gain.privacy_gain, gain.kept) == (1, 50.0, 50.0)


def test_a_suppressed_record_loses_all_it_tells_and_has_no_risk():
    """Of x, x, y the y is left out: log₂(3) of its bits go, and one of two thirds of the risk."""
    kept = np.array([True, True, False])
    gain = measure_gain(small(q=["x", "x", "y"]), small(q=["x", "x"]), kept, ["q"])
    assert gain.bits_lost == pytest.approx(log2(3))
    assert gain.risk_after == pytest.approx(1 / 3)
    assert gain.suppressed == pytest.approx(1 / 3)
    assert gain.anonymity_gain == 1


def test_everything_suppressed_wins_all_and_keeps_nothing():
    """Where no record is published the risk is gone and so is the information; the smallest class is 0."""
    gain = measure_gain(small(q=["x", "y"]), small(q=[]), np.zeros(2, dtype=bool), ["q"])
    assert (gain.privacy_gain, gain.kept, gain.smallest_after) == (100.0, 0.0, 0)


def test_persons_are_counted_not_records():
    """Two records of one person are one person: with the entity column the class of x has one person."""
    before = small(q=["x", "x", "y", "y"], w=["1", "1", "2", "3"])
    everybody = np.ones(4, dtype=bool)
    assert measure_gain(before, before, everybody, ["q"]).smallest_before == 2
    assert measure_gain(before, before, everybody, ["q"], entity="w").smallest_before == 1


def test_one_class_has_nothing_to_win_or_lose():
    """A column of one value has no bits and one class: gain 0, everything kept."""
    one = small(q=["x", "x"])
    gain = measure_gain(one, one, np.ones(2, dtype=bool), ["q"])
    assert (gain.privacy_gain, gain.kept, gain.anonymity_gain) == (0.0, 100.0, 0)


def test_missing_is_a_value():
    """NULL is a class of its own and has bits like any value."""
    table = small(q=[None, None, "x", "x"])
    assert measure_gain(table, table, np.ones(4, dtype=bool), ["q"]).risk_before == 0.5
    assert bits_of_values(table.column("q")).tolist() == [1.0, 1.0]


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
