"""Suppression of small classes against plain Python, against all subsets and against audits of the result."""

import random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Anonymized, NotMeasurable, UserError
from qidguard_standard.anonymizers import small_class_suppression
from qidguard_standard.anonymizers.small_class_suppression import SmallClassSuppression

NAMES = ("a", "b", "w")
RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=12
)
COMBINATIONS = st.sampled_from([(("a",),), (("a", "b"),), (("a",), ("b",)), (("a", "b"), ("b",), ("a",))])
ENTITY = st.sampled_from([None, "w"])


def coded(records):
    """Return records of whole numbers as an anonymizer sees them: columns a, b and w, NULL being 0."""
    table = np.array(records, dtype=np.int32).reshape(-1, len(NAMES))
    return SimpleNamespace(
        names=NAMES,
        records=len(table),
        codes=lambda columns: table[:, [NAMES.index(name) for name in columns]],
    )


def suppress(records, combos=(("a",),), *, k=2, entity=None, most_suppressed=1.0, seed=0):
    """Suppress small classes; the mask and the counts."""
    task = AnonymizationTask(combinations=combos, entity=entity, sensitive=(), seed=seed)
    arguments = {"k": k, "most_suppressed": most_suppressed}
    done = SmallClassSuppression().anonymize(coded(records), arguments, task)
    assert isinstance(done, Anonymized)
    assert done.kept.dtype == np.bool_
    return done.kept.tolist(), dict(done.suppressed_by)


def kept_or_none(records, combos, **options):
    """Return the mask; all False where nothing is left."""
    try:
        return suppress(records, combos, **options)[0]
    except NotMeasurable:
        return [False] * len(records)


def one_after_the_other(records, combos, k, entity):
    """Return the mask by taking out one small class at a time, in plain Python."""
    kept = set(range(len(records)))
    while True:
        for columns in combos:
            classes = {}
            for i in kept:
                classes.setdefault(tuple(records[i][NAMES.index(name)] for name in columns), set()).add(i)
            small = [c for c in classes.values() if len({records[i][2] if entity else i for i in c}) < k]
            if small:
                kept -= small[-1]
                break
        else:
            return [i in kept for i in range(len(records))]


THREE_TWO_ONE = [(1, 0, 0)] * 3 + [(2, 0, 0)] * 2 + [(3, 0, 0)]
CHAIN = [(1, 1, 0), (1, 1, 0), (2, 2, 0), (3, 2, 0), (3, 3, 0), (3, 3, 0)]
"""By a the third is alone; without it the fourth is alone by b, and so is then nobody else."""
VISITS = [(1, 0, 1)] * 9 + [(2, 0, 2), (2, 0, 3)]
"""Nine visits of one patient are a class of one; two patients with a visit each are two."""
BOTH = {"combos": (("a",), ("b",))}


@pytest.mark.parametrize(
    ("records", "options", "kept", "suppressed_by"),
    [
        (THREE_TWO_ONE, {"k": 2}, "111110", {"a": 1}),
        (THREE_TWO_ONE, {"k": 3}, "111000", {"a": 3}),
        (CHAIN, BOTH, "110011", {"a": 1, "b": 1}),
        # the last record is alone by a and by b in the same round, and counts for both
        ([(1, 1, 0), (1, 1, 0), (2, 2, 0)], BOTH, "110", {"a": 1, "b": 1}),
        # two records without a value are a class of two, one alone is a class of one
        ([(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 0, 0)], {}, "1111", {"a": 0}),
        ([(0, 0, 0), (1, 0, 0), (1, 0, 0)], {}, "011", {"a": 1}),
        (VISITS, {"entity": "w"}, "00000000011", {"a": 9}),
        (VISITS, {}, "11111111111", {"a": 0}),
        # patient 1 shares class 1 with 2 and is alone in class 2: only that visit goes
        ([(1, 0, 1), (1, 0, 2), (2, 0, 1)], {"entity": "w"}, "110", {"a": 1}),
        # by b a visit of patient 1 goes, but by a they still have the other and stay one of two
        ([(1, 1, 1), (1, 2, 1), (1, 1, 2)], {"entity": "w", **BOTH}, "101", {"a": 0, "b": 1}),
        ([(1, 1, 1)] * 3, {"k": 3}, "111", {"a": 0}),
    ],
)
def test_by_hand(records, options, kept, suppressed_by):
    """Records of small classes go, and are counted for each combination that they were small in."""
    found, counts = suppress(records, **options)
    assert ("".join(str(int(one)) for one in found), counts) == (kept, suppressed_by)


