"""What full-domain generalization publishes, claims and refuses."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
from levelled_tables import Table, first, hierarchy, published, tens
from qidguard.core.errors import UnreachableError
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.question import Question
from qidguard.measuring.runner import figure_of
from qidguard.sdk import (
    AnonymizationTask,
    Bound,
    Direction,
    Explanation,
    GroupBy,
    Grouping,
    Limit,
    Metric,
    NotMeasurable,
    Original,
    PolicyLimit,
    Statistic,
    TableFunction,
    Unit,
    read_coverage,
)
from qidguard_standard.anonymizers.full_domain import FullDomain
from qidguard_standard.anonymizers.full_domain import full_domain as module
from qidguard_standard.metrics import METRICS
from snapshots import run_anonymizer

ANY = settings(
    max_examples=examples(10, fewest=3), deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
METRIC = {metric.name: metric for metric in METRICS}
WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
# two by two alike by tens and by first letter; 41 is alone on every level below the top
EIGHT = Table(
    age=[23, 27, 23, 27, 34, 35, 34, 41],
    town=["aa", "ab", "aa", "ab", "ba", "bb", None, None],
    ill=["flu", "flu", "cough", "acne", "flu", "cough", None, "flu"],
    who=[1, 2, 3, 4, 5, 5, 6, 7],
)


def arguments(**given_ones):
    """Return checked arguments."""
    return bind(FullDomain.parameters, given_ones)


def task(table=EIGHT, **more):
    """Return a task over age and town."""
    trees = {
        "age": hierarchy(table.column("age"), tens),
        "town": hierarchy(table.column("town"), first),
    }
    usual = {"combinations": (("age", "town"),), "entity": None, "sensitive": ("ill",), "seed": 0}
    return AnonymizationTask(**{**usual, "hierarchies": trees, **more})


def run(table=EIGHT, of=None, **given_ones):
    """Return what is done."""
    return FullDomain().anonymize(table, arguments(**given_ones), of or task(table))


def rows(done, table=EIGHT):
    """Return the published age and town of each record."""
    return [None if row is None else (row["age"], row["town"]) for row in published(table, done)]


def test_what_is_published_by_hand():
    """Ages by tens and towns by letter; two of eight may go for k = 2."""
    done = run(k=2, most_suppressed=0.25)
    assert rows(done) == [
        ("[20, 29]", "a."), ("[20, 29]", "a."), ("[20, 29]", "a."), ("[20, 29]", "a."),
        ("[30, 39]", "b."), ("[30, 39]", "b."), None, None,
    ]  # fmt: skip
    assert done.suppressed_by == {"age, town": 2}
    assert sorted(done.columns) == ["age", "town"]
    assert [(c.metric, c.limit.value, c.qids) for c in done.guarantees] == [
        ("k_anonymity", 2, ("age", "town"))
    ]
    assert done.notes[0] == "levels: age 1 of 2, town 1 of 2"
    assert done.notes[1].startswith("optimal: ")
    assert "of 9 combinations of levels were checked" in done.notes[1]


def test_suppressed_cells_are_a_class_that_keeps_the_limits_itself():
    """The two records stay, marked in each QID by the policy's mark."""
    done = run(of=task(suppression_mark="?"), k=2, most_suppressed=0.25, suppress="cells")
    assert done.kept.all()
    assert rows(done)[6:] == [("?", "?"), ("?", "?")]
    assert rows(done)[0] == ("[20, 29]", "a.")
    assert done.suppressed_by == {}
    assert "2 records are published with the suppression mark in each quasi-identifier" in done.notes


def test_a_column_on_its_exact_level_is_not_touched():
    """With k = 1 nothing is; with marked cells the others are the originals, 20 joins 40 for k's sake."""
    assert run(k=1).columns == {}
    table = Table(age=[20, 20, 30, 30, 40], ill=["a"] * 5)
    of = AnonymizationTask(
        combinations=(("age",),), entity=None, sensitive=(), seed=0,
        hierarchies={"age": hierarchy(table.column("age"))},
    )  # fmt: skip
    done = run(table, of, k=2, most_suppressed=0.6, suppress="cells")
    recoded = done.columns["age"]
    shown = [recoded.values[code] for code in recoded.codes]  # noqa: PD011 - a Recoded, and no pandas
    assert shown == ["*", "*", Original(2), Original(2), "*"]


