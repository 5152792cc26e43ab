"""The anonymizer of synthetic records: what it guarantees, what it refuses, what its receipt says."""

from fractions import Fraction

import pytest

from columns import Table
from qidguard.sdk import AnonymizationTask, NewTableKind, NotMeasurable, ProtectedUnit
from qidguard_hybrid_dp.private.anonymizer import NoisyMarginals, PrivateSynthetic
from qidguard_hybrid_dp.private.asked import COUNTS_PARAMETERS, SYNTHETIC_PARAMETERS

STAYS = {"sex": ["f", "m"] * 60, "age": list(range(20, 80)) * 2, "illness": ["flu", "flu", "asthma"] * 40}
DECLARED = {"categories": {"sex": "f | m", "illness": "flu|asthma|measles"}, "bounds": {"age": (20, 79)}}


def task_of(**changed):
    """Return a rehearsal's task over sex, age and illness."""
    asked = {"combinations": (("sex", "age"),), "entity": None, "sensitive": ("illness",), "seed": 7}
    return AnonymizationTask(**{**asked, "is_rehearsal": True, **changed})


def arguments_of(parameters=SYNTHETIC_PARAMETERS, **given):
    """Return arguments as the host binds them."""
    asked = {"epsilon": 4, **DECLARED, **given}
    return {one.name: one.check(asked[one.name]) if one.name in asked else one.default for one in parameters}


def both_of(anonymizer, parameters, table, task, given):
    """Return the guarantee and the new table of an anonymizer."""
    records, arguments = Table(table or STAYS), arguments_of(parameters, **given)
    task = task or task_of()
    guarantee = anonymizer.privacy_guarantee(records, arguments, task)
    return guarantee, anonymizer.anonymize(records, arguments, task)


def run(table=None, task=None, **given):
    """Return the guarantee and the synthetic records."""
    return both_of(PrivateSynthetic(), SYNTHETIC_PARAMETERS, table, task, given)


def counted(table=None, task=None, **given):
    """Return the guarantee and the table of counts."""
    return both_of(NoisyMarginals(), COUNTS_PARAMETERS, table, task, given)


def values_of(done, name):
    """Return the published values of a column."""
    return [done.columns[name].values[code] for code in done.columns[name].codes]


@pytest.mark.parametrize("structure", ["star", "augmented_star", "tree"])
def test_records_are_synthetic_and_cost_epsilon_in_all(structure):
    """Their values are declared ones, in the column's type; one column of one value is a table too."""
    guarantee, done = run(structure=structure)
    assert (guarantee.cost.epsilon, guarantee.unit) == (4, ProtectedUnit.RECORD)
    assert (done.kind, [*done.columns]) == (NewTableKind.SYNTHETIC_RECORDS, ["sex", "age", "illness"])
    assert 100 <= done.records <= 140
    known = {"sex": {"f", "m"}, "illness": {"flu", "asthma", "measles"}, "age": set(range(20, 80))}
    for name, values in known.items():
        assert set(values_of(done, name)) <= {*values, None}
    assert {type(value) for value in values_of(done, "age")} <= {int, type(None)}
    alone = {"illness": ["flu"] * 50}
    _, done = run(alone, task_of(combinations=()), structure=structure, bounds={})
    assert [*done.columns] == ["illness"]
    assert values_of(done, "illness").count("flu") > 25


def test_the_receipt_prints_the_map_of_each_measurement_and_the_plot_no_value():
    """The number of records is not public; it says whether it was rehearsed, and who rehearses repeats."""
    done, again = (run()[1] for _ in range(2))
    drawn = [run(task=task_of(is_rehearsal=False))[1] for _ in range(2)]
    text = " ".join(done.notes)
    for part in ("illness×sex, illness×age", "OpenDP's map for one record is ε = 2.0 each",
                 "number of records is not public", "from the seed, as a rehearsal"):  # fmt: skip
        assert part in text
    assert "drawn by OpenDP" in " ".join(drawn[0].notes)
    assert values_of(done, "age") == values_of(again, "age")
    assert values_of(drawn[0], "age") != values_of(drawn[1], "age")
    [plot] = done.plots
    assert "illness" in str(plot.vega_lite)
    assert not any(value in str(plot.vega_lite) for value in ("flu", "asthma", "measles"))


def test_a_person_with_several_records_divides_epsilon():
    """ε is of the person: half of it is each record's, and the host multiplies it again."""
    table = {"id": [f"p{at // 2}" for at in range(120)], **STAYS}
    guarantee, _ = run(table, task_of(entity="id"), records_per_person=2)
    assert (guarantee.unit, guarantee.contributions) == (ProtectedUnit.PERSON, 2)
    assert (guarantee.cost.epsilon, sum(part.epsilon for part in guarantee.parts)) == (4, 2)


