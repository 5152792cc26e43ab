"""The gate fails closed: what looks like a pass and protects nobody is refused or blocked."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qidguard
from plugged import host_with
from qidguard import ExitCode
from qidguard.core.statistic import SMALLEST_CLASS
from qidguard.host import PluginFailure, PluginInfo, load_host
from qidguard.sdk import DataError, GroupBy, PluginError, PolicyError, TableFunction

TABLE = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [1, 1, 2, 2], "zip": ["a", "b", "c", "d"]})
CROSSED = TABLE[["sex", "age"]].assign(age=[1, 2, 1, 2])
K2 = {"metric": "k_anonymity", "at_least": 2}
HOST = load_host()
FAULT = ExitCode.INTERNAL_ERROR


def policy(qids=("sex",), *thresholds, **changes):
    """Return a policy on quasi-identifiers, which TABLE passes."""
    roles = {"quasi_identifiers": qids if isinstance(qids, str) else list(qids)}
    fields = {"qidguard": 1, "name": "p", "roles": roles, "unnamed_columns": "insensitive"}
    return fields | {"thresholds": list(thresholds) or [K2]} | changes


def over(column, name="other"):
    """Return a combination of one column in which two persons must be alike."""
    return {"name": name, "quasi_identifiers": [column], "thresholds": [K2]}


def audited(given=None, host=HOST, table=TABLE):
    """Return the report on an audit."""
    with qidguard.audit(table, policy=given or policy(), host=host) as audit:
        return audit.report


def k_by(method):
    """Return a host whose k-anonymity is measured in another way."""
    metrics = {**HOST.metrics, "k_anonymity": replace(HOST.metrics["k_anonymity"], method=method)}
    return replace(HOST, registry=MappingProxyType({**HOST.registry, "metrics": metrics}))


def failing(error):
    """Return a function that raises."""

    def fail(*_):
        raise error

    return fail


def heard_by(listener):
    """Return a host with a listener."""
    info = PluginInfo(name="ear", distribution="ear", version="1.0", offers={})
    return replace(HOST, listeners=((info, listener),))


UNCOVERED = "No threshold on risk covers the quasi-identifiers "
BLOCKING = {
    "a cost is no risk": (policy(["sex"], {"metric": "discernibility", "at_most": 1000}), "'sex'"),
    "a QID that is named": (policy(["sex", "zip"], thresholds=[], combinations=[over("sex")]), "'zip'"),
    "unnamed QIDs": (
        policy(unnamed_columns="quasi_identifier", thresholds=[], combinations=[over("sex")]), "'age', 'zip'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "names"), BLOCKING.values(), ids=BLOCKING)
def test_quasi_identifiers_that_no_threshold_covers_block(given, names):
    """Every limit holds, and some quasi-identifier is judged by none."""
    verdict = audited(given).verdict
    assert all(t.is_met for t in verdict.thresholds)
    assert verdict.exit_code is ExitCode.BLOCKED
    assert UNCOVERED + names in verdict.blocks[0].sentence


def test_quasi_identifiers_covered_by_combinations_need_no_threshold_of_their_own():
    """Each column is judged in one combination, so the main one may go without."""
    found = audited(policy(["sex", "age"], thresholds=[], combinations=[over("sex"), over("age", "third")]))
    assert found.exit_code is ExitCode.PASSED
    assert [s.combination for s in found.summaries] == ["default", "other", "third"]


@pytest.mark.parametrize("more", [[], [over("age")]], ids=["alone", "beside a combination"])
def test_a_combination_takes_nothing_from_what_recognizers_find(more):
    """With auto, age and sex are judged together, also where a combination judges age alone."""
    found = audited(policy("auto", combinations=more), table=CROSSED)
    assert found.verdict.thresholds[0].measurement.qids == ("sex", "age")
    assert found.exit_code is ExitCode.BLOCKED


@pytest.mark.parametrize(
    "who", [[1.0, float("nan"), 2.0, float("nan")], ["1", "?", "2", " "], ["1", "NA", "2", "3"]]
)
def test_an_entity_that_may_be_anybody_blocks(who):
    """A record of NaN or ? may belong to the other person of its class, so k is not known."""
    given = policy(roles={"quasi_identifiers": ["sex"], "entity": "who"})
    verdict = audited(given, table=pa.table({"sex": ["f", "f", "m", "m"], "who": who})).verdict
    assert verdict.exit_code is ExitCode.BLOCKED
    assert "'who' holds NaN or a text such as ?" in verdict.blocks[0].sentence


@pytest.mark.parametrize(
    "who", ["p-17 ", "P-017", "P\u200b-17"], ids=["case and blanks", "another", "no width"]
)
@pytest.mark.parametrize("named", [(), ("who",)], ids=["dropped", "kept"])
def test_a_person_written_in_two_ways_may_be_one(who, named):
    """Two records of one woman would count as two persons, and as a class of two."""
    given = policy(roles={"quasi_identifiers": ["sex"], "entity": "who", "insensitive": [*named]})
    verdict = audited(
        given, table=pa.table({"sex": ["f", "f", "m", "m"], "who": ["P-17", who, "a", "b"]})
    ).verdict
    told = [block.sentence for block in verdict.blocks if block.rule == "entity"]
    assert [sentence.startswith("Column 'who' holds 1 value that differs") for sentence in told] == (
        [] if who == "P-017" else [True]
    )


def test_a_person_of_the_population_written_in_two_ways_is_refused(tmp_path):
    """The population would count as larger than it is."""
    (tmp_path / "p.csv").write_text("who,sex\np1,f\nP1,f\np2,m\n", encoding="utf-8")
    population = {"path": str(tmp_path / "p.csv"), "entity": "who"}
    given = policy(("sex",), {"metric": "k_map", "at_least": 2}, population=population)
    with pytest.raises(DataError, match="Of the population table: Column 'who' holds 1 value"):
        audited(given, table=pa.table({"sex": ["f", "m"]}))


def test_a_metric_cannot_change_what_others_are_computed_from():
    """Statistics are shared: one that wrote into them made classes of a thousand of persons who are alone."""

    def writes(values, _arguments):
        values["smallest_class"] = 1000
        return 0

    writing = replace(
        HOST.metrics["share_unique"], method=GroupBy(statistics=(SMALLEST_CLASS,), compute=writes)
    )
    host = replace(
        HOST,
        registry=MappingProxyType({**HOST.registry, "metrics": {**HOST.metrics, "share_unique": writing}}),
    )
    other = {"metric": "share_unique", "at_most": 0.5}
    found = audited(policy(["sex", "age", "zip"], other, K2), host=host)
    assert found.exit_code is FAULT
    assert [one.measurement.value for one in found.verdict.thresholds] == [None, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [SystemExit(0), RuntimeError("a"), RecursionError(), StopIteration(), ExceptionGroup("a", [KeyError()])],
)
def test_a_plugin_cannot_end_the_gate(error):
    """Whatever a metric raises, in its arithmetic or when it names its statistics, is a fault: exit 3."""
    method, fail = HOST.metrics["k_anonymity"].method, failing(error)
    for broken in (
        TableFunction(measure=fail),
        replace(method, compute=fail),
        replace(method, statistics=fail),
    ):
        found = audited(host=k_by(broken))
        assert found.exit_code is FAULT
        assert type(error).__name__ in found.verdict.thresholds[0].measurement.reason


def test_a_metric_that_crashes_blocks_as_a_fault():
    """The reason names the error and no value of it; the other limits are shown."""
    other = {"metric": "sample_uniques", "at_most": 3}
    with qidguard.audit(
        TABLE, policy(["sex"], K2, other), host=k_by(TableFunction(measure=failing(RuntimeError("flu"))))
    ) as audit:
        first, second = audit.verdict.thresholds
        assert (audit.exit_code, second.is_met) == (FAULT, True)
        assert ("RuntimeError" in first.measurement.reason, "flu" in repr(audit)) == (True, False)


INFINITE = [float("inf"), np.float64("inf"), np.float64("nan"), 10**400]
METHODS = [
    *(GroupBy(statistics=lambda _, wanted=wanted: wanted, compute=lambda *_: 5) for wanted in (None, (1,))),
    GroupBy(statistics=lambda _: ("size",), compute=lambda *_: 5),
    *(
        TableFunction(measure=lambda *_, value=value: value)
        for value in (*INFINITE, np.bool_(True), np.array([5, 6]), 5 + 0j)
    ),
]


@pytest.mark.samples(5)
@pytest.mark.parametrize("method", METHODS)
def test_a_metric_without_statistics_or_a_finite_number_is_a_fault(method):
    """Statistics that are none or only text; a division by zero must not be a larger k than every limit."""
    assert audited(host=k_by(method)).exit_code is FAULT


@pytest.mark.parametrize("value", [np.int64(5), np.float32(5), np.array(5), np.array([5])])
def test_numbers_of_numpy_are_figures(value):
    """A plugin may compute with numpy; the figure is a plain number."""
    found = (
        audited(host=k_by(TableFunction(measure=lambda *_: value))).verdict.thresholds[0].measurement.value
    )
    assert found == 5
    assert type(found) in {int, float}


@pytest.mark.parametrize("error", [SystemExit(0), OSError("disk full")])
def test_a_listener_cannot_end_the_gate(error):
    """Evidence that was not kept is no pass, also where the listener leaves with code 0."""
    found = audited(host=heard_by(failing(error)))
    assert found.exit_code is FAULT
    assert "plugin 'ear' of ear 1.0" in found.verdict.blocks[0].sentence


def test_listeners_hear_the_report():
    """One that works is told the policy, and the audit passes."""
    heard = []
    assert audited(host=heard_by(heard.append)).exit_code is ExitCode.PASSED
    assert [one.policy for one in heard] == ["p"]


GONE = PluginFailure(name="theirs", distribution="theirs", version="2.0", error="ImportError: gone")
BROKEN = replace(HOST, failures=(GONE,))


KNOWN = replace(HOST, failures=(replace(GONE, may_offer=frozenset({"metrics"})),))
OUTSIDE = {"roles": {"quasi_identifiers": ["sex"], "insensitive": ["age"]}}
CLEARED = OUTSIDE | {"accepted": [{"columns": ["age"], "reason": "of a register", "by": "officer"}]}


@pytest.mark.parametrize(
    ("changes", "host", "is_fault"),
    [
        pytest.param(
            {"roles": {"quasi_identifiers": "auto"}}, BROKEN, True, id="a recognizer may be missing"
        ),
        pytest.param({"roles": {"quasi_identifiers": "auto"}}, KNOWN, False, id="its hooks are known"),
        pytest.param(OUTSIDE, BROKEN, True, id="a column outside the QIDs may identify"),
        pytest.param(CLEARED, BROKEN, True, id="a person cleared it, and a check of leaks may be missing"),
        pytest.param(CLEARED, KNOWN, False, id="a person cleared it, and no check is missing"),
        pytest.param({"roles": {"quasi_identifiers": ["sex", "age"]}}, BROKEN, False, id="nothing is open"),
    ],
)
def test_a_broken_plugin_is_a_fault_where_it_may_be_missed(changes, host, is_fault):
    """Where a recognizer or a check has a say, nobody knows what it would have said: exit 3; else judged."""
    found = audited(policy(unnamed_columns="block", **changes), host, TABLE[["sex", "age"]])
    assert found.exit_code is (FAULT if is_fault else ExitCode.PASSED)
    assert ["theirs" in block.sentence for block in found.verdict.blocks] == [True] * is_fault


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        pytest.param({"roles": {"quasi_identifiers": ["sex", "age"]}}, 0, id="QIDs alone"),
        pytest.param(CLEARED, 0, id="a person cleared what is outside"),
        pytest.param(OUTSIDE, 1, id="something is outside"),
        pytest.param({"roles": {"quasi_identifiers": ["sex"]}}, 1, id="a column is undecided"),
    ],
)
def test_recognizers_are_asked_only_where_they_have_a_say(changes, times):
    """That is where a column is undecided, or is published outside the QIDs and not cleared."""
    asked = []

    class Listening:
        name, title = "listening", "counts how often it is asked"

        def propose(self, columns):
            asked.append(len(columns))
            return ()

    host = host_with(recognizers=[Listening()])
    found = audited(policy(unnamed_columns="block", **changes), host, TABLE[["sex", "age"]])
    assert asked == [2] * times
    # nobody knows whether a column had to be accepted of which recognizers were not asked
    assert [one.is_needed for one in found.accepted] == [None] * (changes is CLEARED)


def test_a_metric_that_may_be_the_broken_plugins_is_a_plugin_error():
    """A policy that needs a metric which no loaded plugin offers, while one is broken, ends with exit 3."""
    with pytest.raises(PluginError, match=r"their_metric.*theirs 2\.0: ImportError") as raised:
        audited(policy(["sex"], {"metric": "their_metric", "at_most": 1}), BROKEN)
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("limit", [float("nan"), float("inf"), -1, 0, True, "2", 1e16, np.int64(2)])
def test_a_limit_that_is_no_plain_number_in_range_is_refused(limit):
    """NaN, infinity, truth, text and what lies outside k's range are no limits."""
    with pytest.raises(PolicyError):
        audited(policy(["sex"], K2 | {"at_least": limit}))


