"""Tests of the labeled table: its labels are true of it, and chance is its own."""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard_qidlearning.generators import REGISTER_ATTRIBUTES, labeled_table, synthetic_table


@pytest.fixture(scope="module")
def made():
    """Return a table of 3,000 records with every kind of column, nothing wrong and nothing missing."""
    return labeled_table(3_000, seed=4, lookalikes=2, noise=0.0, missing=0.0)


def conditional_entropy(frame, column, given_column):
    """Return H(column | given) in bits, by pandas alone."""
    together = frame.groupby([given_column, column], dropna=False).size()
    alone = frame.groupby(given_column, dropna=False).size()
    share = together / len(frame)
    return float(
        -(share * np.log2(together / alone.reindex(together.index.get_level_values(0)).to_numpy())).sum()
    )


def shares_alone(values):
    """Return the share of records whose value no other record has."""
    counts = values.map(values.value_counts(dropna=False))
    return float((counts == 1).mean())


def test_every_record_is_its_persons_line_of_the_register(made):
    """The truth is what both share: a record has its person's values, and nobody is in twice."""
    known = [name for name in made.frame.columns if name in made.register.columns]
    assert (made.quasi_identifiers, len(known)) == (tuple(known), 6)
    lines = made.register.set_index("person").loc[made.persons, known].reset_index(drop=True)
    pd.testing.assert_frame_equal(lines, made.frame[known])
    assert len(set(made.persons)) == 3_000
    # no record number repeats, and the order of the numbers says nothing of the person
    numbers = made.frame[made.direct_identifier]
    assert numbers.is_unique
    assert abs(np.corrcoef(numbers, made.persons)[0, 1]) < 0.1


def test_every_column_has_exactly_one_label(made):
    """Roles and candidates make up the table; six found of six with two too many: F1 = 12/14."""
    kinds = [made.quasi_identifiers, made.derived, made.flags, made.measurements, made.lookalikes]
    candidates = [name for kind in kinds for name in kind]
    roles = [made.direct_identifier, made.sensitive, made.target, made.treatment]
    assert sorted([*candidates, *roles]) == sorted(made.frame.columns)
    assert set(made.candidates) == set(candidates)
    assert (made.attainable_f1, labeled_table(50, quasi_identifiers=3).attainable_f1) == (12 / 14, 1.0)


def test_the_truth_names_people_and_what_is_no_quasi_identifier_does_not(made):
    """A linkage by the truth finds most persons; by what the register lacks, it finds nobody."""
    known = list(made.quasi_identifiers)
    register = made.register.groupby(known, dropna=False)["person"].agg(["first", "size"]).reset_index()
    linked = made.frame.assign(person=made.persons).merge(register, on=known, how="left")
    is_named = (linked["size"] == 1) & (linked["first"] == linked["person"])
    assert is_named.mean() > 0.5
    others = {*made.measurements, *made.lookalikes, *made.flags, made.direct_identifier, made.sensitive}
    assert not others & set(made.register.columns)


def test_a_derived_column_is_a_strictly_coarser_function_of_its_source(made):
    """The source determines it, and it does not determine the source."""
    assert made.derived
    for derived, source in made.derived.items():
        assert abs(conditional_entropy(made.frame, derived, source)) < 1e-9
        assert conditional_entropy(made.frame, source, derived) > 0.3


@pytest.mark.samples(1)
@pytest.mark.parametrize("seed", range(2))
def test_the_kinds_differ_as_documented(seed):
    """Flags are near constant, measurements alone in each record, quasi-identifiers nothing of that."""
    made = labeled_table(4_000, seed=seed)
    frame = made.frame
    assert all(frame[flag].value_counts(normalize=True).max() > 0.97 for flag in made.flags)
    assert all(shares_alone(frame[name]) > 0.2 for name in made.measurements)
    plain = [name for name in made.candidates if name not in made.measurements]
    for name in made.quasi_identifiers:
        assert shares_alone(frame[name]) < 0.01
        assert frame[name].value_counts(normalize=True).max() < 0.9
        assert min(conditional_entropy(frame, name, one) for one in plain if one != name) > 0.3


def test_the_sensitive_attribute_leans_on_the_register_and_the_treatment_on_the_diagnosis():
    """Diagnosis depends on age, treatment on diagnosis, outcome on treatment: Cramér's V is above chance."""
    made = labeled_table(10_000, seed=0, quasi_identifiers=["age", "sex"], noise=0.0, missing=0.0)
    age = pd.cut(made.frame["age"].astype(int), [-1, 14, 34, 54, 74, 200])
    pairs = [(age, "diagnosis"), (made.frame["diagnosis"], "treated"), (made.frame["treated"], "outcome")]
    for cause, effect in pairs:
        table = pd.crosstab(cause, made.frame[effect]).to_numpy()
        expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
        chi = ((table - expected) ** 2 / expected).sum()
        assert np.sqrt(chi / table.sum() / (min(table.shape) - 1)) > 0.1


def test_a_part_of_the_values_is_wrong_or_missing():
    """Noise and missing are shares of the quasi-identifiers' values; a derived column follows its source."""
    wanted = ["age", "occupation", "birth_place"]
    made = labeled_table(8_000, seed=2, quasi_identifiers=wanted, noise=0.2, missing=0.1)
    lines = made.register.set_index("person").loc[made.persons].reset_index(drop=True)
    for name in wanted:
        is_missing = made.frame[name].isna()
        is_wrong = (made.frame[name] != lines[name])[~is_missing].mean()
        assert abs(is_missing.mean() - 0.1) < 0.02
        assert 0.1 < is_wrong < 0.22
    for derived, source in made.derived.items():
        assert (made.frame[derived].isna() == made.frame[source].isna()).all()