@pytest.mark.parametrize(
    ("records", "options", "sentence"),
    [
        ([(1, 1, 1)] * 3, {"k": 4}, "k = 4 leaves none of the 3 records; coarsen the QIDs"),
        (
            [(1, 0, 0)] * 7 + [(2, 0, 0), (3, 0, 0), (4, 0, 0)],
            {"k": 5, "most_suppressed": 0.2},
            r"5 needs 3 of 10 records suppressed \(30 %\), above most_suppressed = 20 %; .* or raise it$",
        ),
    ],
)
def test_too_much_suppressed_says_how_much(records, options, sentence):
    """A single class may be too small, and three of ten records are more than a fifth."""
    with pytest.raises(NotMeasurable, match=sentence):
        suppress(records, **options)


@pytest.mark.parametrize(("suppressed", "records"), [(1, 10), (3, 10), (7, 10), (1, 3), (29, 100)])
def test_exactly_as_much_as_allowed_is_allowed(suppressed, records):
    """The limit is a share as people write it, and what rounds to it does not exceed it."""
    table = [(1, 0, 0)] * (records - suppressed) + [(2 + i, 0, 0) for i in range(suppressed)]
    assert sum(suppress(table, most_suppressed=suppressed / records)[0]) == records - suppressed
    with pytest.raises(NotMeasurable, match="most_suppressed"):
        suppress(table, most_suppressed=suppressed / records - 1e-9)


@pytest.mark.parametrize(
    ("given_arguments", "sentence"),
    [
        ({}, "parameter 'k' is required"),
        ({"k": 1}, "parameter 'k' must be at least 2, not 1$"),
        (
            {"k": 2, "most_suppressed": 1.1},
            r"parameter 'most_suppressed' must lie in 0\.0\.\.1\.0, not 1\.1$",
        ),
        (
            {"k": 2, "most_suppressed": -0.1},
            r"parameter 'most_suppressed' must lie in 0\.0\.\.1\.0, not -0\.1$",
        ),
    ],
)
def test_a_tenth_may_be_suppressed_where_the_policy_says_nothing(given_arguments, sentence):
    """The default guards utility; k has none, for it is the policy's own."""
    assert bind(SmallClassSuppression.parameters, {"k": 5}) == {"k": 5, "most_suppressed": 0.1}
    with pytest.raises(UserError, match=f"^{sentence}"):
        bind(SmallClassSuppression.parameters, given_arguments)


@given(records=RECORDS, combos=COMBINATIONS, k=st.integers(2, 4), entity=ENTITY)
def test_equals_taking_out_one_class_at_a_time(records, combos, k, entity):
    """In whatever order small classes go, the same records are left."""
    assert kept_or_none(records, combos, k=k, entity=entity) == one_after_the_other(
        records, combos, k, entity
    )


@given(records=RECORDS, combos=COMBINATIONS, k=st.integers(2, 4), entity=ENTITY, seed=st.integers(0, 9))
def test_order_of_records_combinations_and_the_seed_play_no_part(records, combos, k, entity, seed):
    """A shuffle of the records shuffles the mask and nothing else."""
    order = random.Random(seed).sample(range(len(records)), len(records))  # noqa: S311 - guards no secret
    shuffled = [records[i] for i in order]
    before = kept_or_none(records, combos, k=k, entity=entity)
    after = kept_or_none(shuffled, tuple(reversed(combos)), k=k, entity=entity, seed=seed)
    assert after == [before[i] for i in order]
    if any(before):
        counts = suppress(records, combos, k=k, entity=entity)[1]
        assert counts == suppress(shuffled, tuple(reversed(combos)), k=k, entity=entity, seed=seed)[1]


