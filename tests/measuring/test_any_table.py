"""Any small table, from end to end: the figures of an audit are those counted by record in plain Python.

The oracle sees the values as a person would: NaN of a DataFrame and None are missing, and everything else is
what it prints as. It shares no code with the engine and knows no SQL.
"""

import datetime as dt
import random
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from qidguard.engines.duckdb import engine

QIDS = ("text", "whole", "number", "day", "flag", "category")
MISSING = "missing"
ANY = settings(
    max_examples=examples(15, fewest=4),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

VALUES: Mapping[str, list[object]] = {
    "text": ["a", "A", "a ", "é", "e\u0301", "1", "01", "", "NULL", None],
    "whole": [0, 1, -1, 2**53, 2**53 + 1, None],
    "number": [0.0, 0.5, 0.1, 0.1 + 0.2, 0.3, 1e300, None],
    "day": [dt.date(2020, 2, 29), dt.date(1899, 1, 1), None],
    "flag": [True, False, None],
    "category": ["z", "b", "m", None],
    "illness": ["flu", "Flu", "cough", "acne", None],
    "who": [1, 2, 3, 4, 5],
}
DTYPES = {
    "text": "string",
    "whole": "Int64",
    "number": "float64",
    "day": "object",
    "flag": "boolean",
    "illness": "object",
    "who": "int64",
}

FEW = settings(ANY, max_examples=examples(6, fewest=2))  # several sources an example

records = st.lists(
    st.tuples(
        st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()}),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=8,
).map(lambda groups: [record for record, times in groups for _ in range(times)])
chosen_qids = st.sets(st.sampled_from(QIDS), min_size=1, max_size=4).map(lambda some: tuple(sorted(some)))


def as_frame(table, *, is_ordered=False):
    """Return records as a DataFrame in which every column has the type that pandas users would give it."""
    columns = {name: pd.Series([r[name] for r in table], dtype=kind) for name, kind in DTYPES.items()}
    order = ["z", "b", "m", "never there"]
    columns["category"] = pd.Categorical([r["category"] for r in table], order, ordered=is_ordered)
    return pd.DataFrame(columns)[list(VALUES)]


def as_arrow(table):
    """Return records as an Arrow table."""
    types = {
        "whole": pa.int64(),
        "number": pa.float64(),
        "day": pa.date32(),
        "flag": pa.bool_(),
        "who": pa.int64(),
    }
    return pa.table({n: pa.array([r[n] for r in table], types.get(n, pa.string())) for n in VALUES})


def policy(qids, *, entity=False, attacker="all", **limits):
    """Return a policy whose thresholds are never in doubt about their figures; ``limits`` replace some."""
    at_least = {"k_anonymity": 2, "distinct_l_diversity": 2, "average_class_size": 1.5}
    at_most = {
        "t_closeness": 0.5,
        "share_below_k": 0.5,
        "sample_uniques": 1,
        "marketer_risk": 0.5,
        "discernibility": 100,
    }
    thresholds = [{"metric": m, "at_least": limits.get(m, limit)} for m, limit in at_least.items()]
    thresholds += [{"metric": m, "at_most": limits.get(m, limit)} for m, limit in at_most.items()]
    roles = {"quasi_identifiers": list(qids), "sensitive": ["illness"]}
    rest = [name for name in VALUES if name not in {*qids, "illness"}]
    if entity:
        roles["entity"] = "who"
        rest.remove("who")
    return {
        "qidguard": 1,
        "name": "any",
        "roles": roles | {"insensitive": rest},
        "attacker": attacker,
        "thresholds": thresholds,
    }


def figures(source, given_policy):
    """Return the figures by metric, and whether each limit holds."""
    with qidguard.audit(source, policy=given_policy) as audit:
        assert audit.verdict is not None
        found = {t.measurement.metric: t.measurement.value for t in audit.verdict.thresholds}
        met = {t.measurement.metric: t.is_met for t in audit.verdict.thresholds}
        assert audit.is_passed == (all(met.values()) and not audit.verdict.blocks)
        return found, met, audit.report.records


