"""A suppressed value is no value, in reports, and where codes and hashes are looked at and not classes."""

import pandas as pd
import pytest

import qidguard
from qidguard.core.outside import Alone
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.described import MOST_KEPT
from qidguard.engines.duckdb.engine import ENGINE

COLUMNS = {"a": "xy***", "b": "uuu**", "s": "p*qp*", "e": "*****", "w": "12231"}
TABLE = pd.DataFrame({name: list(values) for name, values in COLUMNS.items()})


def opened(frame=TABLE, **needs):
    """Open a table whose mark is ``*``."""
    return ENGINE.open(frame, ReadOptions(), Needs(suppression_mark="*", **needs), EngineSettings(threads=1))


@pytest.mark.parametrize(
    ("metric", "qids", "value"),
    [
        ("wildcard_k_anonymity", ["a", "b"], 2),  # u of x matches the u of *
        ("share_unique", ["a"], 1.0),
        ("share_unique", ["a", "b"], 1.0),
        ("k_anonymity", ["e"], 5),  # all are suppressed: one class
        ("share_with_minimal_sample_unique", ["a", "b"], 1.0),
        ("distinct_l_diversity", ["e"], 2),
        ("recursive_l_diversity", ["a"], 1),
        ("t_closeness_ordered", ["a"], 0.0),
    ],
)
def test_figures_of_functions(metric, qids, value):
    """Functions of the table see no record that stands in no class, and no cell of the mark."""
    given = {"suppression_mark": "*", "read": ReadOptions(order={"s": ("p", "q")})}
    if metric.endswith(("diversity", "ordered")):
        given["sensitive"] = "s"
    assert qidguard.measure(TABLE, metric, qids=qids, **given).value == value


def test_minimal_sample_uniques_are_not_of_suppressed_values():
    """Who is alone on columns that are all suppressed in the record is not unique on these."""
    table = pd.DataFrame({"a": ["*", "x", "x"], "b": ["u", "v", "v"]})
    with opened(table) as view:
        found = qidguard.sdk.minimal_sample_uniques(view, ("a", "b"), max_size=2)
    assert [one.columns for one in found] == [(1,)]


@pytest.mark.parametrize(
    "needs", [{}, {"columns": ("a",)}, {"entity": "w"}, {"columns": ("a", "b"), "entity": "w"}]
)
def test_a_column_alone(needs):
    """Suppressed values stand in no class of a column, but where all are suppressed."""
    with opened(**needs) as table:
        sizes = [one.class_count for one in table.column_class_sizes(["a"])]
        risks = {one.name: one.risk for one in table.columns}
    assert (sizes, risks["a"], risks["e"], risks["b"]) == ([2], 1.0, 0.2, pytest.approx(1 / 3))


def test_a_column_of_many_values():
    """Of a column whose values are too many to be kept, the sizes leave out the mark."""
    many = pd.DataFrame({"a": [*map(str, range(MOST_KEPT + 1)), "*", "*"], "b": "u"})
    with opened(many, columns=("b",)) as table:
        [found] = table.column_class_sizes(["a"])
    assert (found.sizes, found.person_count) == ((1,), MOST_KEPT + 1)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (("a",), Alone(alone=2, persons=2)),
        (("a", "b"), Alone(alone=3, persons=3)),
        (("e",), Alone(alone=0, persons=5)),
    ],
)
def test_nobody_suppressed_is_told_apart(columns, found):
    """Outside the QIDs, too, who is suppressed is neither alone nor among those who were looked at."""
    with opened() as table:
        assert table.alone(columns) == found


def test_the_report_counts_them(tmp_path):
    """The case of 20 unique persons and 500 suppressed records: blocked, 100 %, and a note."""
    table = pd.DataFrame({"age": [*map(str, range(20)), *["*"] * 500], "illness": "flu"})
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "qidguard: 1\nname: p\nroles: {quasi_identifiers: [age], sensitive: [illness]}\n"
        'source: {suppression_mark: "*"}\nthresholds:\n  - {metric: share_unique, at_most: 0.09}\n'
    )
    with qidguard.audit(table, policy=policy) as audit:
        report = audit.report
    assert [one.measurement.value for one in report.verdict.thresholds] == [1.0]
    [summary] = report.summaries
    assert (summary.persons, summary.suppressed, summary.share_alone) == (20, 500, 1.0)
    assert any(note.startswith("500 records have age suppressed") for note in report.notes)


def test_nothing_to_learn_is_safe():
    """Where every sensitive value is suppressed nothing is learned; of a target there is no figure."""
    table = pd.DataFrame({"a": ["x", "x", "y"], "s": ["*"] * 3})
    given = {"qids": ["a"], "suppression_mark": "*"}
    names = ["share_homogeneous", "distinct_l_diversity", "recursive_l_diversity", "t_closeness"]
    found = qidguard.measure(table, names, sensitive="s", **given)
    assert [one.value for one in found] == [0.0, float("inf"), float("inf"), 0.0]
    of_target = qidguard.measure(table, "accuracy", target="s", **given)
    assert of_target.reason == "every value of 's' is suppressed"
