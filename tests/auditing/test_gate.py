"""The gate fails closed: what looks like a pass and protects nobody is refused or blocked."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qidguard
from qidguard import ExitCode
from qidguard.host import PluginInfo, load_host
from qidguard.sdk import GroupBy, PolicyError, TableFunction

TABLE = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [1, 1, 2, 2], "zip": ["a", "b", "c", "d"]})
K2 = {"metric": "k_anonymity", "at_least": 2}


def policy(**changes):
    """Return a policy that TABLE passes."""
    fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["sex"]}}
    return fields | {"unnamed_columns": "insensitive", "thresholds": [K2]} | changes


def combination(*columns):
    """Return a combination in which two persons must be alike."""
    return {"name": "other", "quasi_identifiers": list(columns), "thresholds": [K2]}


def host_with(**changes):
    """Return a host whose k-anonymity was changed."""
    good = load_host()
    metrics = {**good.metrics, "k_anonymity": replace(good.metrics["k_anonymity"], **changes)}
    return replace(good, registry=MappingProxyType({**good.registry, "metrics": metrics}))


def failing(error):
    """Return a function that raises."""

    def fail(*_):
        raise error

    return fail


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ({"metric": "k_anonymity", "at_most": 100}, "safer the higher it is.*write at_least"),
        ({"metric": "share_below_k", "at_least": 0}, "safer the lower it is.*write at_most"),
    ],
)
def test_a_limit_on_the_unsafe_side_is_refused(threshold, words):
    """A k of at most 100 holds for a table of uniques, so it is a slip of the pen and never a rule."""
    with pytest.raises(PolicyError, match=words):
        qidguard.audit(TABLE, policy=policy(thresholds=[threshold]))


def test_limits_that_say_nothing_of_risk_do_not_pass():
    """Discernibility is a cost in detail: alone it lets nobody through."""
    given = policy(thresholds=[{"metric": "discernibility", "at_most": 1000}])
    with qidguard.audit(TABLE, policy=given) as audit:
        assert all(t.is_met for t in audit.verdict.thresholds)
        assert audit.exit_code is ExitCode.BLOCKED
        assert "No threshold on risk covers the quasi-identifiers 'sex'" in audit.verdict.blocks[0].sentence


@pytest.mark.parametrize("rule", ["insensitive", "quasi_identifier"])
def test_quasi_identifiers_that_no_threshold_covers_block(rule):
    """Only sex is judged, though zip is a quasi-identifier that tells everyone apart."""
    given = policy(
        roles={"quasi_identifiers": ["sex", "zip"] if rule == "insensitive" else ["sex"]},
        unnamed_columns=rule,
        thresholds=[],
        combinations=[combination("sex")],
    )
    with qidguard.audit(TABLE, policy=given) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "'zip'" in audit.verdict.blocks[0].sentence


def test_quasi_identifiers_covered_by_combinations_need_no_threshold_of_their_own():
    """Each column is judged in one combination, so the main one may go without."""
    given = policy(
        roles={"quasi_identifiers": ["sex", "age"]},
        thresholds=[],
        combinations=[combination("sex"), combination("age") | {"name": "third"}],
    )
    with qidguard.audit(TABLE, policy=given) as audit:
        assert audit.is_passed
        assert [s.combination for s in audit.report.summaries] == ["default", "other", "third"]


def test_a_combination_takes_nothing_from_what_recognizers_find():
    """With auto, age and sex are judged together, also where a combination judges age alone."""
    frame = TABLE[["sex", "age"]].assign(age=[1, 2, 1, 2])
    given = policy(roles={"quasi_identifiers": "auto"})
    for more in ([], [combination("age")]):
        with qidguard.audit(frame, policy=given | {"combinations": more}) as audit:
            assert audit.verdict.thresholds[0].measurement.qids == ("sex", "age")
            assert not audit.is_passed


@pytest.mark.parametrize(
    "who", [[1.0, float("nan"), 2.0, float("nan")], ["1", "?", "2", " "], ["1", "NA", "2", "3"]]
)
def test_an_entity_that_may_be_anybody_blocks(who):
    """A record of NaN or ? may belong to the other person of its class, so k is not known."""
    table = pa.table({"sex": ["f", "f", "m", "m"], "who": who})
    given = policy(roles={"quasi_identifiers": ["sex"], "entity": "who"})
    with qidguard.audit(table, policy=given) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "'who' holds NaN or a text such as ?" in audit.verdict.blocks[0].sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [SystemExit(0), RuntimeError("a"), RecursionError(), StopIteration(), ExceptionGroup("a", [KeyError()])],
)
def test_a_plugin_cannot_end_the_gate(error):
    """Whatever a metric raises, in its arithmetic or when it names its statistics, is a fault: exit 3."""
    method = load_host().metrics["k_anonymity"].method
    for broken in (
        TableFunction(measure=failing(error)),
        replace(method, compute=failing(error)),
        replace(method, statistics=failing(error)),
    ):
        with qidguard.audit(TABLE, policy=policy(), host=host_with(method=broken)) as audit:
            assert audit.exit_code is ExitCode.INTERNAL_ERROR
            assert type(error).__name__ in audit.verdict.thresholds[0].measurement.reason


@pytest.mark.parametrize("wanted", [None, ("size",), (1,)])
def test_statistics_that_are_none_are_a_fault(wanted):
    """A metric that names no statistics, or names that are only text, is broken."""
    method = GroupBy(statistics=lambda _: wanted, compute=lambda *_: 5)
    with qidguard.audit(TABLE, policy=policy(), host=host_with(method=method)) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR


@pytest.mark.parametrize("error", [SystemExit(0), OSError("disk full")])
def test_a_listener_cannot_end_the_gate(error):
    """Evidence that was not kept is no pass, also where the listener leaves with code 0."""
    info = PluginInfo(name="ear", distribution="ear", version="1.0", offers={})
    deaf = replace(load_host(), listeners=((info, failing(error)),))
    with qidguard.audit(TABLE, policy=policy(), host=deaf) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR


@pytest.mark.parametrize("value", [np.int64(5), np.float32(5), np.array(5), np.array([5])])
def test_numbers_of_numpy_are_figures(value):
    """A plugin may compute with numpy; the figure is a plain number."""
    method = TableFunction(measure=lambda *_: value)
    with qidguard.audit(TABLE, policy=policy(), host=host_with(method=method)) as audit:
        assert audit.verdict.thresholds[0].measurement.value == 5
        assert type(audit.verdict.thresholds[0].measurement.value) in {int, float}


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    "value",
    [float("inf"), np.float64("inf"), np.float64("nan"), np.bool_(True), np.array([5, 6]), 10**400, 5 + 0j],
)
def test_what_is_no_finite_number_on_the_safe_side_is_a_fault(value):
    """A division by zero must not be a larger k than every limit."""
    method = TableFunction(measure=lambda *_: value)
    with qidguard.audit(TABLE, policy=policy(), host=host_with(method=method)) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR


@pytest.mark.parametrize("limit", [float("nan"), float("inf"), -1, 0, True, "2", 1e16, np.int64(2)])
def test_a_limit_that_is_no_plain_number_in_range_is_refused(limit):
    """NaN, infinity, truth, text and what lies outside k's range are no limits."""
    with pytest.raises(PolicyError):
        qidguard.audit(TABLE, policy=policy(thresholds=[K2 | {"at_least": limit}]))


