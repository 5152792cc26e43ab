"""Tests of figures without a policy: the same as an audit's, and what is said where something is missing."""

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from qidguard.core.metric import Direction, GroupBy
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.host import load_host

EVERY = [
    metric
    for metric in load_host().metrics.values()
    if isinstance(metric.method, GroupBy) and not metric.change_of
]
TABLE = pd.DataFrame(
    {"age": [30, 30, 41, 41, 41, 52], "sex": list("ffmmfm"), "who": list("aabcde"), "cell": list("pqrstu")}
).assign(ill=["flu", "cold", "flu", "flu", "cold", "flu"])
PEOPLE = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("st"), st.sampled_from("mno")),
    min_size=1,
    max_size=8,
)


def given_arguments(metric) -> dict[str, object]:
    """Return a value for each parameter that has no default."""
    values = {int: 2, float: 0.5, bool: True, str: "x"}
    return {
        p.name: p.choices[0] if p.choices else max(values[p.type], p.minimum or values[p.type])
        for p in metric.parameters
        if p.default is None
    }


def threshold(metric) -> dict[str, object]:
    """Return a threshold on a metric; its limit is of no matter here."""
    low, high = metric.minimum, min(metric.maximum, 1e9)
    middle = max(low, -1e9) + (1 if high > 1 else (high - max(low, -1e9)) / 2)
    bound = "at_most" if metric.direction is Direction.LOWER_IS_SAFER else "at_least"
    return {"metric": metric.name, "parameters": given_arguments(metric), bound: middle}


def written(metric) -> str:
    """Return a metric with its parameters in brackets."""
    inside = ", ".join(f"{name}={str(value).lower()}" for name, value in given_arguments(metric).items())
    return f"{metric.name}[{inside}]" if inside else metric.name


@pytest.mark.slow
@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
@given(PEOPLE, st.booleans())
def test_the_figures_of_any_table_are_those_of_an_audit(records, has_entity):
    """Every group-by metric over any table and persons: value, unit, columns, arguments and reason."""
    table = pd.DataFrame(records, columns=["age", "sex", "ill", "who"]).assign(goal="g", cure="c")
    entity = {"entity": "who"} if has_entity else {}
    beside = {"sensitive": ["ill"], "target": "goal", "treatment": "cure"}
    policy = {
        "qidguard": 1,
        "name": "same",
        "unnamed_columns": "insensitive",
        "roles": {"quasi_identifiers": ["age", "sex"], **beside, **entity},
        "thresholds": [threshold(metric) for metric in EVERY],
    }
    with qidguard.audit(table, policy=policy) as audited:
        expected = {one.measurement.metric: one.measurement for one in audited.verdict.thresholds}
    given_ = {"qids": ["age", "sex"], **beside, **entity}
    found = qidguard.measure(table, [written(metric) for metric in EVERY], **given_)
    assert {one.metric: one for one in found} == expected
    alone = EVERY[len(records) % len(EVERY)]
    given_ |= {"sensitive": "ill", "parameters": given_arguments(alone)}
    assert qidguard.measure(table, alone.name, **given_) == expected[alone.name]


def test_several_metrics_share_one_scan(monkeypatch):
    """One statement answers all that is asked of the same columns, one measurement for each."""
    asked = []
    real = DuckdbTable.statistics

    def counted(self, *given):
        asked.append(given)
        return real(self, *given)

    monkeypatch.setattr(DuckdbTable, "statistics", counted)
    found = qidguard.measure(TABLE, ["k_anonymity", "share_below_k[k=2]", "sample_uniques"], qids="age")
    assert [one.metric for one in found] == ["k_anonymity", "share_below_k", "sample_uniques"]
    assert (found[1].arguments, len(asked)) == ({"k": 2}, 1)


def test_a_list_gives_a_measurement_for_each_sensitive_column():
    """Beside each in its order; a sensitive column that is a QID is measured beside the others."""
    names = ["distinct_l_diversity", "k_anonymity"]
    found = qidguard.measure(TABLE, names, qids=["age", "sex"], sensitive=["ill", "sex"])
    assert [(one.metric, one.sensitive, one.qids) for one in found] == [
        (names[0], "ill", ("age", "sex")),
        (names[0], "sex", ("age",)),
        (names[1], None, ("age", "sex")),
    ]