def same(value):
    """Return what two records must share to be in one class; a missing value is unlike any text."""
    return MISSING if value is None else (type(value).__name__, value)


def counted(table, qids, *, entity=False):
    """Return the figures, counted without any grouping library."""
    # where nobody says who it is, each record is a person
    who = [r["who"] if entity else i for i, r in enumerate(table)]
    classes = defaultdict(set)
    cells = defaultdict(set)
    values = defaultdict(set)
    for person, record in zip(who, table, strict=True):
        key = tuple(same(record[q]) for q in qids)
        illness = same(record["illness"])
        classes[key].add(person)
        cells[key, illness].add(person)
        values[illness].add(person)
    sizes = {key: len(members) for key, members in classes.items()}
    smallest = [min(sizes[key] for key in sizes if person in classes[key]) for person in set(who)]
    whole = sum(map(len, values.values()))
    distances = []
    for key in classes:
        shares = {v: len(members) for (k, v), members in cells.items() if k == key}
        total = sum(shares.values())
        pairs = [(Fraction(shares.get(v, 0), total), Fraction(len(values[v]), whole)) for v in values]
        distances.append(sum(abs(p - q) for p, q in pairs) / 2)
    return {
        "k_anonymity": min(sizes.values()),
        "distinct_l_diversity": min(len({v for k, v in cells if k == key}) for key in classes),
        "average_class_size": Fraction(sum(sizes.values()), len(sizes)),
        "t_closeness": max(distances),
        "share_below_k": Fraction(sum(size < 5 for size in smallest), len(smallest)),
        "sample_uniques": sum(size == 1 for size in smallest),
        "marketer_risk": sum(Fraction(1, size) for size in smallest) / len(smallest),
        "discernibility": sum(size * size for size in sizes.values()),
    }


def equal(expected, found):
    """Check every figure."""
    assert set(expected) == set(found)
    for name, value in expected.items():
        assert found[name] == pytest.approx(float(value), rel=1e-12, abs=1e-12), name


@pytest.mark.slow
@ANY
@given(table=records, qids=chosen_qids, entity=st.booleans())
def test_the_figures_are_those_of_a_count_by_hand(table, qids, entity):
    """Whatever the types, the multiplicity and the missing values, with persons or with records."""
    expected = counted(table, qids, entity=entity)
    found, met, total = figures(as_frame(table), policy(qids, entity=entity))
    equal(expected, found)
    assert total == len(table)
    assert met == {
        "k_anonymity": expected["k_anonymity"] >= 2,
        "distinct_l_diversity": expected["distinct_l_diversity"] >= 2,
        "average_class_size": expected["average_class_size"] >= Fraction(3, 2),
        "t_closeness": expected["t_closeness"] <= Fraction(1, 2),
        "share_below_k": expected["share_below_k"] <= Fraction(1, 2),
        "sample_uniques": expected["sample_uniques"] <= 1,
        "marketer_risk": expected["marketer_risk"] <= Fraction(1, 2),
        "discernibility": expected["discernibility"] <= 100,
    }


@pytest.mark.slow
@ANY
@given(table=records, entity=st.booleans(), known=st.integers(1, 3), qids=st.permutations(QIDS))
def test_an_attacker_who_knows_any_few_meets_the_worst_subset(table, entity, known, qids):
    """Each figure is the worst of the figures that every subset of m QIDs has by hand."""
    qids = tuple(qids[:3])
    subsets = [counted(table, subset, entity=entity) for subset in combinations(qids, known)]
    low = {"k_anonymity", "distinct_l_diversity", "average_class_size"}
    expected = {m: (min if m in low else max)(s[m] for s in subsets) for m in subsets[0]}
    found, _, _ = figures(as_frame(table), policy(qids, entity=entity, attacker={"knows_any": known}))
    equal(expected, found)