@pytest.mark.parametrize(("limit", "code"), [(0.3, ExitCode.PASSED), (0.29, ExitCode.BLOCKED)])
def test_a_limit_equal_to_the_figure_holds(limit, code):
    """Three classes in ten records make a marketer risk of 0.3, which 0.3 allows and 0.29 does not."""
    given = policy(["sex"], {"metric": "marketer_risk", "at_most": limit})
    assert audited(given, table=pd.DataFrame({"sex": list("aaabbbcccc")})).exit_code is code


def test_names_of_columns_are_taken_as_they_are():
    """Sex is unique where sex is not; records, entity, value and c0 are columns like any others."""
    frame = pd.DataFrame({"sex": ["f", "f"], "Sex": ["f", "m"]})
    found = [audited(policy([name]), table=frame).verdict.thresholds[0].measurement.value for name in frame]
    assert found == [2, 1]
    frame = pd.DataFrame({"c1": [1, 1], "c0": [1, 2], "records": [5, 5], "entity": [1, 2], "value": [1, 1]})
    roles = {"quasi_identifiers": ["records", "value"], "sensitive": ["c0"], "entity": "entity"}
    given = policy([], K2, {"metric": "distinct_l_diversity", "at_least": 2}, roles=roles)
    assert [t.measurement.value for t in audited(given, table=frame).verdict.thresholds] == [2, 2]


def test_fractions_of_a_csv_are_ordered_as_numbers(tmp_path):
    """9.75 comes before 10.25, though both round to 10 and texts stand the other way round; else t is .17."""
    path = tmp_path / "cost.csv"
    path.write_text("sex,cost\nx,9.6\nx,9.75\nx,9.8\ny,10.25\ny,13.0\ny,14.0\n")
    roles = {"quasi_identifiers": ["sex"], "sensitive": ["cost"]}
    given = policy([], {"metric": "t_closeness_ordered", "at_most": 0.9}, roles=roles)
    for source in (pd.read_csv(path), path):
        [found] = audited(given, table=source).verdict.thresholds
        assert found.measurement.value == pytest.approx(0.3, rel=1e-12)
