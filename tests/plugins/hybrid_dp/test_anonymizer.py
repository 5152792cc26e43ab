"""The hybrid scheme from end to end: what depends on what, what is claimed, and what it refuses."""

import dataclasses
import re
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from hybrid_runs import (
    BOUNDS,
    METHOD,
    QIDS,
    Nothing,
    cells,
    held_of,
    published,
    run,
    run_of,
    table,
    task_of,
    twice,
)
from qidguard.core.parameter import bind
from qidguard.sdk import (
    ColumnKind,
    DeclarationError,
    NotMeasurable,
    ProtectedUnit,
    automatic_hierarchy,
    k_anonymity_task,
)
from qidguard_hybrid_dp.anonymizer import HybridDp
from qidguard_hybrid_dp.patterns.forest import losses
from qidguard_hybrid_dp.plots import plots_of
from qidguard_hybrid_dp.private.anonymizer import PrivateSynthetic
from qidguard_hybrid_dp.workflow import run_workflow

SYNTHETIC = PrivateSynthetic()
BY_RACE = {"pattern_friendly": {"race": True}}
PUBLIC = {"public_membership": {"race": "White"}}
OPTIONS = {
    "both": {},
    "violating": {"cluster": "violating"},
    "unit scale": {"scale": "unit"},
    "average": {"t_div": 1.0},
    "diverse": {"l": 2},
    "forest": {"pattern_friendly": {}},
    "public": PUBLIC,
    "major": {"is_major_violating": False, "pattern_friendly": {"race": True, "sex": True}},
    "category": {"as_category": {"pay": True}, "bounds": {"age": [0, 120]}},
    "epsilon": {"epsilon_violating": "1/3", "epsilon_other": 0.1, "step": {"pay": 0.5}},
}


@pytest.mark.samples(3)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
def test_one_number_moves_no_other_cell(options):
    """Of a rehearsal, whose seed is fixed: every other cell stays, whatever the option."""
    frame = table()
    task = task_of(entity="person" if "l" in options else None)
    before = published(*run(frame, task, **options)[:2])
    changed = {"age"} if "as_category" in options else {"age", "pay"}
    for name in changed:
        frame.loc[17, name] = {"age": 99, "pay": 0.5}[name]
    after = published(*run(frame, task, **options)[:2])
    for name in before:
        moved = [row for row in range(len(frame)) if before[name][row] != after[name][row]]
        assert set(moved) <= ({17} if name in changed else set()), name


def test_numbers_decide_nothing_of_partitions_and_clusters():
    """All numbers exchanged, which tell the illness: losses, partitions and clusters stay."""
    frame = table(200).assign(age=np.arange(200) % 80, pay=np.arange(200) % 100)
    frame["illness"] = np.where(frame["age"] < 40, "x", "y")
    _, _, before = run(frame, pattern_friendly={})
    frame[["age", "pay"]] = frame[["age", "pay"]].iloc[::-1].to_numpy()
    _, _, after = run(frame, pattern_friendly={})
    assert tuple(one.name for one in before.run.partitions.examined) == ("race", "sex", "flag")
    assert before.run.partitions.examined == after.run.partitions.examined
    assert any(one.loss is not None for one in before.run.partitions.examined)
    assert (before.run.partitions.violating == after.run.partitions.violating).all()
    assert (before.labels == after.labels).all()


@pytest.mark.parametrize("entity", [None, "person"])
@pytest.mark.parametrize("options", [OPTIONS[name] for name in ("both", "violating", "diverse", "public")])
def test_clusters_have_k_persons_by_pandas(options, entity):
    """The published categories of whatever is clustered, counted by pandas, NULL and marks included."""
    frame = table()
    held, done, treated = run(frame, task_of(entity=entity), **options)
    shown = pd.DataFrame(published(held, done))[list(treated.qids.categorical)].astype(str)
    shown["person"] = frame["person"] if entity else frame["row"]
    row = held.column("row")
    shown["cluster"] = treated.labels[np.argsort(row.numbers[row.codes])]
    inside = shown[shown["cluster"] >= 0]
    if options.get("cluster") == "violating":
        assert (treated.labels >= 0).tolist() == treated.run.partitions.violating.tolist()
        assert done.guarantees == ()
    else:
        assert len(inside) == len(frame)
        (claim,) = done.guarantees
        assert (claim.qids, claim.limit.value) == (treated.qids.categorical, 3)
    assert inside.groupby(list(treated.qids.categorical))["person"].nunique().min() >= 3


