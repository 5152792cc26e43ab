"""The same table gives the same answers in every kind of batch, and those of an audit."""

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from gx_batches import MAKERS, figures, frame, pandas_table, sql_table
from qidguard.core.errors import QidguardError
from qidguard.policy.origin import value_digest
from qidguard.rendering.document import document
from qidguard.rendering.sentence import reasons
from qidguard_expectations import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTablePrivacyMetricToBeWithin,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTableTClosenessToBeAtMost,
    ExpectTableToMeetPrivacyPolicy,
)

pytestmark = pytest.mark.gx

QIDS = ["sex", "age", "day"]
VISITS = {
    "person": [1, 2, 3, 4, 4, 5, 5, 6],
    "sex": ["f", "f", "m", "m", "m", None, None, "f"],
    "age": [30, 30, 41, 41, 41, 41, None, 30],
    "day": [dt.date(2020, 1, 1)] * 5 + [None, None, dt.date(2020, 1, 1)],
    "illness": ["flu", "acne", "flu", "flu", "gout", "acne", "acne", None],
    "height": [1.5, 1.5, 1.75, None, 1.75, 1.5, 1.5, 1.75],
}
POLICY = {
    "qidguard": 1,
    "name": "visits",
    "roles": {
        "quasi_identifiers": QIDS,
        "sensitive": ["illness", "height"],
        "entity": "person",
    },
    "thresholds": [
        {"metric": "k_anonymity", "at_least": 2},
        {"metric": "entropy_l_diversity", "at_least": 1.2},
        {"metric": "t_closeness", "at_most": 0.5},
        {"metric": "t_closeness_ordered", "at_most": 0.5, "sensitive": "height", "on_miss": "warn"},
        {"metric": "share_below_k", "at_most": 0.5, "parameters": {"k": 3}},
    ],
    "combinations": [
        {
            "name": "some",
            "quasi_identifiers": ["sex", "age"],
            "attacker": {"knows_any": 1},
            "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        }
    ],
}


def suite(policy=POLICY):
    """Return every kind of expectation, counting records and counting persons."""
    both = [{}, {"entity": "person"}]
    return [
        *(ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=QIDS, at_least=2, **e) for e in both),
        *(
            ExpectTableLDiversityToBeAtLeast(
                quasi_identifiers=QIDS, sensitive="illness", at_least=limit, model=model
            )
            for model, limit in (("distinct", 2), ("entropy", 1.5))
        ),
        *(
            ExpectTableTClosenessToBeAtMost(
                quasi_identifiers=QIDS, sensitive="height", at_most=0.4, ordered=ordered, entity="person"
            )
            for ordered in (False, True)
        ),
        *(ExpectTableReidentificationRiskToBeAtMost(quasi_identifiers=QIDS, at_most=0.4, **e) for e in both),
        *(ExpectTableShareAtRiskToBeAtMost(quasi_identifiers=QIDS, at_most=0.4, k=3, **e) for e in both),
        ExpectTableShareAtRiskToBeAtMost(quasi_identifiers=QIDS, at_most=0.4, risk=0.4),
        ExpectTablePrivacyMetricToBeWithin(
            metric="k_anonymity", quasi_identifiers=QIDS, at_least=2, attacker={"knows_any": 2}
        ),
        ExpectTablePrivacyMetricToBeWithin(metric="k_anonymity", quasi_identifiers=["nowhere"], at_least=2),
        ExpectTableColumnsToBeAsApproved(columns=[*QIDS, "person"]),
        ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=value_digest(policy)),
    ]


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "pandas"])
def test_every_kind_answers_as_pandas_does(context, tmp_path, kind):
    """Verdicts, figures, classes and reasons are equal, those of a whole policy to its document."""
    table = VISITS if kind != "sqlite" else {n: v for n, v in VISITS.items() if n != "day"} | {"day": days()}
    theirs = figures(pandas_table(context, table).validate(*suite()))
    assert figures(MAKERS[kind](context, table, tmp_path).validate(*suite())) == theirs