def test_a_limit_equal_to_the_figure_holds():
    """Three classes in ten records make a marketer risk of 0.3, which 0.3 allows and 0.29 does not."""
    frame = pd.DataFrame({"sex": list("aaabbbcccc")})
    for limit, is_passed in ((0.3, True), (0.29, False)):
        given = policy(thresholds=[{"metric": "marketer_risk", "at_most": limit}])
        with qidguard.audit(frame, policy=given) as audit:
            assert audit.is_passed is is_passed


def test_columns_whose_names_differ_in_case_are_two():
    """Sex is unique where sex is not; each is judged by its own name."""
    frame = pd.DataFrame({"sex": ["f", "f"], "Sex": ["f", "m"]})
    for name, k in (("sex", 2), ("Sex", 1)):
        with qidguard.audit(frame, policy=policy(roles={"quasi_identifiers": [name]})) as audit:
            assert audit.verdict.thresholds[0].measurement.value == k


def test_names_that_the_engine_uses_itself_are_plain_columns():
    """records, entity, value and c0 are columns of the table like any others."""
    frame = pd.DataFrame({"c1": [1, 1], "c0": [1, 2], "records": [5, 5], "entity": [1, 2], "value": [1, 1]})
    roles = {"quasi_identifiers": ["records", "value"], "sensitive": ["c0"], "entity": "entity"}
    given = policy(roles=roles, thresholds=[K2, {"metric": "distinct_l_diversity", "at_least": 2}])
    with qidguard.audit(frame, policy=given) as audit:
        assert [t.measurement.value for t in audit.verdict.thresholds] == [2, 2]


def test_fractions_of_a_csv_are_ordered_as_numbers(tmp_path):
    """9.75 comes before 10.25, though both round to 10 and texts stand the other way round; else t is .17."""
    numbers = ["9.6", "9.75", "9.8", "10.25", "13.0", "14.0"]
    frame = pd.DataFrame({"sex": list("xxxyyy"), "cost": [float(n) for n in numbers]})
    path = tmp_path / "cost.csv"
    path.write_text("sex,cost\n" + "".join(f"{s},{n}\n" for s, n in zip("xxxyyy", numbers, strict=True)))
    given = policy(
        roles={"quasi_identifiers": ["sex"], "sensitive": ["cost"]},
        thresholds=[{"metric": "t_closeness_ordered", "at_most": 0.9}],
    )
    found = []
    for source in (frame, path):
        with qidguard.audit(source, policy=given) as audit:
            found.append(audit.verdict.thresholds[0].measurement.value)
    assert found == pytest.approx([0.3, 0.3], rel=1e-12)