def test_a_missing_value_is_a_value_of_its_own_below_the_top():
    """Three records without a town are a class; published, they are still without one."""
    table = Table(age=[20] * 6, town=["aa", "ab", "ab", None, None, None], ill=["x"] * 6)
    done = run(table, k=3)
    assert rows(done, table) == [*[(20, "a.")] * 3, *[(20, None)] * 3]


def test_nothing_is_coarsened_for_nothing():
    """Twenty stays twenty where its interval would lose no more."""
    table = Table(age=[20] * 4, town=["aa", "ab", "ba", "bb"], ill=["x"] * 4)
    assert rows(run(table, k=2), table) == [(20, "a."), (20, "a."), (20, "b."), (20, "b.")]


def test_a_person_in_two_classes_makes_no_mixture_of_them():
    """Each town has flu and cough once; together person 1 has flu once and two others cough."""
    table = Table(
        age=[20] * 4, town=["aa", "aa", "ab", "ab"], ill=["flu", "cough", "flu", "cough"], who=[1, 2, 1, 3]
    )
    of = task(table, entity="who")
    done = run(table, of, l=2.0, diversity="entropy", most_suppressed=0.0)
    assert done.columns == {}
    assert done.kept.all()


def test_classes_of_one_size_go_together():
    """Marketer risk: of 2, 2 and 6 people both twos go, although one of them would do."""
    table = Table(age=[20] * 2 + [30] * 2 + [40] * 6, town=["aa"] * 10, ill=["x"] * 10)
    of = AnonymizationTask(
        combinations=(("age",),), entity=None, sensitive=(), seed=0,
        hierarchies={"age": hierarchy(table.column("age"))},
        targets=(replace(target("marketer_risk", Bound.AT_MOST, 0.26), qids=("age",)),),
    )  # fmt: skip
    done = run(table, of, most_suppressed=0.5)
    assert done.kept.tolist() == [False] * 4 + [True] * 6


def target(name, bound, value, *, sensitive=None, is_blocking=True, metric=None, **given_ones):
    """Return a target of the policy over age and town."""
    of = metric or METRIC[name]
    return PolicyLimit(
        metric=of, arguments=bind(of.parameters, given_ones), qids=("age", "town"), sensitive=sensitive,
        limit=Limit(bound=bound, value=value, is_blocking=is_blocking),
    )  # fmt: skip


WARNING = target("k_anonymity", Bound.AT_LEAST, 99, is_blocking=False)


@pytest.mark.parametrize(
    ("targets", "smallest"),
    [
        ((target("k_anonymity", Bound.AT_LEAST, 2),), 2),
        ((target("k_anonymity", Bound.AT_LEAST, 2), target("k_anonymity", Bound.AT_LEAST, 4)), 4),
        ((target("prosecutor_risk_max", Bound.AT_MOST, 0.5),), 2),
        ((target("prosecutor_risk_max", Bound.AT_MOST, 0.3),), 4),
        ((target("sample_uniques", Bound.AT_MOST, 0),), 2),
        ((target("share_below_k", Bound.AT_MOST, 0.0, k=4),), 4),
        ((target("k_anonymity", Bound.AT_LEAST, 2), WARNING), 2),
    ],
)
def test_the_limits_of_the_policy_hold_without_a_parameter(targets, smallest):
    """The strictest counts; one that only warns does not."""
    sizes = pd.Series(rows(run(of=task(targets=targets), most_suppressed=0.25))).value_counts()
    assert sizes.min() >= smallest


def test_a_stricter_limit_on_fewer_columns_counts_beside_one_on_more():
    """Two people alike in age and town, and four of each age: the part is not implied by the whole."""
    of = task(
        combinations=(("age", "town"), ("age",)),
        targets=(
            target("k_anonymity", Bound.AT_LEAST, 2),
            replace(target("k_anonymity", Bound.AT_LEAST, 4), qids=("age",)),
        ),
    )
    table = Table(
        age=[23] * 2 + [27] * 2 + [34] * 4, town=["aa"] * 2 + ["ab"] * 2 + ["ba"] * 4, ill=["x"] * 8
    )
    done = run(table, replace(of, hierarchies=task(table).hierarchies), most_suppressed=0.0)
    assert set(rows(done, table)) == {("[20, 29]", "aa"), ("[20, 29]", "ab"), ("[30, 39]", "ba")}