def days():
    """Return the days as texts: SQLite has no dates."""
    return [None if day is None else day.isoformat() for day in VISITS["day"]]


def test_postgresql_answers_as_pandas_does(context, postgres_url):
    """PostgreSQL gives the same answers as well."""
    theirs = figures(pandas_table(context, VISITS).validate(*suite()))
    assert figures(sql_table(context, VISITS, postgres_url).validate(*suite())) == theirs


HOSTILE = [
    "select",
    'quo"te',
    "apo'strophe",
    "back`tick",
    "semi;colon",
    "dash--dash",
    "a b",
    " lead",
    "dot.ted",
    "per%cent",
    "per%scent",
    "col:on",
    "br[ack]et",
    "Ünïcødé ☃",
    "名前",
    "batch_id",
    "column",
    "c0",
    "records",
    "$PARAMETER",
    "x" * 60,
]


@pytest.mark.parametrize("kind", MAKERS)
def test_hostile_names(context, tmp_path, kind):
    """A column may be called anything: it is found by its name, alone and with all others."""
    table = {name: [1, 1, 2, 2, i] for i, name in enumerate(HOSTILE)}
    each = [ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=[name], at_least=2) for name in HOSTILE]
    every = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=HOSTILE, at_least=2)
    columns = ExpectTableColumnsToBeAsApproved(columns=HOSTILE)
    found = MAKERS[kind](context, table, tmp_path).validate(*each, every, columns)
    sizes = [2 if i in {1, 2} else 1 for i in range(len(HOSTILE))]
    assert [result.result["observed_value"] for result in found] == [*sizes, 1, 0]


def test_hostile_names_in_postgresql(context, postgres_url):
    """PostgreSQL finds the same names, and tells upper from lower case."""
    table = {name: [1, 1, 2, 2, i] for i, name in enumerate([*HOSTILE, "Age", "age"])}
    each = [ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=[name], at_least=2) for name in table]
    found = sql_table(context, table, postgres_url).validate(*each)
    assert [r.result["observed_value"] for r in found] == [2 if i in {1, 2} else 1 for i in range(len(table))]


def test_names_that_differ_in_case(context):
    """Age and age are two columns where the batch can have both; a third spelling is none of them."""
    made = pandas_table(context, {"Age": [1, 1], "age": [1, 2]})
    qids = (["Age"], ["age"], ["AGE"])
    found = made.validate(*(ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=q, at_least=2) for q in qids))
    assert [result.result["observed_value"] for result in found] == [2, 1, None]


WIDE = {f"n{i}": [1, 1, i, i] for i in range(300)}


@pytest.mark.parametrize("kind", MAKERS)
def test_three_hundred_columns(context, tmp_path, kind):
    """A wide table is judged by the columns that are named."""
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["n7", "n299"], at_least=2)
    (result,) = MAKERS[kind](context, WIDE, tmp_path).validate(expectation)
    assert result.result["observed_value"] == 2


@pytest.mark.slow
def test_policy_of_three_hundred_columns(context, tmp_path):
    """A policy judges every column of a wide table."""
    policy = POLICY | {
        "roles": {"quasi_identifiers": ["n1", "n7"]},
        "unnamed_columns": "insensitive",
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        "combinations": [],
    }
    expectation = ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=value_digest(policy))
    (result,) = MAKERS["duckdb"](context, WIDE, tmp_path).validate(expectation)
    assert result.success is True
    assert result.result["details"]["document"]["table"]["columns"] == 300


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(
    "values",
    [
        [True, True, False, None],
        [2**62, 2**62 + 1, 2**62, None],
        [0.1, 0.1 + 2**-55, 0.1, None],
        ["", " ", "", None],
        ["1", "01", "1", None],
        ["ä", "a\u0308", "ä", None],
    ],
    ids=["truth", "large", "close", "empty", "zeros", "accents"],
)
def test_values_are_told_apart_alike(context, tmp_path, kind, values):
    """Values that look alike are one class or two, in every kind of batch the same."""
    table = {"a": values}
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["a"], at_least=2)
    (result,) = MAKERS[kind](context, table, tmp_path).validate(expectation)
    assert result.result["details"]["classes"] == {
        "combination": "default",
        "qids": ["a"],
        "classes": len({repr(value) for value in values}),
        "smallest": 1,
        "uniques": 2,
    }