@given(records=RECORDS, combos=COMBINATIONS, k=st.integers(2, 4), entity=ENTITY)
def test_classes_that_memory_cannot_hold_give_the_same(records, combos, k, entity):
    """With every round's classes made anew, the same records go on behalf of the same combinations."""

    def outcome():
        try:
            return suppress(records, combos, k=k, entity=entity)
        except NotMeasurable as reason:
            return str(reason)

    held = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_class_suppression, "MOST_BYTES", 0)
        assert outcome() == held


@settings(max_examples=examples(15), deadline=None)
@given(records=RECORDS, combos=COMBINATIONS, k=st.integers(2, 3), entity=ENTITY)
def test_an_audit_of_the_result_finds_it_anonymous(records, combos, k, entity):
    """The reference, SQL over what is kept, gives at least k for every combination."""
    kept = kept_or_none(records, combos, k=k, entity=entity)
    if not any(kept):
        return
    frame = pd.DataFrame(records, columns=list(NAMES))[np.array(kept)]
    limit = {"metric": "k_anonymity", "at_least": k}
    head = {"qidguard": 1, "name": "after", "unnamed_columns": "insensitive", "thresholds": [limit]}
    for columns in combos:
        roles = {"quasi_identifiers": list(columns)} | ({"entity": entity} if entity else {})
        with qidguard.audit(frame, policy=head | {"roles": roles}) as audit:
            assert audit.is_passed, audit.verdict


def test_columns_are_asked_for_once():
    """Codes may be dear to make: all QIDs come in one piece, the entity in another."""
    asked = []
    table = coded([(1, 1, 1), (1, 1, 2)])
    spy = SimpleNamespace(
        names=NAMES, records=2, codes=lambda names: asked.append(names) or table.codes(names)
    )
    task = AnonymizationTask(combinations=(("a",), ("b", "a"), ("a",)), entity="w", sensitive=(), seed=0)
    done = SmallClassSuppression().anonymize(spy, {"k": 2, "most_suppressed": 0.0}, task)
    assert asked == [("a", "b"), ("w",)]
    assert done.suppressed_by == {"a": 0, "b, a": 0}


def test_a_chain_of_rounds_ends_where_plain_python_ends():
    """Two combinations of fives, one shifted by two, fall like dominoes from both ends: nothing is left."""
    records = [(i // 5, (i + 2) // 5, 0) for i in range(60)]
    assert one_after_the_other(records, (("a",), ("b",)), 5, None) == [False] * 60
    assert kept_or_none(records, (("a",), ("b",)), k=5) == [False] * 60


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "w"])
def test_a_million_records_of_eight_columns(entity):
    """The kept records are those of a pandas group-by that is repeated until it stands still."""
    chance, records = np.random.default_rng(1), 1_000_000
    frame = pd.DataFrame(
        {
            f"c{i}": chance.zipf(1.8, records).clip(1, most).astype(np.int32)
            for i, most in enumerate((2, 5, 9, 16, 40, 70, 100, 1000))
        }
    ).assign(w=chance.integers(1, 300_000, records).astype(np.int32))
    *names, _ = frame
    combos = (tuple(names), tuple(names[:5]), tuple(names[3:]))
    table = SimpleNamespace(
        names=tuple(frame), records=records, codes=lambda some, every=frame: every[list(some)].to_numpy()
    )
    task = AnonymizationTask(combinations=combos, entity=entity, sensitive=(), seed=0)
    done = SmallClassSuppression().anonymize(table, {"k": 5, "most_suppressed": 1.0}, task)
    count = "size" if entity is None else "nunique"
    is_kept = np.zeros(records, dtype=bool)
    while not is_kept.all():
        sizes = [frame.groupby(list(some))["w"].transform(count) for some in combos]
        is_kept = np.all([size >= 5 for size in sizes], axis=0)
        frame = frame[is_kept]
    assert 0 < len(frame) < records
    assert np.flatnonzero(done.kept).tolist() == frame.index.tolist()