def in_order(held, values):
    """Return what belongs to each record in the order of rows."""
    row = held.column("row")
    return values[np.argsort(row.numbers[row.codes])]


def test_clusters_count_persons_whose_records_are_alike():
    """Each person twice: by records every one would be a cluster of two."""
    frame = twice(30)
    held, done, treated = run(frame, task_of(entity="person"), k=2)
    assert frame["person"].groupby(in_order(held, treated.labels)).nunique().min() >= 2
    assert [claim.limit.value for claim in done.guarantees] == [2]


@pytest.mark.slow
def test_k_is_claimed_of_persons_as_counted_anew():
    """Were clusters wrong, each the two records of one person, k = 2 would not be claimed."""

    def wrong(_, *, persons, **__):
        return np.unique(persons, return_inverse=True)[1]

    frame = twice(30).assign(race=[f"r{at % 30:02d}" for at in range(60)])
    with patch("qidguard_hybrid_dp.workflow.clustered", wrong):
        _, done, treated = run(
            frame, task_of(entity="person"), k=2, public_membership={"race": "r00|r01|r02"}
        )
    assert set(np.bincount(treated.labels)) == {2}
    assert done.guarantees == ()


def test_clusters_have_l_values_of_the_sensitive_attribute():
    """All of a sex have one illness, so clusters of one sex have too few; without l there are such."""
    frame = table().assign(illness=lambda of: of["sex"].map({"f": "x", "m": "y"}))
    found = {}
    for l in (1, 2):  # noqa: E741 - the field's name
        held, _, treated = run(frame, l=l)
        found[l] = frame["illness"].groupby(in_order(held, treated.labels)).nunique().min()
    assert found == {1: 1, 2: 2}


def test_what_is_published_of_numbers():
    """Whole numbers are whole, NULL stays, all lie in their bounds and on their grid."""
    held, done, _ = run(table(), step={"pay": 0.5})
    shown = published(held, done)
    assert shown["age"][3] is None
    ages = [age for age in shown["age"] if age is not None]
    assert all(isinstance(age, int) and 0 <= age <= 120 for age in ages)
    assert all(0 <= pay <= 100 and (2 * pay).is_integer() for pay in shown["pay"])
    assert len(ages) == 59


def bound(**options):
    """Return arguments as the host binds them, with k = 3 and all bounds where nothing else is said."""
    return bind(METHOD.parameters, {"k": 3, "bounds": BOUNDS, **options})


def told(held=None, task=None, **options):
    """Return what is guaranteed."""
    return METHOD.privacy_guarantee(held or held_of(table()), bound(**options), task or task_of())


class Drawn:
    """Draws no noise, and keeps of each call how many values it had and at which scale."""

    def __init__(self):
        self.calls = []

    def draw(self, grid, scale):
        """Return the grid points."""
        self.calls.append((len(grid), Fraction(scale)))
        return grid


@pytest.mark.parametrize("scale", ["range", "unit"])
def test_each_partition_is_drawn_for_at_the_scale_that_is_guaranteed(scale):
    """Column by column, the violating first: what is drawn is what privacy_guarantee says, for as many."""
    held, drawn = held_of(table()), Drawn()
    arguments = bound(scale=scale, step={"pay": 0.5}, **BY_RACE)
    parts = METHOD.privacy_guarantee(held, arguments, task_of()).parts
    treated = run_workflow(run_of(held, arguments, task_of()), drawn)
    step = {"age": Fraction(1), "pay": Fraction(1, 2)}
    assert [at for _, at in drawn.calls] == [part.scale / step[part.columns[0]] for part in parts]
    known = held.column("age").codes > 0
    assert [count for count, _ in drawn.calls] == [
        int((there & part).sum())
        for there in (known, np.ones_like(known))
        for part in (treated.run.partitions.violating, ~treated.run.partitions.violating)
    ]