def test_decimals_are_exact(context, tmp_path):
    """Decimal numbers with many digits stay apart, in pandas and in DuckDB."""
    values = [Decimal("1.0000000000000001"), Decimal("1.0000000000000002"), Decimal("1.0")]
    for kind in ("pandas", "duckdb", "relation"):
        expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["a"], at_least=2)
        (result,) = MAKERS[kind](context, {"a": values}, tmp_path).validate(expectation)
        assert result.result["details"]["classes"]["classes"] == 3


COLUMNS = {
    "a": st.sampled_from([None, "x", "y", "?"]),
    "b": st.sampled_from([None, 1, 2, 3]),
    "c": st.sampled_from([None, 0.5, 1.5]),
    "s": st.sampled_from([None, "u", "v", "w"]),
    "p": st.sampled_from([1, 2, 3, 4]),
}
TABLES = st.lists(st.tuples(*COLUMNS.values()), min_size=1, max_size=25).map(
    lambda rows: dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
)
THRESHOLDS = st.lists(
    st.sampled_from(
        [
            {"metric": "k_anonymity", "at_least": 2},
            {"metric": "distinct_l_diversity", "at_least": 2},
            {"metric": "entropy_l_diversity", "at_least": 1.5},
            {"metric": "t_closeness", "at_most": 0.4},
            {"metric": "prosecutor_risk_max", "at_most": 0.5},
            {"metric": "prosecutor_risk_average", "at_most": 0.5},
            {"metric": "share_below_k", "at_most": 0.3, "parameters": {"k": 2}},
            {"metric": "share_unique", "at_most": 0.1},
            {"metric": "suda_dis_max", "at_most": 0.5},
        ]
    ),
    min_size=1,
    max_size=4,
    unique_by=repr,
)


@given(
    table=TABLES,
    qids=st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
    thresholds=THRESHOLDS,
    entity=st.sampled_from([None, "p"]),
    missing=st.sampled_from([(), ("?",)]),
    kind=st.sampled_from(sorted(MAKERS)),
)
@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_figures_are_those_of_an_audit(context, tmp_path, table, qids, thresholds, entity, missing, kind):
    """Whatever the table: each figure and the verdict are those that an audit of the frame gives."""
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": qids, "sensitive": ["s"], "entity": entity},
        "unnamed_columns": "insensitive",
        "thresholds": thresholds,
        "source": {"missing": list(missing)},
    }
    needs = {"distinct_l_diversity", "entropy_l_diversity", "t_closeness"}
    single = [
        ExpectTablePrivacyMetricToBeWithin(
            **one,
            quasi_identifiers=qids,
            sensitive="s" if one["metric"] in needs else None,
            entity=entity,
            source={"missing": list(missing)},
        )
        for one in thresholds
    ]
    whole = ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=value_digest(policy))
    *ours, verdict = MAKERS[kind](context, table, tmp_path).validate(*single, whole)
    try:
        with qidguard.audit(frame(table), policy=policy) as audit:
            report = audit.report
    except QidguardError:
        assert not any(result.success for result in [*ours, verdict])
        return
    theirs = document(report)["thresholds"]
    assert [result.result["details"]["threshold"] for result in ours] == theirs
    assert [result.success for result in ours] == [one["is_met"] for one in theirs]
    assert verdict.success is report.is_passed
    assert verdict.result["details"]["sentences"] == reasons(report)
