"""``qidguard mo_obam models``: which models change significantly, and what it refuses."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from qidguard.interfaces.cli import main
from qidguard.sdk import LearningDesign, UserError
from qidguard_mo_obam.evaluation.case import StudyCase
from qidguard_mo_obam.evaluation.example import tested as example
from qidguard_mo_obam.evaluation.models import compare_models_in, holm


@pytest.fixture(scope="module")
def flights():
    """Return 200 people whose age alone tells whether they flew."""
    random = np.random.default_rng(0)
    ages = random.integers(20, 60, 200)
    return pd.DataFrame(
        {
            "age": ages,
            "sex": random.choice(["f", "m"], 200),
            "illness": random.choice(["flu", "asthma", "measles"], 200),
            "flew": np.where(ages % 2 == 0, "yes", "no"),
            "always": "yes",
        }
    )


@pytest.fixture(scope="module")
def table(flights, tmp_path_factory):
    """Return them as a CSV."""
    path = tmp_path_factory.mktemp("mo_obam") / "flights.csv"
    flights.to_csv(path, index=False)
    return str(path)


QUICK = ("--methods", "mdav", "--k", "20", "--models", "decision_tree", "--splits", "6", "--quiet")
ROLES = ("--qid", "age,sex", "--sensitive", "illness")


def run(capsys, *arguments):
    """Return the exit code, standard output and standard error of ``qidguard mo_obam models``."""
    code = main(["mo_obam", "models", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_centers_of_ages_hide_whether_an_age_is_even(table, tmp_path, capsys):
    """A tree learns it of the original and not of the centers: significantly lower in tables and plot."""
    code, out, _ = run(
        capsys, table, *ROLES, "--target", "flew", *QUICK, "--format", "json",
        "--plots", str(tmp_path), "--tested-on", "original",
    )  # fmt: skip
    found = json.loads(out)
    means, tests = found["tables"]
    [row] = tests["rows"]
    assert code == 0
    assert row["published_f1"] < row["original_f1"]
    assert row["is_significant"]
    assert row["effect_size"] == -1
    assert means["rows"] == [
        {"table": "baseline", "DT": f"{row['original_f1']:.4f}"},
        {"table": "mdav[k=20]", "DT": f"{row['published_f1']:.4f}**"},
    ]
    assert "after Holm   1 of 1 tests: decision tree 1 lower" in found["text"]
    assert {path.name for path in tmp_path.iterdir()} == {"f1_by_model.svg", "f1_by_model.png"}


def test_the_test_is_mann_whitneys(flights):
    """Scores of each split against SciPy's test, and Holm's correction of the two p-values."""
    case = StudyCase.of(flights, ["age", "sex"], ["illness"], target="flew", whole=True)
    models = ("decision_tree", "naive_bayes")
    design = LearningDesign(repeats=8)
    found = compare_models_in(case, [("mdav", 5, ""), ("mdav", 5, "")], models=models, design=design)
    scores = found.scores["mdav[k=5]"]
    expected = [
        stats.mannwhitneyu(scores.published_f1[at], scores.original_f1[at], alternative="two-sided").pvalue
        for at in (0, 1)
    ]
    assert [test.p_value for test in found.tests] == pytest.approx(expected)
    assert [test.corrected for test in found.tests] == pytest.approx(holm(expected))


def test_holm_by_hand():
    """The smallest of four is multiplied by 4, the next by 3; none falls below one before, none above 1."""
    assert holm([0.04, 0.01, 0.5, 0.02]) == pytest.approx((0.08, 0.04, 0.5, 0.06))
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert holm([]) == ()


def test_corrected_p_values_are_no_smaller():
    """With three splits no test can fall below .05, and the headline counts none."""
    found = example()
    assert {test.table for test in found.tests} == {"mdav[k=3]"}
    assert all(0 <= test.p_value <= test.corrected <= 1 for test in found.tests)
    assert "0 of 2 tests" in found.headline


@pytest.mark.slow
def test_models_need_a_target_and_a_method(flights):
    """Without either it says so."""
    case = StudyCase.of(flights, ["age"], ["illness"], whole=True)
    with pytest.raises(UserError, match="need a target"):
        compare_models_in(case, [("mdav", 5, "")])
    with pytest.raises(UserError, match="at least one method"):
        compare_models_in(StudyCase.of(flights, ["age"], ["illness"], target="flew", whole=True), [])


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "need a target to predict"),
        (("--target", "height"), "height"),
        (("--target", "age"), "'age' has two roles"),
        (("--target", "flew", "--models", "oracle"), "oracle"),
        (("--target", "flew", "--positive", "maybe"), "maybe"),
        (("--target", "flew", "--k", "1000"), "no method can publish this table: mdav[k=1000]"),
        (("--target", "always"), "always"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_are_one_sentence(table, arguments, words, capsys):
    """A wrong value is said without a traceback, and the exit code is 2."""
    code, out, err = run(capsys, table, *ROLES, *QUICK, *arguments)
    assert (code, out) == (2, "")
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.realdata
def test_german_by_mdav(german, capsys):
    """At k = 5 MDAV changes no model of German Credit after the correction."""
    qids, sensitive = (",".join(names) for names in german.roles)
    code, out, _ = run(
        capsys, str(german.path), "--delimiter", "whitespace", "--no-header",
        "--columns", ",".join(german.read.columns), "--qid", qids, "--sensitive", sensitive,
        "--target", "class", "--positive", "1", "--methods", "mdav", "--k", "5",
        "--models", "decision_tree,naive_bayes,logistic_regression", "--splits", "20", "--quiet",
    )  # fmt: skip
    assert code == 0
    assert "after Holm   0 of 3 tests" in out