def test_a_limit_on_a_metric_that_nobody_knows_here_is_kept():
    """Any registered group-by metric: here the number of classes, at most three."""
    classes = Metric(
        name="my_classes", title="classes", unit=Unit.CLASSES, minimum=0, maximum=99,
        direction=Direction.LOWER_IS_SAFER, explanation=WORDS, is_monotone=True,
        method=GroupBy(
            statistics=(Statistic(name="classes", sql="count(*)"),), compute=lambda found, _: found["classes"]
        ),
    )  # fmt: skip
    of = task(targets=(target("", Bound.AT_MOST, 3, metric=classes),))
    assert len(set(rows(run(of=of, most_suppressed=0.0)))) <= 3
    unknown = replace(classes, is_monotone=False)
    done = run(of=task(targets=(target("", Bound.AT_MOST, 3, metric=unknown),)), most_suppressed=0.0)
    assert len(set(rows(done))) <= 3
    assert any("my_classes" in note and "no level was ruled out" in note for note in done.notes)


def test_what_classes_do_not_tell_is_left_to_the_audit_and_not_claimed():
    """A function of the columns, and a metric of the population."""
    of_columns = Metric(
        name="my_columns", title="columns", unit=Unit.RATIO, minimum=0, maximum=9,
        direction=Direction.LOWER_IS_SAFER, explanation=WORDS,
        method=TableFunction(measure=lambda view, grouping, _: len(view.codes(grouping.qids).codes)),
    )  # fmt: skip
    left = (target("", Bound.AT_MOST, 3, metric=of_columns), target("k_map", Bound.AT_LEAST, 2))
    done = run(of=task(targets=(*left, target("k_anonymity", Bound.AT_LEAST, 2))), most_suppressed=0.25)
    assert {claim.metric for claim in done.guarantees} == {"k_anonymity"}
    assert any("left to the audit: k_map, my_columns" in note for note in done.notes)
    with pytest.raises(NotMeasurable, match="set k"):
        run(of=task(targets=left))