def test_categories_that_are_not_declared_are_found_for_delta():
    """Flu is frequent enough, what one person has is not told; where all is declared δ is not charged."""
    table = {**STAYS, "illness": ["flu"] * 119 + ["plague"]}
    guarantee, done = run(table, categories={"sex": "f|m"}, delta="1/1000000")
    assert (guarantee.cost.epsilon, guarantee.cost.delta) == (4, Fraction(1, 10**6))
    assert set(values_of(done, "illness")) <= {"flu", None}
    assert "Categories of illness that were found: 1," in done.notes[0]
    assert run(delta="1/1000000")[0].cost.delta == 0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"epsilon": 0}, "epsilon must be above 0, not 0"),
        ({"delta": 1}, "delta must be below 1, not 1"),
        ({"categories": {"sex": "f|m"}}, "categories of illness are not declared"),
        ({"bounds": {}}, "column 'age' holds numbers and has no bounds"),
        ({"epsilon": "1/1000000000000"}, "one of the measurements would have ε = 5e-13"),
        ({"epsilon": 10**9}, "it must lie between 1e-09 and 1e.06"),
        ({"bounds": {"age": (0, 10**20)}}, "bounds of 'age' must lie between -1,000,000,000,000,000 and"),
        ({"bounds": {"age": (5, 5)}}, "bounds of 'age' must rise"),
        ({"bounds": {"age": (1, 9), "sex": (1, 2)}}, "column 'sex' has both bounds and categories"),
        (
            {"categories": {"illness": "flu"}, "bounds": {"age": (1, 9), "sex": (1, 2)}},
            "'sex' has bounds and",
        ),
        ({"center": "town"}, "the center 'town' is no quasi-identifier"),
        ({"weights": {"age": 0}}, "weights of the budget must be above 0"),
        ({"delta": "0.1", "records_per_person": 2}, "several records of a person"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_charged(given, sentence):
    """Each sentence says the rule and the remedy."""
    with pytest.raises(NotMeasurable, match=sentence):
        PrivateSynthetic().privacy_guarantee(Table(STAYS), arguments_of(**given), task_of())


@pytest.mark.parametrize(
    ("make", "table", "task", "given", "sentence"),
    [
        (run, {"id": ["p"] * 3 + [f"q{at}" for at in range(117)], **STAYS}, {"entity": "id"}, {},
         "a person has 3 records, and records_per_person says at most 1"),
        (run, STAYS, {"sensitive": ()}, {}, "a star needs a center"),
        (counted, STAYS, {}, {"columns": "sex|town"}, "column 'town' is no quasi-identifier"),
    ],
)  # fmt: skip
def test_tables_and_roles_that_do_not_fit_are_refused(make, table, task, given, sentence):
    """Nothing is cut off silently, no center is guessed, and a column that is not published is named."""
    with pytest.raises(NotMeasurable, match=sentence):
        make(table, task_of(**task), **given)


def test_a_tree_needs_no_center():
    """Without a sensitive attribute or a target it has records."""
    assert run(task=task_of(sensitive=()), structure="tree")[1].records > 0


def test_columns_that_are_missing_altogether_stay_missing():
    """What has no value is counted in the last cell."""
    _, done = run({**STAYS, "sex": [None] * 60 + ["f"] * 60}, epsilon=50)
    assert abs(values_of(done, "sex").count(None) - 60) <= 3


def test_a_table_whose_noise_leaves_nobody_is_refused():
    """At a tiny ε some seeds say that there are no records."""
    sentences = set()
    for seed in range(12):
        try:
            run({"sex": ["f"], "age": [30], "illness": ["flu"]}, task_of(seed=seed), epsilon="1/2")
        except NotMeasurable as error:
            sentences.add(str(error))
    assert [text for text in sentences if "noisy number of records is below 1" in text]


def test_numbers_may_be_categories():
    """Declared as texts, they are published as numbers."""
    _, done = run(bounds={}, categories={**DECLARED["categories"], "age": "20|21"})
    assert {type(value) for value in values_of(done, "age")} == {int, type(None)}


def test_counts_of_every_cell_are_published_with_noise():
    """Two sexes and three illnesses make 3 × 4 cells with the last ones; 40 women have flu."""
    guarantee, done = counted(columns="sex | illness")
    assert (guarantee.cost.epsilon, len(guarantee.parts)) == (4, 1)
    assert (done.kind, done.counts, done.records) == (NewTableKind.COUNTS, "noisy_count", 12)
    sexes, illnesses, counts = (values_of(done, name) for name in ("sex", "illness", "noisy_count"))
    found = dict(zip(zip(sexes, illnesses, strict=True), counts, strict=True))
    for cell, count in {("f", "flu"): 40, ("m", "measles"): 0, (None, None): 0}.items():
        assert abs(found[cell] - count) <= 5
    # a source may have a column of the name of counts
    assert counted({**STAYS, "Noisy_Count": ["x"] * 120})[1].counts == "noisy_count_"


def test_numbers_are_counted_in_intervals():
    """Three bins of twenty ages; bins of one number are the numbers, in their type."""
    _, done = counted(columns="age", bins=3)
    assert values_of(done, "age") == ["[20, 39]", "[40, 59]", "[60, 79]", None]
    assert all(abs(count - 40) <= 5 for count in values_of(done, "noisy_count")[:3])
    _, done = counted(columns="age", bounds={"age": (20, 22)})
    assert values_of(done, "age") == [20, 21, 22, None]


def test_categories_are_found_for_counts_too():
    """The threshold takes its share, and all parts cost ε and δ."""
    guarantee, done = counted(columns="illness", categories={}, delta="1/100")
    assert (guarantee.cost.epsilon, guarantee.cost.delta) == (4, Fraction(1, 100))
    assert values_of(done, "illness") == ["asthma", "flu", None]
