"""The proven optimum is the one of exhaustive search in plain Python, for each loss and each requirement."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import levelled_oracle as oracle
from examples import examples
from levelled_tables import Table, first, hierarchy, published, tens
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Bound, Limit, NotMeasurable, PolicyLimit
from qidguard_standard.anonymizers.full_domain import FullDomain
from qidguard_standard.metrics import METRICS

ANY = settings(
    max_examples=examples(40), deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
METRIC = {metric.name: metric for metric in METRICS}
QIDS = ("age", "town", "sex")
LOSSES = {
    "ncp": oracle.ncp,
    "precision": oracle.precision,
    "discernibility": oracle.discernibility,
    "average_class_size": oracle.average_class_size,
    "granularity": oracle.granularity_lost,
    "geometric_loss": oracle.geometric_loss,
}
RULES = {
    "k": ({"k": 2}, [("k", 2)]),
    "k3": ({"k": 3}, [("k", 3)]),
    "distinct": ({"k": 2, "l": 2.0}, [("k", 2), ("distinct", 2, "ill")]),
    "entropy": ({"k": 2, "l": 1.7, "diversity": "entropy"}, [("k", 2), ("entropy", 1.7, "ill")]),
    "recursive": (
        {"k": 2, "l": 2.0, "diversity": "recursive", "c": 2.0},
        [("k", 2), ("recursive", 2, "ill", 2.0)],
    ),
    "t": ({"k": 2, "t": 0.4}, [("k", 2), ("t", 0.4, "ill")]),
    "t_alone": ({"t": 0.25}, [("t", 0.25, "ill")]),
}


def as_table(rows):
    """Return rows as a table."""
    columns = map(list, zip(*rows, strict=True))
    return Table(**dict(zip(("age", "town", "sex", "ill", "who"), columns, strict=True)))


tables = st.lists(
    st.tuples(
        st.sampled_from([23, 27, 28, 34, 35, 41, None]),
        st.sampled_from(["aa", "ab", "ba", "bb", None]),
        st.sampled_from(["f", "m"]),
        st.sampled_from(["flu", "flu", "cough", "acne"]),
        st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8]),
    ),
    min_size=2,
    max_size=14,
).map(as_table)
ONE_TO_SUPPRESS = as_table(
    [
        (41, "bb", "m", "flu", 1),
        (41, "bb", "f", "flu", 2),
        (35, "bb", "f", "flu", 3),
        (41, "bb", "m", "flu", 4),
    ]
)
"""Its three people of 41 lose least when the fourth is suppressed."""
shares = st.sampled_from([0.0, 0.15, 0.34])


def trees(table):
    """Return the hierarchies of the three QIDs."""
    return {
        "age": hierarchy(table.column("age"), tens, lambda text: "young" if int(text) < 30 else "old"),
        "town": hierarchy(table.column("town"), first),
        "sex": hierarchy(table.column("sex")),
    }


def run(table, arguments, combinations=(QIDS,), entity=None, targets=()):
    """Return what is done, or None where nothing keeps the requirements."""
    task = AnonymizationTask(
        combinations=combinations, entity=entity, sensitive=("ill",), seed=0, targets=targets,
        hierarchies=trees(table),
    )  # fmt: skip
    try:
        return FullDomain().anonymize(table, bind(FullDomain.parameters, arguments), task)
    except NotMeasurable:
        return None


def loss_of(done):
    """Return the loss that the notes tell."""
    (note,) = [note for note in done.notes if note.startswith(("optimal", "greedy"))]
    return float(note.rpartition(" ")[2])


def levels_of(done):
    """Return the levels that the notes tell."""
    return tuple(int(part.split()[-3]) for part in done.notes[0].split(", "))


def check(expected, done):
    """Compare with the oracle's smallest loss."""
    assert (expected is None) == (done is None)
    if done is not None:
        assert loss_of(done) == pytest.approx(float(expected[0]), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_no_node_loses_less(rule):
    """For every requirement, loss, share and way to suppress, persons being records or entities."""
    arguments, holds = RULES[rule]
    seen = set()

    @ANY
    @given(
        table=tables, share=shares, loss=st.sampled_from(sorted(LOSSES)), by_cells=st.booleans(),
        entities=st.booleans(),
    )  # fmt: skip
    def holds_for(table, share, loss, by_cells, entities):
        entity = "who" if entities else None
        expected = oracle.exhaustive(
            table, trees(table), (QIDS,), holds, most=int(Fraction(str(share)) * table.records),
            loss=LOSSES[loss], is_by_cells=by_cells, entity=entity,
        )  # fmt: skip
        more = {"most_suppressed": share, "loss": loss, "suppress": "cells" if by_cells else "records"}
        check(expected, run(table, {**arguments, **more}, entity=entity))
        seen.add(expected is None)

    holds_for()
    assert False in seen


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_ties_go_to_the_second_loss_and_then_to_the_lower_levels(loss):
    """Whatever the two losses, the levels are those of exhaustive search: the answer is one."""

    @ANY
    @given(
        table=tables, share=shares, tie=st.sampled_from(sorted(LOSSES)), rule=st.sampled_from(["k", "t"]),
        entities=st.booleans(),
    )  # fmt: skip
    def holds_for(table, share, tie, rule, entities):
        arguments, holds = RULES[rule]
        entity = "who" if entities else None
        second = tie if tie != loss else "ncp" if loss == "discernibility" else "discernibility"
        expected = oracle.exhaustive(
            table, trees(table), (QIDS,), holds, most=int(Fraction(str(share)) * table.records),
            loss=LOSSES[loss], tie=LOSSES[second], entity=entity,
        )  # fmt: skip
        done = run(table, {**arguments, "most_suppressed": share, "loss": loss, "ties": tie}, entity=entity)
        assert (None if expected is None else expected[1]) == (None if done is None else levels_of(done))

    holds_for()


@ANY
@given(table=tables, share=shares, balance=st.sampled_from(["0", "0.2", "0.5", "0.8", "1"]))
def test_the_balance_of_generalization_and_suppression(table, share, balance):
    """Below one half suppressing costs less and above it coarsening does, as ARX's factor has it."""
    expected = oracle.exhaustive(
        table, trees(table), (QIDS,), [("k", 2)], most=int(Fraction(str(share)) * table.records),
        loss=lambda node: oracle.geometric_loss(node, Fraction(balance)), tie=oracle.ncp,
    )  # fmt: skip
    done = run(
        table,
        {"k": 2, "most_suppressed": share, "loss": "geometric_loss", "balance": float(balance)},
    )
    check(expected, done)
    if done is not None:
        assert levels_of(done) == expected[1]


@ANY
@given(table=tables, share=shares, by_cells=st.booleans(), rule=st.sampled_from(sorted(RULES)))
def test_several_combinations_are_all_kept(table, share, by_cells, rule):
    """Two overlapping combinations and one inside them lose less than all QIDs together would."""
    arguments, holds = RULES[rule]
    combinations = (("age", "town"), ("town", "sex"), ("town",))
    expected = oracle.exhaustive(
        table, trees(table), combinations, holds, most=int(Fraction(str(share)) * table.records),
        loss=oracle.ncp, is_by_cells=by_cells,
    )  # fmt: skip
    more = {"most_suppressed": share, "suppress": "cells" if by_cells else "records"}
    check(expected, run(table, {**arguments, **more}, combinations))


def limit_on(name, bound, value, *, knows_any=None, sensitive=None, **arguments):
    """Return a target of the policy."""
    metric = METRIC[name]
    return PolicyLimit(
        metric=metric, arguments=bind(metric.parameters, arguments), limit=Limit(bound=bound, value=value),
        qids=QIDS, sensitive=sensitive, knows_any=knows_any,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["average_class_size", "marketer_risk"])
def test_a_limit_on_an_average_suppresses_the_smallest_classes_first(name):
    """The average class size from above, which is not monotone, and the marketer risk, which is."""
    limits = {"average_class_size": 3, "marketer_risk": 0.4}
    seen = set()

    def is_met(sizes):
        mean = sum(sizes) / len(sizes)
        return mean <= limits[name] if name == "average_class_size" else 1 / mean <= limits[name] + 1e-12

    @ANY
    @example(table=ONE_TO_SUPPRESS, share=0.34)
    @given(table=tables, share=shares)
    def holds(table, share):
        expected = oracle.exhaustive(
            table, trees(table), (QIDS,), [("k", 2), ("exact", is_met)],
            most=int(Fraction(str(share)) * table.records), loss=oracle.ncp,
        )  # fmt: skip
        targets = (
            limit_on("k_anonymity", Bound.AT_LEAST, 2),
            limit_on(name, Bound.AT_MOST, limits[name]),
        )
        done = run(table, {"most_suppressed": share}, targets=targets)
        check(expected, done)
        if done is not None:
            sizes = pd.DataFrame([row for row in published(table, done) if row]).groupby(
                list(QIDS), dropna=False
            )
            seen.add(bool(sizes.size().min() > 2) and not done.kept.all())

    holds()
    assert name == "average_class_size" or True in seen


@ANY
@given(table=tables, known=st.integers(1, 3))
def test_an_attacker_who_knows_any_few_of_the_qids(table, known):
    """Each set of m QIDs keeps the limit of a target."""
    from itertools import combinations

    expected = oracle.exhaustive(
        table, trees(table), tuple(combinations(QIDS, known)), [("k", 3)], most=0, loss=oracle.ncp
    )
    targets = (limit_on("k_anonymity", Bound.AT_LEAST, 3, knows_any=known),)
    done = run(table, {"most_suppressed": 0.0}, tuple(combinations(QIDS, known)), targets=targets)
    check(expected, done)


@ANY
@given(table=tables, share=shares, seed=st.integers(0, 9))
def test_the_order_of_records_decides_nothing(table, share, seed):
    """Shuffled records are published alike."""
    order = np.random.default_rng(seed).permutation(table.records)
    columns = table.values.items()  # noqa: PD011 - lists, and no pandas
    shuffled = Table(**{name: [values[i] for i in order] for name, values in columns})
    before = run(table, {"k": 2, "t": 0.4, "most_suppressed": share})
    after = run(shuffled, {"k": 2, "t": 0.4, "most_suppressed": share})
    assert (before is None) == (after is None)
    if before is not None:
        rows = published(table, before)
        assert [rows[i] for i in order] == published(shuffled, after)


@ANY
@given(table=tables, share=shares)
def test_greedy_search_keeps_the_limits_and_never_beats_the_optimum(table, share):
    """It says that a smaller loss may exist."""
    best = run(table, {"k": 2, "most_suppressed": share})
    found = run(table, {"k": 2, "most_suppressed": share, "search": "greedy"})
    assert (best is None) == (found is None)
    if found is not None:
        assert loss_of(found) >= loss_of(best) - 1e-6
        sizes = (
            pd.DataFrame([r for r in published(table, found) if r]).groupby(list(QIDS), dropna=False).size()
        )
        assert sizes.min() >= 2


@pytest.mark.samples(1)
@pytest.mark.realdata
@pytest.mark.parametrize(
    ("arguments", "least", "most_distance", "distinct"),
    [({"k": 5}, 5, 1.0, 1), ({"k": 5, "l": 2.0}, 5, 1.0, 2), ({"k": 5, "t": 0.2}, 5, 0.2, 1)],
)
def test_four_columns_of_adult_against_every_node(data, arguments, least, most_distance, distinct):
    """Sex, age, race and marital status, 60 nodes, each grouped anew; up to 2 % suppressed."""
    import csv

    frame = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";")
    names = ["sex", "age", "race", "marital-status"]
    table = Table(**{name: frame[name].tolist() for name in [*names, "salary-class"]})
    hierarchies, lost = {}, {}
    for name in names:
        with (data / "adult" / "hierarchies" / f"{name}.csv").open(encoding="utf-8") as file:
            rows = {row[0]: row for row in csv.reader(file, delimiter=";")}
        height = len(next(iter(rows.values())))
        maps = [{value: row[level] for value, row in rows.items()} for level in range(1, height - 1)]
        hierarchies[name] = hierarchy(table.column(name), *(lambda text, m=m: m[text] for m in maps))
        texts = frame[name].astype(str)
        for level in range(height):
            labels = texts.map({value: row[level] for value, row in rows.items()})
            by = frame[name].groupby(labels)
            if frame[name].dtype.kind == "i":
                width = (by.transform("max") - by.transform("min")) / np.ptp(frame[name])
            else:
                width = (by.transform("nunique") - 1) / (frame[name].nunique() - 1)
            lost[name, level] = (pd.factorize(labels)[0], np.where(labels == "*", 1.0, width))
    task = AnonymizationTask(
        combinations=(tuple(names),), entity=None, sensitive=("salary-class",), seed=0,
        hierarchies=hierarchies,
    )  # fmt: skip
    done = FullDomain().anonymize(table, bind(FullDomain.parameters, arguments), task)
    smallest = min(
        _loss_of_node(frame, names, lost, levels, least, most_distance, distinct)
        for levels in np.ndindex(*(hierarchies[name].levels for name in names))
    )
    assert loss_of(done) == pytest.approx(smallest, rel=1e-5)


def _loss_of_node(frame, names, lost, levels, least, most_distance, distinct):
    """Return the NCP of one node; infinite where more than 2 % must be suppressed."""
    salary = pd.factorize(frame["salary-class"])[0]
    key = np.stack([lost[name, level][0] for name, level in zip(names, levels, strict=True)], axis=1)
    number = np.unique(key @ (100 ** np.arange(len(names))), return_inverse=True)[1]
    cells = np.stack([np.bincount(number[salary == v], minlength=number.max() + 1) for v in (0, 1)], axis=1)
    size = cells.sum(axis=1)
    kept = (size >= least) & ((cells > 0).sum(axis=1) >= distinct)
    while kept.any():
        whole = cells[kept].sum(axis=0) / cells[kept].sum()
        closer = kept & (np.abs(cells / size[:, None] - whole).sum(axis=1) / 2 <= most_distance + 1e-12)
        if (closer == kept).all():
            break
        kept = closer
    is_kept = kept[number]
    if (~is_kept).sum() > int(0.02 * len(frame)):
        return float("inf")
    losses = sum(lost[n, at][1] for n, at in zip(names, levels, strict=True)) / len(names)
    return float(np.where(is_kept, losses, 1.0).mean())