def test_without_qids_those_that_recognizers_propose_are_taken_and_named():
    """The measurement says which; without any the caller is asked."""
    assert qidguard.measure(TABLE, "k_anonymity", entity="who").qids == ("age", "sex")
    plain = pd.DataFrame({"c7": list("qqrr"), "c8": list("stst")})
    with pytest.raises(qidguard.UserError, match="no recognizer proposes a quasi-identifier; name them as"):
        qidguard.measure(plain, "k_anonymity")


def test_an_attacker_may_know_any_of_the_columns():
    """The worst subset counts, as in a policy's attacker."""
    found = qidguard.measure(TABLE, "k_anonymity", qids=["age", "sex"], knows_any=1)
    assert (found.value, found.qids, found.subsets) == (1, ("age",), 2)


def test_losses_are_measured_against_an_original():
    """Without one the reason says what is missing; with one there is a figure."""
    coarse = TABLE.assign(age=["30-41"] * 5 + ["52"])
    assert "the one that it was made from" in qidguard.measure(coarse, "ncp", qids="age").reason
    found = qidguard.measure(coarse, "ncp", qids="age", original=TABLE, is_same_order=True)
    assert found.value == pytest.approx(2.5 / 6)  # five of six ages became half of the range


@pytest.mark.slow
def test_the_rest_may_be_named():
    """Who is alone in what is published outside the QIDs: everybody by a cell of their own."""
    assert qidguard.measure(TABLE, "rest_unique_share", qids="age", rest=["cell"]).value == 1
    assert qidguard.measure(TABLE, "rest_unique_share", qids="age", rest=["sex"]).value == 0
    assert "outside the QIDs" in qidguard.measure(TABLE, "rest_unique_share", qids="age").reason


def test_a_population_may_be_given():
    """k-map counts the people of the population."""
    people = pd.concat([TABLE, TABLE])
    assert qidguard.measure(TABLE, "k_map", qids=["age"], population=people).value == 2
    assert "population" in qidguard.measure(TABLE, "k_map", qids=["age"]).reason


@pytest.mark.slow
def test_every_installed_metric_answers_or_says_what_it_needs():
    """A figure, or a reason in words; no fault, no silence; of a change what to ask instead."""
    every = list(load_host().metrics.values())
    asked = [written(metric) for metric in every if not metric.change_of]
    given = {"sensitive": "ill", "target": "cell", "treatment": "ill", "weight": "weight"}
    weighted = TABLE.assign(weight=[2.0, 3.0] * 3)
    found = qidguard.measure(weighted, asked, qids=["age", "sex"], **given)
    assert [one.metric for one in found] == [metric.name for metric in every if not metric.change_of]
    assert [one.metric for one in found if (one.value is None) != bool(one.reason)] == []
    for metric in every:
        if metric.change_of:
            with pytest.raises(qidguard.UserError, match=f"measure {metric.change_of}"):
                qidguard.measure(TABLE, metric.name, qids="age")


MISTAKES = [
    ({"metric": "k_anonimity"}, "did you mean 'k_anonymity'"),
    ({"metric": "share_below_k[j=2]"}, "share_below_k: unknown parameter 'j'; it takes: k"),
    ({"metric": 5}, "metric must be a name"),
    ({"metric": []}, "metric names none"),
    ({"metric": ["k_anonymity"], "parameters": {"k": 2}}, "parameters belong to one metric"),
    ({"qids": ["aeg"]}, "qids: the table has no column 'aeg'; did you mean 'age'"),
    ({"qids": []}, "qids names no column"),
    ({"qids": ["age", "age"]}, "'age' is named twice"),
    ({"entity": "age"}, "'age' cannot be the entity and one of the qids"),
    ({"metric": "distinct_l_diversity"}, "needs a sensitive column; name one as sensitive"),
    ({"metric": "distinct_l_diversity", "sensitive": ["ill", "sex"]}, "beside one sensitive column, and 2"),
    ({"metric": "distinct_l_diversity", "sensitive": "age"}, "'age' is the only quasi-identifier"),
    ({"knows_any": 0}, "knows_any must be a whole number from 1 on"),
    ({"is_same_order": True}, "There is no original"),
]


@pytest.mark.parametrize(("given_", "words"), MISTAKES, ids=[words for _, words in MISTAKES])
def test_a_mistake_is_said_in_a_sentence(given_, words):
    """Each wrong argument is a UserError that names it and what to do."""
    asked = {"metric": "k_anonymity", "qids": ["age"]} | given_
    with pytest.raises(qidguard.UserError, match=words.replace("[", r"\[")):
        qidguard.measure(TABLE, **asked)