def test_derived_columns_may_be_older_than_the_errors():
    """Made first, a derived column has no missing value, and errors in its source leave it as it was."""
    asked = {"seed": 2, "quasi_identifiers": ["postcode"], "noise": 0.2, "missing": 0.1}
    later, first = (labeled_table(3_000, **asked, is_derived_first=i) for i in (False, True))
    assert first.derived == later.derived == {"region": "postcode"}
    assert not first.frame["region"].isna().any()
    assert conditional_entropy(first.frame, "region", "postcode") > 0.2
    assert abs(conditional_entropy(later.frame, "region", "postcode")) < 1e-9


def test_masked_names_tell_nothing():
    """Masked columns are numbered by place; everything else is as without a mask."""
    plain, masked = (labeled_table(80, seed=7, is_masked=is_masked) for is_masked in (False, True))
    assert list(masked.frame.columns) == [f"c{i + 1:02d}" for i in range(len(plain.frame.columns))]
    called = dict(zip(plain.frame.columns, masked.frame.columns, strict=True))
    assert tuple(called[name] for name in plain.quasi_identifiers) == masked.quasi_identifiers
    assert {called[d]: called[s] for d, s in plain.derived.items()} == dict(masked.derived)
    pd.testing.assert_frame_equal(plain.frame.rename(columns=called), masked.frame)


@pytest.mark.parametrize("make", [labeled_table, synthetic_table])
def test_global_chance_is_neither_used_nor_touched(make):
    """Generators of numpy and of Python stand where they stood; one seed gives one table, two give two."""
    np.random.seed(1)  # noqa: NPY002 - the global generator is what this test watches
    random.seed(1)
    before, plain = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002 - as above
    first = make(100, seed=3).frame
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002 - as above
    assert random.getstate() == plain
    np.random.seed(2)  # noqa: NPY002 - as above
    pd.testing.assert_frame_equal(first, make(100, seed=3).frame)
    assert not first.equals(make(100, seed=4).frame)


def test_seeds_vary_which_quasi_identifiers_there_are():
    """Over 20 seeds every attribute is sometimes there and sometimes not, and tables differ."""
    sets = [frozenset(labeled_table(40, seed=seed).quasi_identifiers) for seed in range(20)]
    assert all(0 < sum(name in one for one in sets) < 20 for name in REGISTER_ATTRIBUTES)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"records": 0}, "at least one record, not 0"),
        ({"records": 10, "persons": 9}, "a register of 9 persons cannot give 10 records"),
        ({"noise": 1.5}, "noise is a share, 0 to 1, not 1.5"),
        ({"missing": -0.1}, "missing is a share"),
        ({"quasi_identifiers": 0}, "at least one quasi-identifier"),
        ({"quasi_identifiers": 11}, "quasi_identifiers must be 0 to 10, not 11"),
        ({"quasi_identifiers": ["age", "shoe"]}, "'shoe' is unknown"),
        ({"quasi_identifiers": ["age", "age"]}, "one twice"),
        ({"flags": 9}, "flags must be 0 to 8, not 9"),
        ({"lookalikes": -1}, "lookalikes must be 0 to 6"),
    ],
)
def test_wrong_arguments_say_the_rule(wrong, said):
    """An argument outside its range is an error that names it."""
    with pytest.raises(ValueError, match=said):
        labeled_table(**wrong)


@settings(max_examples=examples(15), derandomize=True, database=None, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(0, 1000),
    st.integers(1, 10),
    st.integers(0, 10),
    st.integers(0, 8),
    st.floats(0, 1),
)
def test_any_mixture_can_be_made(records, seed, true, derived, flags, share):
    """Whatever is asked for, the table has so many records and columns, and the same seed gives it again."""
    asked = {"quasi_identifiers": true, "derived": derived, "flags": flags, "noise": share, "missing": share}
    made = labeled_table(records, seed=seed, **asked)
    assert made.frame.shape == (records, true + len(made.derived) + flags + 4 + 4)
    assert len(made.derived) <= derived
    pd.testing.assert_frame_equal(made.frame, labeled_table(records, seed=seed, **asked).frame)


def test_the_papers_table_has_10_000_records_and_11_columns():
    """Attributes are numeric and categorical in turn, with a sensitive, a target and a binary treatment."""
    made = synthetic_table()
    frame = made.frame
    assert frame.shape == (10_000, 11)
    assert (*made.attributes, made.sensitive, made.target, made.treatment) == tuple(frame.columns)
    assert [frame[name].nunique() for name in ("sensitive", "target")] == [5, 3]
    assert sorted(frame["treatment"].unique()) == [0, 1]
    assert not frame.isna().to_numpy().any()
    assert [pd.api.types.is_integer_dtype(frame[name]) for name in made.attributes] == [True, False] * 4
    values = [frame[name].value_counts() for name in made.attributes[1::2]]
    assert [(len(counts), counts.index[0]) for counts in values] == [(n, "value 1") for n in (2, 3, 4, 5)]
    # the target leans on the treatment, and some pair of numeric attributes is correlated
    means = frame.groupby("treatment")["target"].mean()
    correlations = frame[[name for name in made.attributes if name.startswith("number")]].corr()
    assert means[1] - means[0] > 0.1
    assert np.abs(correlations.to_numpy()[np.triu_indices(4, 1)]).max() > 0.15


@pytest.mark.parametrize("columns", [5, 14, 30])
def test_any_number_of_columns_can_be_made(columns):
    """As many columns as asked for, each of at least two values; roles only, or no records, are refused."""
    made = synthetic_table(400, columns, seed=0)
    assert (made.frame.shape[1], min(made.frame.nunique()) > 1) == (columns, True)
    for records, few in ((0, 11), (10, 4)):
        with pytest.raises(ValueError, match="needs a record and 5 columns"):
            synthetic_table(records, few)