def test_without_noise_numbers_stay_but_for_their_bounds():
    """A source that draws nothing shows what happens beside noise."""
    frame = table()
    frame.loc[0, "age"] = 130
    held = held_of(frame)
    treated = run_workflow(run_of(held, bound(), task_of()), Nothing())
    shown = cells(held, treated.columns["age"], "age")
    assert shown == [120, *(None if age is pd.NA else int(age) for age in frame["age"][1:])]
    assert treated.clamped == {"age": 1, "pay": 0}


PERSON = {"task": task_of(entity="person")}


@pytest.mark.parametrize(
    ("options", "epsilon", "partitions", "unit", "contributions"),
    [
        (BY_RACE, 16, ("violating", "other"), ProtectedUnit.RECORD, 1),
        (PUBLIC, 10, ("violating", "other"), ProtectedUnit.RECORD, 1),
        ({"pattern_friendly": {"race": False}}, 6, ("violating",), ProtectedUnit.RECORD, 1),
        ({**BY_RACE, **PERSON}, 32, ("violating", "other"), ProtectedUnit.PERSON, 2),
        ({**BY_RACE, **PERSON, "contributions": 5}, 80, ("violating", "other"), ProtectedUnit.PERSON, 5),
        ({**BY_RACE, "epsilon_violating": "1/3", "epsilon_other": 0.1}, Fraction(13, 15),
         ("violating", "other"), ProtectedUnit.RECORD, 1),
    ],
)  # fmt: skip
def test_the_guarantee_adds_up(options, epsilon, partitions, unit, contributions):
    """Two columns, two partitions: 2 · (3 + 5); parallel where membership is public: 2 · 5."""
    given = told(**options)
    assert (given.cost.epsilon, given.partitions) == (epsilon, partitions)
    assert (given.unit, given.contributions) == (unit, contributions)
    assert given.are_partitions_public == (options is PUBLIC)
    assert any("counted in the table" in sentence for sentence in given.not_covered) == (
        unit is ProtectedUnit.PERSON and contributions == 2
    )


def test_what_a_column_costs_and_what_is_not_covered_is_said():
    """Values kept, membership, categories, distance: each in a sentence with the columns' names."""
    unit = told(scale="unit", **BY_RACE)
    assert (told(**BY_RACE).cost_of(["age"]).epsilon, unit.cost_of(["age"]).epsilon) == (8, 120 * 8)
    assert any("distance only" in sentence for sentence in unit.not_covered)
    said = " ".join(told(**BY_RACE).not_covered)
    assert "No noise is drawn for 'race', 'sex', 'flag'" in said
    assert "Which partition a record is in depends on its values of 'race'" in said
    assert "Which partition" not in " ".join(told(**PUBLIC).not_covered)


def test_notes_tell_everything_and_no_value():
    """Steps, reasons, noise, composition, clusters and bias."""
    _, done, _ = run(table(), **BY_RACE, t_div=1.0)
    said = "\n".join(done.notes)
    for part in (
        *("Outliers:", "Incomplete records: 2 of 60", "'race' is pattern-friendly", "records violate"),
        *("'age' in partition 'violating'", "In all ε = 16 for a record", "clusters of", "t_div = 1 nats"),
        "The level tells of 'illness'",
    ):
        assert part in said, part
    assert not re.search("White|Black|Asian|Other", said)


@pytest.mark.parametrize("is_rehearsal", [True, False])
def test_a_rehearsal_says_of_each_noise_that_it_protects_nobody(is_rehearsal):
    """Two columns in two partitions; a real run says it of none."""
    _, done, _ = run(table(), dataclasses.replace(task_of(), is_rehearsal=is_rehearsal))
    said = [note for note in done.notes if "draws it by the seed and protects nobody" in note]
    assert len(said) == (4 if is_rehearsal else 0)


