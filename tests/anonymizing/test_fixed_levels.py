"""Fixed levels: what is published of each column, and which records are left out, by counting by hand."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from levelled_tables import Table
from qidguard.anonymizing.fixed_levels import FixedLevels
from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy
from qidguard.anonymizing.protocol import AnonymizationTask, PolicyLimit
from qidguard.core.column import Original
from qidguard.core.errors import NotMeasurable, UserError
from qidguard.core.parameter import bind
from qidguard.core.verdict import Bound, Limit
from qidguard.host import load_host
from qidguard.policy.recoding import FixedRecoding


def limit_on(name, value, qids, *, sensitive=None, knows_any=None, bound=Bound.AT_LEAST):
    """Return a limit of a policy."""
    metric = load_host().metric(name)
    return PolicyLimit(
        metric=metric, arguments=bind(metric.parameters, {}), limit=Limit(bound=bound, value=value),
        qids=qids, sensitive=sensitive, knows_any=knows_any,
    )  # fmt: skip


def done(records, levels, *targets, suppress=0.0, entity=None, sensitive=()):
    """Return what fixed levels make of records; ages have intervals of tens and of twenties."""
    task = AnonymizationTask(
        combinations=(tuple(name for name in records.names if name not in {entity, *sensitive}),),
        entity=entity,
        sensitive=sensitive,
        seed=0,
        targets=targets,
        hierarchies={
            name: interval_hierarchy(records.column(name), widths=(10, 20))
            for name in records.names
            if name == "age"
        },
    )
    asked = FixedRecoding(levels=levels, suppress=suppress)
    return FixedLevels().anonymize(records, asked.arguments, task)


def published(recoded):
    """Return the published value of each record."""
    return [recoded.values[code] for code in recoded.codes.tolist()]


def test_levels_are_published_and_a_dropped_column_holds_the_mark():
    """Level 1 is in tens, NULL stays NULL, level 0 stays as it is; what is dropped tells nobody apart."""
    records = Table(age=[21, 29, 35, None], ward=["a", "b", "a", "b"], sex=["f", "m", "f", "m"])
    made = done(records, {"age": 1, "ward": "drop", "sex": 0})
    assert published(made.columns["age"]) == ["[20, 29]", "[20, 29]", "[30, 39]", None]
    assert published(made.columns["ward"]) == ["*"] * 4
    assert set(made.columns) == {"age", "ward"}
    assert not any(isinstance(value, Original) for value in made.columns["age"].values)
    assert made.kept.all()
    assert made.notes == ("levels: age 1 of 3, ward not published, sex 0",)


def test_classes_below_k_are_left_out_where_that_is_allowed():
    """Two of five records stand alone in their tens: 40 % may go, 39 % may not, and the sentence counts."""
    records = Table(age=[21, 22, 23, 41, 51], sex=["f"] * 5)
    k = limit_on("k_anonymity", 2, ("age", "sex"))
    made = done(records, {"age": 1}, k, suppress=0.4)
    assert made.kept.tolist() == [True, True, True, False, False]
    assert made.suppressed_by == {"age, sex": 2}
    assert [claim.metric for claim in made.guarantees] == ["k_anonymity"]
    with pytest.raises(NotMeasurable) as blocked:
        done(records, {"age": 1}, k, suppress=0.39)
    assert str(blocked.value) == (
        "2 of 5 records (40 %) stand in classes that miss a limit, above suppress = 39 %; take coarser"
        " levels, drop a column, or raise suppress"
    )


def test_a_share_is_exact():
    """29 of 100 records are 0.29 of them, which floating point makes a little less."""
    records = Table(age=[21] * 71 + list(range(30, 59)), sex=["f"] * 100)
    k = limit_on("k_anonymity", 2, ("age", "sex"))
    assert int((~done(records, {}, k, suppress=0.29).kept).sum()) == 29


def test_shares_are_of_persons_where_records_are_visits():
    """One person with three visits is one of three persons; classes count persons."""
    records = Table(age=[21, 21, 21, 41, 42], pid=["p", "p", "p", "q", "r"])
    leave_out = partial(done, records, {"age": 1}, limit_on("k_anonymity", 2, ("age",)), entity="pid")
    with pytest.raises(NotMeasurable, match=r"^1 of 3 persons \(33.33 %\) stand"):
        leave_out(suppress=0.3)
    assert leave_out(suppress=0.34).kept.tolist() == [False, False, False, True, True]


def test_distinct_values_are_kept_too():
    """A class of two with one illness goes for l = 2, though k = 2 would keep it."""
    records = Table(age=[21, 22, 41, 42], illness=["flu", "cold", "flu", "flu"])
    wanted = [
        limit_on("k_anonymity", 2, ("age",)),
        limit_on("distinct_l_diversity", 2, ("age",), sensitive="illness"),
        limit_on("prosecutor_risk_average", 0.5, ("age",), bound=Bound.AT_MOST),
    ]
    made = done(records, {"age": 1}, *wanted, suppress=0.5, sensitive=("illness",))
    assert made.kept.tolist() == [True, True, False, False]
    assert made.notes[1] == (
        "nothing is left out for prosecutor_risk_average, which the audit of the result judges as all others"
    )


def test_leaving_out_for_one_set_breaks_another():
    """An attacker who knows any one of two: what goes for the ward makes a sex too small, so that goes."""
    records = Table(sex=["f", "f", "m", "m", "m"], ward=["a", "b", "b", "b", "b"])
    k = limit_on("k_anonymity", 2, ("sex", "ward"), knows_any=1)
    made = done(records, {}, k, suppress=0.5)
    assert made.kept.tolist() == [False, False, True, True, True]


@settings(max_examples=examples(25), deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(20, 60), st.sampled_from(["f", "m", None]), st.sampled_from("abc"),
                  st.integers(0, 5), st.sampled_from(["flu", "cold"])),
        min_size=1, max_size=30,
    ),
    k=st.integers(2, 4),
    least=st.integers(1, 2),
    knows=st.sampled_from([None, 1, 2]),
)  # fmt: skip
def test_what_is_kept_is_the_largest_set_that_counting_finds(rows, k, least, knows):
    """With persons, NULLs, two limits and subsets, a loop over plain sets leaves the same records."""
    age, sex, ward, pid, illness = map(list, zip(*rows, strict=True))
    records = Table(age=age, sex=sex, ward=ward, pid=pid, illness=illness)
    qids = ("age", "sex", "ward")
    wanted = [
        limit_on("k_anonymity", k, qids, knows_any=knows),
        limit_on("distinct_l_diversity", least, qids, sensitive="illness", knows_any=knows),
    ]
    shown = [(a // 10, s, "*", p, i) for a, s, _, p, i in rows]
    sets = [(0, 1, 2)] if knows is None else list(itertools.combinations(range(3), knows))
    left = set(range(len(rows)))
    while True:
        out = set()
        for chosen in sets:
            classes = {}
            for row in left:
                classes.setdefault(tuple(shown[row][at] for at in chosen), []).append(row)
            for members in classes.values():
                persons = {shown[row][3] for row in members}
                values = {shown[row][4] for row in members}
                if len(persons) < k or len(values) < least:
                    out |= set(members)
        if not out:
            break
        left -= out
    leave_out = partial(
        done, records, {"age": 1, "ward": "drop"}, *wanted, entity="pid", sensitive=("illness",)
    )
    if not left:
        with pytest.raises(NotMeasurable):
            leave_out(suppress=0.999)
        return
    made = leave_out(suppress=1.0)
    assert set(np.flatnonzero(made.kept).tolist()) == left


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ({"age": 4}, "recode puts column 'age' on level 4, and its hierarchy has the levels 0 to 3; take"),
        ({"sex": 1}, "recode puts column 'sex' on level 1, and the policy declares no hierarchy of it; add"),
        ({"illness": "drop"}, "recode is for quasi-identifiers, and column 'illness' is none of this table;"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(levels, expected):
    """A level that there is not, no hierarchy, no quasi-identifier."""
    records = Table(age=[21, 22], sex=["f", "m"], illness=["flu", "flu"])
    with pytest.raises(UserError) as fault:
        done(records, levels, sensitive=("illness",))
    assert str(fault.value).startswith(expected)