@pytest.mark.slow
@ANY
@given(table=records, qids=chosen_qids, seed=st.integers(0, 99), is_ordered=st.booleans())
def test_the_order_of_records_columns_and_categories_changes_nothing(table, qids, seed, is_ordered):
    """Shuffled records, reversed columns and QIDs, labels that repeat in the index, an ordered category."""
    shuffled = random.Random(seed).sample(table, len(table))  # noqa: S311 - a shuffle guards no secret
    frame = as_frame(shuffled, is_ordered=is_ordered)[list(reversed(VALUES))]
    frame.index = pd.Index([0] * len(frame))
    before = figures(as_frame(table), policy(qids))
    after = figures(frame, policy(tuple(reversed(qids))))
    assert after[0] == pytest.approx(before[0], rel=1e-12, abs=1e-12)
    assert after[1:] == before[1:]


@pytest.mark.slow
@FEW
@given(table=records, qids=chosen_qids, entity=st.booleans())
def test_every_container_gives_the_same_verdict(tmp_path, table, qids, entity):
    """The same records as Arrow, polars and Parquet, and with their texts as categories or Python objects."""
    expected = counted(table, qids, entity=entity)
    given_policy = policy(qids, entity=entity)
    _, verdict, _ = figures(as_frame(table), given_policy)
    arrow = as_arrow(table)
    path = tmp_path / "any.parquet"
    pq.write_table(arrow, path, row_group_size=3)
    plain = as_frame(table).astype({"text": "object", "category": "object"})
    for source in (arrow, pl.from_arrow(arrow), path, plain):
        found, met, total = figures(source, given_policy)
        equal(expected, found)
        assert (met, total) == (verdict, len(table))


@pytest.mark.slow
@FEW
@given(table=records, qids=chosen_qids, entity=st.booleans())
def test_a_csv_gives_the_same_verdict(tmp_path, table, qids, entity):
    """As text, where the empty text is the one value that a CSV cannot tell from a missing one."""
    table = [r | {"text": r["text"] or None} for r in table]
    path = tmp_path / "any.csv"
    fields = [["" if r[n] is None else f'"{r[n]}"' for n in VALUES] for r in table]
    lines = [",".join(row) for row in (VALUES, *fields)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    given_policy = policy(qids, entity=entity) | {"source": {"header": True, "delimiter": ","}}
    found, met, total = figures(path, given_policy)
    equal(counted(table, qids, entity=entity), found)
    assert (met, total) == (figures(as_frame(table), policy(qids, entity=entity))[1], len(table))


@pytest.mark.slow
@FEW
@given(table=records, qids=chosen_qids, times=st.integers(1, 9))
def test_collapsed_in_place_and_copied_tables_agree(monkeypatch, table, qids, times):
    """However a table is loaded, its figures are those of a count by hand."""
    table = table * times
    expected = counted(table, qids)
    for sample, collapse_below in ((1 << 30, 0.0), (1, 2.0), (1, 0.0), (5, 0.25)):
        monkeypatch.setattr(engine, "_SAMPLE", sample)
        monkeypatch.setattr(engine, "_COLLAPSE_BELOW", collapse_below)
        for source in (as_frame(table), as_arrow(table)):
            found, _, total = figures(source, policy(qids))
            equal(expected, found)
            assert total == len(table)


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("sample", "collapse_below", "is_raw", "is_collapsed"),
    [(1 << 30, 0.0, False, False), (1, 2.0, True, True), (1, 0.0, True, False)],
)
def test_each_way_to_load_is_really_taken(monkeypatch, sample, collapse_below, is_raw, is_collapsed):
    """The settings of the test above lead to a view in place, to a collapsed and to a copied table."""
    shapes = []
    original = engine.shape_of

    def spy(connection, relation, *arguments, **named):
        if relation == "raw":
            shapes.append(connection.execute("SELECT count(*) FROM raw").fetchone()[0])
        return original(connection, relation, *arguments, **named)

    monkeypatch.setattr(engine, "shape_of", spy)
    monkeypatch.setattr(engine, "_SAMPLE", sample)
    monkeypatch.setattr(engine, "_COLLAPSE_BELOW", collapse_below)
    table = [{name: values[0] for name, values in VALUES.items()}] * 6
    figures(as_frame(table), policy(("text", "whole")))
    assert bool(shapes) is is_raw
    assert shapes == ([1] if is_collapsed else [6] if is_raw else [])