@pytest.mark.parametrize(
    ("combinations", "options", "columns", "claimed"),
    [
        # a QID that is sensitive or the entity stays, and k is not claimed over it
        ((("person", "age", "race", "illness"),), {"entity": "person"}, {"age", "race"}, [("race",)]),
        # several combinations are claimed each, over what each has of clustered columns
        ((("age", "race"), ("sex", "flag"), ("pay",)), {}, {*QIDS}, [("race",), ("sex", "flag")]),
        # one numeric QID alone gets noise and no cluster
        ((("age",),), {}, {"age"}, []),
    ],
)
def test_k_is_claimed_over_the_clustered_columns_of_each_combination(combinations, options, columns, claimed):
    """What is no number and no cluster is left as it is, and where nothing is claimed it is said why."""
    friendly = {} if columns == {"age"} else {"race": True}
    bounds = {name: ends for name, ends in BOUNDS.items() if name in columns}
    task = task_of(combinations=combinations, **options)
    _, done, treated = run(table(), task, bounds=bounds, pattern_friendly=friendly)
    assert (set(done.columns), [claim.qids for claim in done.guarantees]) == (columns, claimed)
    assert treated.qids.unchanged == (("person", "illness") if options else ())
    assert (treated.labels == -1).all() == any("No record is in a cluster" in note for note in done.notes)
    assert (treated.labels == -1).all() == (claimed == [])


class Coded:
    """Records whose numbers all seem to be codes, as those of a very small table may."""

    def __init__(self, held):
        self._held = held

    def __getattr__(self, name):
        """Return what the records have."""
        return getattr(self._held, name)

    def column(self, name):
        """Return a column of codes."""
        return dataclasses.replace(self._held.column(name), kind=ColumnKind.CODE)


def test_numbers_with_bounds_are_numbers_whatever_they_seem():
    """Three people: noise is drawn and counted for them as for three thousand."""
    held = Coded(held_of(table().head(3)))
    done = METHOD.anonymize(held, bound(k=2, **BY_RACE), task_of())
    assert {part.columns for part in told(held, k=2, **BY_RACE).parts} == {("age",), ("pay",)}
    assert {"age", "pay"} <= done.columns.keys()
    categories = {"race": "White", "sex": "f | m", "flag": "true | false", "illness": "x | y | z"}
    arguments = bind(SYNTHETIC.parameters, {"epsilon": 9, "bounds": BOUNDS, "categories": categories})
    assert "age" in SYNTHETIC.anonymize(held, arguments, task_of()).columns


def test_an_empty_partition_is_no_part():
    """A declared column of one value: nobody violates, and one ε is charged."""
    frame = table().assign(race="White")
    _, done, treated = run(frame, pattern_friendly={"race": True})
    assert not treated.run.partitions.violating.any()
    assert {one.partition for one in treated.run.plan} == {"other"}
    assert any("0 of 60 records violate" in note for note in done.notes)


def test_a_partition_below_k_is_clustered_with_the_other():
    """Two Black persons and k = 3: both partitions are one; where only they are clustered, it is refused."""
    frame = table().assign(race=["White"] * 58 + ["Black"] * 2)
    _, done, treated = run(frame, pattern_friendly={"race": True})
    assert treated.is_together
    assert any("both were clustered as one table" in note for note in done.notes)
    with pytest.raises(NotMeasurable, match="k = 3 persons"):
        run(frame, pattern_friendly={"race": True}, cluster="violating")


def test_hierarchies_of_the_task_are_used():
    """Labels of a hierarchy that is given, and its top as the mark."""
    race = automatic_hierarchy(held_of(table()).column("race"))
    assert run(table(), task_of(hierarchies={"race": race}))[2].hierarchies["race"] is race


def test_a_range_may_be_estimated():
    """Within declared bounds, with an ε of its own that every record pays once a column."""
    options, frame = {"estimate": {"age": "1/2"}, **PUBLIC}, table(600)
    _, done, treated = run(frame, bounds={"age": [0, 1000], "pay": [0, 100]}, **options)
    assert told(held_of(frame), **options).cost.epsilon == 10 + Fraction(1, 2)
    assert [one.partition for one in treated.run.plan] == ["", *["violating", "other"] * 2]
    low, high = treated.qids.noised[0].bounds
    assert 0 <= low < high < 1000
    for said in ("the range is estimated from all records", "ε = 21/2|ε = 10.5"):
        assert any(re.search(said, note) for note in done.notes), said
    with pytest.raises(NotMeasurable, match="set scale: range"):
        run(frame, scale="unit", **options)