@pytest.mark.parametrize(
    ("of", "given_ones", "reason"),
    [
        (task(), {}, "set the parameter k"),
        (task(), {"k": 9}, "none of the 9 combinations of levels keeps .* k_anonymity with at most 2 %"),
        (task(sensitive=()), {"k": 2, "l": 2}, "declare one, or leave l and t at 0"),
        (task(), {"t": 0.3, "distance": "ordered"}, "'ill' has no order: its values are texts"),
        (task(entity="age"), {"k": 2}, "'age' is the entity"),
        (
            task(
                hierarchies={"age": hierarchy(EIGHT.column("town")), "town": hierarchy(EIGHT.column("town"))}
            ),
            {"k": 2},
            "bound to other values",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(of, given_ones, reason):
    """The rule, the number and the remedy, and no value of the table."""
    with pytest.raises(NotMeasurable, match=reason):
        run(of=of, **given_ones)


def test_missing_values_have_no_place_in_an_order():
    """Numbers have an order, and NULL stands nowhere in it."""
    table = Table(age=[23, 27, 34], town=["aa", "ab", "ba"], ill=[1, 2, None])
    with pytest.raises(NotMeasurable, match="'ill' has missing values"):
        run(table, of=task(table), t=0.3, distance="ordered")


def test_a_sensitive_qid_of_which_l_is_asked_stays_exact():
    """Town is a QID and sensitive: without l it is generalized, with l two stand in each band of ages."""
    done = run(of=task(sensitive=("town",)), k=2, most_suppressed=0.5)
    assert "town" in done.columns
    limit = PolicyLimit(
        metric=METRIC["distinct_l_diversity"],
        arguments={},
        limit=Limit(bound=Bound.AT_LEAST, value=2),
        qids=("age",),
        sensitive="town",
    )
    done = run(of=task(sensitive=("town",), targets=(limit,)), k=1, most_suppressed=0.0)
    assert set(done.columns) == {"age"}
    assert any("town 0 of 0" in note for note in done.notes)


@pytest.mark.parametrize("search", ["auto", "greedy"])
def test_a_lattice_too_large_for_a_proof_is_searched_without_one_and_says_so(monkeypatch, search):
    """Who asks for the proof is told that there is none; unasked the note says what it was."""
    monkeypatch.setattr(module, "MOST_NODES", 8)
    with pytest.raises(NotMeasurable, match=r"9 combinations .* proves nothing then"):
        run(k=2, search="optimal")
    done = run(k=2, search=search, most_suppressed=0.25)
    assert any(note.startswith("greedy: ") and "may exist" in note for note in done.notes)


def test_one_label_for_values_that_a_coarser_level_separates_is_refused():
    """Published they would be one class on the finer level and two on the coarser one."""
    column = EIGHT.column("town")
    tree = hierarchy(column)
    wrong = replace(
        tree,
        groups=tree.groups[[0, 0, 0, 1]],
        labels=(tree.labels[0], (None, "a.", "a.", "b.", "b."), tree.labels[0], ("*",)),
    )
    with pytest.raises(NotMeasurable, match="level 1 of the hierarchy of 'town' has a label twice"):
        run(of=task(hierarchies={**task().hierarchies, "town": wrong}), k=2)


def test_marks_on_a_fine_level_only_are_refused_with_cells():
    """Suppressed cells would help classes there that have no help further up."""
    column = EIGHT.column("town")
    tree = hierarchy(column, first, lambda _: "any")
    starred = replace(tree, labels=(tree.labels[0], (None, "*", "b."), *tree.labels[2:]))
    of = task(hierarchies={**task().hierarchies, "town": starred})
    with pytest.raises(NotMeasurable, match="publishes values as the suppression mark"):
        run(of=of, k=2, suppress="cells")
    assert run(of=of, k=2, most_suppressed=0.25).kept.sum() >= 6


def test_a_column_without_a_hierarchy_gets_an_automatic_one():
    """Quantile intervals for ages, a tree for towns."""
    done = run(of=task(hierarchies={}), k=2, most_suppressed=0.25)
    assert pd.Series(rows(done)).value_counts().min() >= 2


def as_table(found):
    """Return rows as a table."""
    columns = map(list, zip(*found, strict=True))
    return Table(**dict(zip(("age", "town", "ill", "who"), columns, strict=True)))


tables = st.lists(
    st.tuples(
        st.sampled_from([23, 27, 28, 34, 35, 41, None]),
        st.sampled_from(["aa", "ab", "ba", "bb", None]),
        st.sampled_from(["flu", "flu", "cough", "acne", None]),
        st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8]),
    ),
    min_size=3,
    max_size=16,
).map(as_table)


@pytest.mark.slow
@ANY
@given(
    table=tables, entities=st.booleans(), suppress=st.sampled_from(["records", "cells"]),
    more=st.sampled_from(
        [{}, {"l": 2.0}, {"l": 1.5, "diversity": "entropy"}, {"l": 2.0, "diversity": "recursive"}, {"t": 0.3}]
    ),
)  # fmt: skip
def test_every_claim_is_true_by_the_sql_of_the_engine_and_the_loss_is_that_of_what_is_published(
    table, entities, suppress, more
):
    """From a DataFrame through a snapshot to what is published, measured from scratch."""
    frame = pd.DataFrame({name: pd.Series(values) for name, values in table.values.items()})  # noqa: PD011 - no pandas
    frame["age"] = frame["age"].astype("Int64")
    entity = "who" if entities else None
    with ENGINE.snapshot(frame, ReadOptions(), EngineSettings(threads=1)) as source:
        before = {name: source.column(name) for name in ("age", "town")}
        trees = {"age": hierarchy(before["age"], tens), "town": hierarchy(before["town"], first)}
        of = task(table, hierarchies=trees, entity=entity)
        given_ones = arguments(k=2, most_suppressed=0.4, suppress=suppress, **more)
        try:
            run = run_anonymizer(FullDomain(), source, given_ones, of, owner="plugin")
        except UnreachableError:
            return
        done = run.done
        with run.after as after:
            needs = Needs(columns=("age", "town", "ill"), entity=entity, suppression_mark="*")
            with ENGINE.open(after, ReadOptions(), needs, EngineSettings(threads=1)) as opened:
                for claim in done.guarantees:
                    metric = load_host().metrics[claim.metric]
                    figure = Question(
                        metric=metric, arguments=bind(metric.parameters, dict(claim.parameters)),
                        attribute=claim.sensitive,
                    )  # fmt: skip
                    value = figure_of(opened, figure, claim.qids, None).value
                    assert claim.limit.is_met_by(value)
                assert opened.class_sizes(Grouping(qids=("age", "town")).qids).min() >= 2
            lost = float((~done.kept).sum() * 2)
            for name in ("age", "town"):
                shown = after.column(name, suppression_mark="*")
                read = read_coverage(before[name], shown, trees[name], "*")
                lost += float(read.loss_of(shown.codes, before[name].codes[done.kept]).sum())
        told = float(done.notes[1].rpartition(" ")[2])
        assert told == pytest.approx(lost / (2 * table.records), rel=1e-5, abs=1e-9)
