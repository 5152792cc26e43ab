"""Pattern-friendly QIDs, categories of values and partitions, against counting by hand and by pandas."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from examples import examples
from qidguard.sdk import AnonymizationTask, NotMeasurable, records_of
from qidguard_hybrid_dp.patterns.categories import CATEGORIES, CategoryLimits, ranks_of
from qidguard_hybrid_dp.patterns.forest import Forest, ForestMemory, labels_of, losses
from qidguard_hybrid_dp.patterns.friendly import MOST_LOSS, Pattern, declared, examine
from qidguard_hybrid_dp.patterns.preparing import prepared
from qidguard_hybrid_dp.run import by_categories, by_membership

LIMITS = CategoryLimits()


def codes(*counts):
    """Return codes 1, 2, … with so many records each."""
    return np.repeat(np.arange(1, len(counts) + 1), counts).astype(np.int32)


def examined(*counts, labels=(), **more):
    """Return one QID with so many records of each value, examined alone."""
    qid = Pattern(name="race", codes=codes(*counts))
    (one,) = examine([qid], labels, limits=LIMITS, forest=Forest(), **more)
    return one


@pytest.mark.parametrize(
    ("counts", "ranks"),
    [
        # example 1 of the paper: White is super major, Black major, API minor, AIE and Other super minor
        ([27816, 3124, 1039, 311, 271], ["super major", "major", "minor", "super minor", "super minor"]),
        # of 100 records 5 are major and 4 minor, 1 is minor; a value without a record is super minor
        ([90, 5, 4, 1, 0], ["super major", "major", "minor", "minor", "super minor"]),
        ([], []),
    ],
)
def test_the_four_categories(counts, ranks):
    """Limits are shares below which."""
    found = ranks_of(np.array(counts, dtype=np.int64), LIMITS)
    assert [CATEGORIES[rank].value for rank in found] == ranks


@pytest.mark.parametrize(
    ("counts", "is_friendly", "said"),
    [
        ((81, 10, 9), True, "largest value holds 81.0%"),
        ((81, 4, 4, 4, 4, 3), True, "largest value holds 81.0%"),
        # one rarer value beside the two largest is too few
        ((80, 10, 10), False, "beside them stand 1 rarer values"),
        ((80, 10, 9, 1), True, "two largest values hold 90.0%"),
        ((70, 15, 8, 7), False, "not more than 80%, its two largest 85.0%"),
        ((95, 5), False, "beside them stand 1 rarer values and not 2"),
        ((67, 33), False, "beside them stand 0 rarer values and not 2"),
        ((100,), False, "beside them stand 0"),
        ((90, 6, 4), True, "no sensitive attribute or target"),
    ],
)
def test_shares_decide_first(counts, is_friendly, said):
    """More than 80 %, or two more than 85 %, and two rarer values; alone where nothing is to be predicted."""
    one = examined(*counts)
    assert (one.is_friendly, said in one.reason) == (is_friendly, True), one.reason
    assert one.shares == tuple(sorted((count / sum(counts) for count in counts), reverse=True))


NEEDS = (codes(810, 100, 90) > 1).astype(np.int64)
RANDOM = np.random.default_rng(1).integers(0, 2, 1000)
NOTHING = np.zeros(1000, dtype=np.int64)


def test_what_the_forest_needs_is_not_friendly():
    """A value that decides a sensitive attribute loses accuracy when it is permuted; the worst counts."""
    one = examined(810, 100, 90, labels=[NEEDS])
    assert (one.is_friendly, "but permuting it costs" in one.reason) == (False, True)
    assert one.loss > MOST_LOSS
    assert not examined(810, 100, 90, labels=[NOTHING, NEEDS]).is_friendly
    assert examined(810, 100, 90, labels=[NOTHING]).loss == 0.0
    free = examined(810, 100, 90, labels=[RANDOM])
    assert (free.is_friendly, free.loss is None) == (True, False)


@pytest.mark.parametrize(("loss", "is_friendly"), [(0.5, True), (0.501, False)])
def test_half_a_point_may_be_lost(monkeypatch, loss, is_friendly):
    """More than that is too much."""
    monkeypatch.setattr("qidguard_hybrid_dp.patterns.friendly.losses", lambda *_: [loss])
    assert examined(810, 100, 90, labels=[codes(500, 500)]).is_friendly == is_friendly


def test_the_forest_is_asked_only_where_shares_leave_it_open():
    """Unless every QID is wanted."""
    label = RANDOM[:100]
    assert examined(67, 33, labels=[label]).loss is None
    assert examined(67, 33, labels=[label], is_each_asked=True).loss is not None


def test_the_policy_may_say_what_is_friendly():
    """No share and no forest is asked then."""
    qids = [Pattern(name="sex", codes=codes(5, 5)), Pattern(name="race", codes=codes(8, 1, 1))]
    found = declared(qids, ["sex"], LIMITS)
    assert [(one.name, one.is_friendly) for one in found] == [("sex", True), ("race", False)]
    assert found[1].ranks == (0, 1, 1)


@settings(max_examples=examples(10), deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**31), shuffle=st.integers(0, 2**31))
def test_the_order_of_records_changes_no_loss(seed, shuffle):
    """Equal records can be exchanged, and others are sorted."""
    generator = np.random.default_rng(seed)
    seen = generator.integers(0, 3, (60, 2)).astype(float)
    label = (seen[:, 0] > generator.random(60) * 2).astype(np.int64)
    order = np.random.default_rng(shuffle).permutation(60)
    forest = Forest(trees=3, repeats=2, seed=seed)
    assert losses(seen, label, [0, 1], forest) == losses(seen[order], label[order], [0, 1], forest)


def test_refitting_is_another_way_to_ask():
    """Where one column says all, both ways lose as much as there is to lose."""
    seen = np.stack([np.arange(400) % 2, np.arange(400) % 3], axis=1).astype(float)
    label = (np.arange(400) % 2).astype(np.int64)
    for is_refitted in (False, True):
        lost = losses(seen, label, [0, 1], Forest(is_refitted=is_refitted))
        assert lost[0] > 30
        assert abs(lost[1]) < 5


@pytest.mark.parametrize(("step", "first"), [(1.0, 0.0), (0.5, 0.0), (1.0, -1.0), (3e9, 0.0)])
def test_only_changed_records_are_asked_again_and_equal_ones_once(step, first):
    """The losses are those of predicting all held-out records one by one, with every permutation.

    Codes of categories are compared as they are; halves, numbers below 0, huge and missing ones are not.
    """
    generator = np.random.default_rng(4)
    codes_of = generator.integers(0, 3, (300, 2))
    seen = first + step * codes_of
    seen[::7, 1] = np.nan
    label = (codes_of[:, 0] > generator.random(300) * 2).astype(np.int64)
    forest = Forest(trees=4, repeats=2, most_learned=150)
    order = np.lexsort((label, *seen.T))[np.random.default_rng([0, 5]).permutation(300)]
    learned, held = order[:150], order[150:]
    model = RandomForestClassifier(n_estimators=4, min_samples_leaf=5, random_state=0)
    model.fit(seen[learned], label[learned])
    expected = []
    for column in (0, 1):
        own, lost = np.random.default_rng([0, 7, column]), 0.0
        for _ in range(2):
            other = seen[held].copy()
            other[:, column] = own.permutation(other[:, column])
            lost += 50 * (model.score(seen[held], label[held]) - model.score(other, label[held]))
        expected.append(lost)
    assert losses(seen, label, [0, 1], forest) == pytest.approx(expected, abs=1e-9)


def test_a_forest_remembers_what_it_was_asked():
    """Another column, label, seed or table is another question; of many the oldest are forgotten."""
    memory, seen = ForestMemory(), np.arange(60.0).reshape(20, 3) % 4
    label = np.arange(20) % 2
    given = (seen, label, [0], Forest(trees=2))
    answer = memory(*given)
    assert (memory(*given), memory.asked) == (answer, 1)
    assert answer == losses(*given)
    others = [(seen + 1, *given[1:]), (seen, 1 - label, *given[2:]), (*given[:2], [1], given[3])]
    for count, other in enumerate([*others, (*given[:3], Forest(trees=2, seed=1))], start=2):
        assert memory(*other) == losses(*other)
        assert memory.asked == count
    for seed in range(2, 18):
        memory(*given[:3], Forest(trees=1, seed=seed))
    asked = memory.asked
    memory(*given)
    assert memory.asked == asked + 1


def test_very_few_records_are_not_asked():
    """Nine records, or one kind of label: 0."""
    seen = np.arange(9.0).reshape(-1, 1)
    assert losses(seen, np.arange(9) % 2, [0], Forest()) == [0.0]
    assert losses(np.arange(40.0).reshape(-1, 1), np.zeros(40, dtype=np.int64), [0], Forest()) == [0.0]


def test_labels_of_many_values_are_cut():
    """Numbers at their quartiles, texts to the 19 most frequent and the rest; noised columns are left out."""
    frame = pd.DataFrame({name: range(100) for name in ("pay", "age", "row")})
    held = records_of(frame.assign(job=[f"job {i % 40}" for i in range(100)]))
    task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=("pay", "job"), seed=0)
    pay, job = labels_of(held, task, ["age"])
    assert sorted(np.bincount(pay).tolist()) == [25] * 4
    assert job.max() == 19
    only = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), target="age", seed=0)
    assert labels_of(held, only, ["age"]) == []


def test_a_record_violates_by_any_friendly_qid():
    """Two QIDs of five records; major values violate unless they are allowed."""
    race = np.array([1, 1, 1, 2, 1], dtype=np.int32)
    country = np.array([1, 2, 1, 1, 1], dtype=np.int32)
    assert by_categories([race, country], LIMITS).tolist() == [False, True, False, True, False]
    assert not by_categories([race, country], LIMITS, is_major_other=True).any()


@pytest.mark.parametrize(
    ("values", "is_other"),
    [
        ({"race": ("W", "B")}, [True, True, True, False, False]),
        ({"race": ("W",), "sex": ("f",)}, [True, False, False, False, False]),
        ({"sex": ("f",), "race": ("W",)}, [True, False, False, False, False]),
    ],
)
def test_membership_by_declared_values(values, is_other):
    """One value that is not declared violates, in whichever column, and so does NULL; errors repeat none."""
    held = records_of(
        pd.DataFrame({"race": ["W", "B", "W", "O", None], "sex": list("ffmmf"), "row": range(5)})
    )
    row = held.column("row")
    order = np.argsort(row.numbers[row.codes])
    assert by_membership(held, values)[order].tolist() == [not other for other in is_other]
    with pytest.raises(NotMeasurable, match="'race' names values that no record has") as raised:
        by_membership(held, {"race": ("white",)})
    assert "white" not in str(raised.value)


def test_the_five_steps_count_and_drop_nothing():
    """Six records checked by hand: one outside, one without a race, one NaN, one twice."""
    frame = pd.DataFrame(
        {
            "name": list("abcdef"),
            "age": [30, 30, 200, 41, 50, 51],
            "race": ["W", "W", "W", None, "B", "W"],
            "pay": ["x", "x", "y", "x", "y", "x"],
            "note": list("uvwxyz"),
        }
    )
    task = AnonymizationTask(
        combinations=(("age", "race"),), entity=None, sensitive=("pay",), seed=0, direct_identifiers=("name",)
    )
    found = prepared(records_of(frame), task, {"age": (Fraction(17), Fraction(90))})
    assert (found.left_out, found.kept) == (("name",), ("note",))
    assert (found.outside, found.incomplete, found.redundant) == ({"age": 1}, 1, 1)
    assert len(found.sentences) == 5
    assert "1 values of age outside" in found.sentences[1]


def test_what_is_no_number_among_numbers_is_counted():
    """A NaN and an infinity of a column of numbers; NULL is missing."""
    pa = pytest.importorskip("pyarrow")
    held = records_of(pa.table({"age": [1.5, float("nan"), float("inf"), None]}))
    task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
    found = prepared(held, task, {"age": (Fraction(0), Fraction(9))})
    assert (found.inconsistent, found.outside, found.incomplete) == ({"age": 2}, {"age": 0}, 1)


def pattern(frame, name, **more):
    """Return a column of a frame to be examined."""
    return Pattern(name=name, codes=pd.factorize(frame[name], sort=True)[0].astype(np.int32), **more)


@pytest.mark.realdata
def test_adult_by_categories(adult_frame):
    """On Adult S9 race and country are pattern-friendly exactly; the others have their reasons."""
    said = {"sex": "0 rarer values", "marital-status": "not more than 80%", "workclass": "not more than 80%"}
    names = ("sex", "race", "country", "workclass", "education", "marital-status", "occupation")
    qids = [pattern(adult_frame, name) for name in names]
    label = pd.factorize(adult_frame["income"])[0].astype(np.int64)
    found = {one.name: one for one in examine(qids, [label], limits=LIMITS, forest=Forest(repeats=1))}
    for name in ("race", "country", *said):
        assert found[name].is_friendly == (name in {"race", "country"})
        assert said.get(name, "at most 0.5") in found[name].reason


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("with_numbers", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "more", [(), ("hours-per-week", "workclass", "education", "marital-status", "occupation")]
)
def test_adult_is_the_papers_at_every_seed(adult_frame, more, seed, with_numbers):
    """S4 and S9, with and without numbers: race and country, and no other."""
    qids = []
    for name in ("age", "sex", "race", "country", *more):
        values = adult_frame[name]
        if not pd.api.types.is_numeric_dtype(values):
            qids.append(pattern(adult_frame, name))
        elif with_numbers:
            qids.append(pattern(adult_frame, name, numbers=values.to_numpy(dtype=np.float64)))
    label = pd.factorize(adult_frame["income"])[0].astype(np.int64)
    found = examine(qids, [label], limits=LIMITS, forest=Forest(seed=seed), is_each_asked=True)
    assert [one.name for one in found if one.is_friendly] == ["race", "country"]