def test_average_levels_are_never_below_the_least():
    """With T_div above every entropy each cluster is at the average level at least."""
    _, _, least = run(table())
    _, _, average = run(table(), t_div=9.0)
    assert average.average.all()
    for name, level in average.levels.items():
        assert (level >= np.maximum(least.levels[name], average.hierarchies[name].levels // 2)).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bounds": {"age": [0, 120]}}, "'pay' has none: declare bounds: {pay: "),
        ({"epsilon_other": 0}, "epsilon_other must be above 0"),
        ({"bounds": {**BOUNDS, "race": [0, 1]}}, "bounds names 'race', which is no numeric"),
        ({"bounds": {"age": [120, 0], "pay": [0, 1]}}, "the lower one first"),
        ({"pattern_friendly": {"age": True}}, "pattern_friendly names 'age', which is no categorical"),
        ({"pattern_friendly": {"age": True}}, "it gets noise; take it as categories by as_category, or"),
        ({"public_membership": {"age": "30"}}, "public_membership names 'age', which is no categorical"),
        ({"bounds": {**BOUNDS, "race": [0, 1]}}, "text values, and would be published without noise"),
        ({"bounds": BOUNDS, "as_category": {"age": True}}, "name it in one of the two only"),
        ({"public_membership": {"race": "White|"}}, "with | between them"),
        ({"public_membership": {"race": "Purple"}}, "names values that no record has"),
        ({**PUBLIC, "pattern_friendly": {"sex": True}}, "must name the same columns"),
        ({"super_minor": 0.2}, "must not be above minor"),
        ({"strict": True, "cluster": "violating"}, "set cluster: both"),
        ({"k": 61}, "k = 61 persons"),
    ],
)
def test_what_cannot_be_is_one_sentence(options, said):
    """The rule, the value and what to do; nothing of the table."""
    with pytest.raises(NotMeasurable, match=re.escape(said)) as raised:
        run(table(), **options)
    # what is declared wrongly is a mistake of the user; too few persons is an answer
    assert isinstance(raised.value, DeclarationError) == ("k" not in options)
    assert "Purple" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("task", "options", "said"),
    [
        ({"sensitive": ()}, {"l": 2}, "declare one, or leave l out"),
        ({"combinations": (("race", "sex"),)}, {"bounds": {}}, "draws noise for numeric quasi-identifiers"),
        ({}, {"k": 0}, "k is set neither here"),
        ({}, {"bounds": {}}, "'age', 'pay' has none"),
        ({"entity": "person"}, {"contributions": 1}, "most records of a person, and one has 2"),
    ],
)
def test_roles_that_are_missing(task, options, said):
    """No sensitive attribute, numeric QID, k, bounds; or more records of a person than said."""
    with pytest.raises(NotMeasurable, match=said):
        run(table(), task_of(**task), **options)
    if "k" not in options:
        with pytest.raises(NotMeasurable, match=said):
            told(task=task_of(**task), **options)


def test_k_of_the_policy():
    """Where no k is set, the task's limit is taken."""
    task = dataclasses.replace(k_anonymity_task(4, QIDS, sensitive=["illness"]), is_rehearsal=True)
    assert run(table(), task, k=0)[1].guarantees[0].limit.value == 4


def test_a_release_asks_one_forest():
    """Guarantee, table and plots of one run rest on the same losses, which cost most of it."""
    method, task, arguments = HybridDp(), task_of(), bound()
    held = held_of(table(200))
    with patch("qidguard_hybrid_dp.patterns.forest.losses", wraps=losses) as asked:
        given = method.privacy_guarantee(held, arguments, task)
        done = method.anonymize(held, arguments, task)
    assert asked.call_count == 1
    assert given == HybridDp().privacy_guarantee(held, arguments, task)
    assert done.notes == HybridDp().anonymize(held, arguments, task).notes


def test_plots_show_no_value():
    """Three plots of categories, partitions and noise."""
    drawn = plots_of(run_of(held_of(table()), bound(**BY_RACE), task_of()))
    titles = ["Records by category of their values", "Records by partition", "Noise by partition"]
    assert [plot.title for plot in drawn] == titles
    assert not any(re.search("White|Black", plot.svg() + plot.alternative) for plot in drawn)
