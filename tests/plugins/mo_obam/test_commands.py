"""``qidguard mo_obam``: what ``evaluate``, ``models``, ``grid`` and ``tune`` show, save and refuse."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from qidguard.interfaces.cli import main
from qidguard.sdk import UserError
from qidguard_mo_obam.evaluation.calls import changed_models, evaluate
from qidguard_mo_obam.evaluation.case import MethodTrial
from qidguard_mo_obam.evaluation.evaluation import beside_printed
from qidguard_mo_obam.evaluation.example import tested as example
from qidguard_mo_obam.evaluation.figures import PublishedFigures
from qidguard_mo_obam.evaluation.models import holm
from qidguard_mo_obam.evaluation.printed import PRINTED, printed_table
from qidguard_mo_obam.plugin import MO_OBAM_COMMAND
from qidguard_testing import check_command

POLICY = """\
qidguard: 1
name: stays
roles: {quasi_identifiers: [age, sex], sensitive: [illness], target: illness}
thresholds: [{metric: k_anonymity, at_least: 2}]
"""
ROLES = ("--qid", "age,sex", "--sensitive", "illness")
BASELINES = ("--methods", "mdav,zheng_l_diversity", "--k", "3", "--quiet")
QUICK = ("--methods", "mdav", "--k", "20", "--models", "decision_tree", "--splits", "6", "--quiet")
GRID = ("--quiet", "--k", "3", "--n-c", "2-4,free", "--lambda", "0")
TUNE = ("--quiet", "--k", "3-5", "--n-c", "2-6", "--lambda", "0", "--trials", "6")
MODELS = (*ROLES, *QUICK, "--target")
JSON = ("--format", "json")


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
def tables(flights, tmp_path_factory):
    """Return two CSV files: the flights, and 60 people with the same columns."""
    folder = tmp_path_factory.mktemp("mo_obam")
    flights.to_csv(folder / "flights.csv", index=False)
    stays = {
        "age": [20 + n * 7 % 30 for n in range(60)],
        "sex": ["f", "m"] * 30,
        "illness": ["flu", "asthma", "measles"] * 20,
        "flew": [n % 7 < 3 for n in range(60)],
    }
    pd.DataFrame(stays).to_csv(folder / "stays.csv", index=False)
    return {name: str(folder / f"{name}.csv") for name in ("flights", "stays")}


@pytest.fixture
def run(tables, capsys):
    """Return a function that returns the exit code, standard output and standard error of a command."""

    def do(command, *arguments):
        table = tables["flights" if command == "models" else "stays"]
        code = main(["mo_obam", command, table, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return do


@pytest.fixture
def found(run):
    """Return a function that returns the text and the tables of a command that ends well."""

    def do(*arguments):
        code, out, _ = run(*arguments, *JSON)
        assert code == 0
        told = json.loads(out)
        return told["text"], told["tables"]

    return do


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("evaluate", BASELINES),
        ("grid", ("--quiet", "--k", "3", "--n-c", "2-4", "--lambda", "0")),
        ("tune", TUNE),
    ],
    ids=["evaluate", "grid", "tune"],
)
def test_it_does_what_every_command_does(tables, command, arguments):
    """It has a help with words for its options, refuses others, ends well and says the same again."""
    assert check_command(MO_OBAM_COMMAND, [command, tables["stays"], *ROLES, *arguments]) == []


def test_evaluate_shows_the_baseline_and_each_method(run, tmp_path):
    """A line for each, and the same figures as CSV."""
    code, out, err = run("evaluate", *ROLES, *BASELINES, "--tables", str(tmp_path))
    assert (code, err) == (0, "")
    assert out.startswith("EVALUATED  2 trials on a table of 60 persons")
    saved = pd.read_csv(tmp_path / "figures.csv")
    assert saved["method"].tolist() == ["baseline", "mdav[k=3]", "zheng_l_diversity[k=3, l=2]"]
    assert saved["IL"].tolist()[0] == 0
    assert (saved["smallest"][1:] >= 3).all()


def test_a_policy_names_the_columns(found, tmp_path):
    """Roles come from the policy; an option beside it wins."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    asked = ("evaluate", "--policy", str(policy), *BASELINES)
    assert "age, sex" in found(*asked)[0]
    assert "quasi-identifiers     age\n" in found(*asked, "--qid", "age")[0]


def test_what_cannot_be_done_is_a_row_with_its_reason(found):
    """With k above the number of persons a method has no figures, and the others are shown."""
    text, [figures] = found("evaluate", *ROLES, "--methods", "mdav", "--k", "3,100", "--quiet")
    assert "no figures            mdav[k=100]: " in text
    assert [row["clusters"] is None for row in figures["rows"]] == [False, False, True]


@pytest.mark.slow
def test_a_grid_shows_the_front_and_saves_heat_maps(run, tmp_path):
    """Each setting stands in the saved table, the knee in the first lines, and two plots in the folder."""
    folders = "--tables", str(tmp_path / "tables"), "--plots", str(tmp_path / "plots")
    code, out, _ = run("grid", *ROLES, *GRID, *folders)
    assert code == 0
    assert out.startswith("GRID  4 settings of MO-OBAM weighed in memory")
    assert "  knee                  mo_obam[k=3, " in out
    settings = pd.read_csv(tmp_path / "tables" / "settings.csv")
    assert settings["n_c"].tolist() == ["2", "3", "4", "free"]
    assert (settings["smallest"] >= 3).all()
    assert settings["IL"].is_monotonic_decreasing
    assert {path.stem for path in (tmp_path / "plots").iterdir()} == {"heat_maps", "front"}


def test_a_target_makes_f1_an_objective(found):
    """With a target each setting has the F1 of a tree."""
    _, [front, settings] = found("grid", *ROLES, *GRID, "--target", "flew", "--splits", "2")
    assert all(0 <= row["F1"] <= 1 for row in settings["rows"])
    assert sum(row["knee"] == "knee" for row in front["rows"]) == 1


def test_tuning_shows_a_front_too(found):
    """All settings lie in the ranges that were asked for."""
    _, [_, settings] = found("tune", *ROLES, *TUNE)
    assert 1 <= len(settings["rows"]) <= 6
    assert all(3 <= row["k"] <= 5 and 2 <= row["n_c"] <= 6 for row in settings["rows"])


def test_centers_of_ages_hide_whether_an_age_is_even(found, tmp_path):
    """A tree learns it of the original and not of the centers: significantly lower in tables and plot."""
    text, [means, tests] = found(
        "models", *MODELS, "flew", "--plots", str(tmp_path), "--tested-on", "original"
    )
    [row] = tests["rows"]
    assert row["published_f1"] < row["original_f1"]
    assert (row["is_significant"], row["effect_size"]) == (True, -1)
    assert means["rows"] == [
        {"table": "baseline", "DT": f"{row['original_f1']:.4f}"},
        {"table": "mdav[k=20]", "DT": f"{row['published_f1']:.4f}**"},
    ]
    assert "after Holm   1 of 1 tests: decision tree 1 lower" in text
    assert {path.name for path in tmp_path.iterdir()} == {"f1_by_model.svg", "f1_by_model.png"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("evaluate", "--sensitive", "illness"), "with --qid"),
        (("evaluate", "--qid", "age"), "with --sensitive"),
        (("evaluate", "--qid", "age,", "--sensitive", "illness"), "--qid takes names"),
        (("evaluate", "--qid", "height", "--sensitive", "illness"), "height"),
        (("evaluate", "--qid", "age", "--sensitive", "age"), "'age' has two roles"),
        (("evaluate", *ROLES, "--entity", "sex"), "'sex' has two roles"),
        (("evaluate", *ROLES, "--k", "1"), "k must be at least 2, not 1"),
        (("evaluate", *ROLES, "--k", "two"), "--k takes whole numbers"),
        (("evaluate", *ROLES, "--l", "1"), "l must be at least 2, not 1"),
        (("evaluate", *ROLES, "--n-c", "0"), "n_C must be at least 1, not 0"),
        (("evaluate", *ROLES, "--lambda", "-1"), "λ must be at least 0, not -1.0"),
        (("evaluate", *ROLES, "--lambda", "much"), "--lambda takes numbers"),
        (("evaluate", *ROLES, "--methods", "no_such"), "no_such"),
        (("evaluate", *ROLES, "--printed", "german"), "this is not the table of Table IVa"),
        (("evaluate", "--policy", "no_such.yaml"), "no_such.yaml"),
        (("grid", *ROLES, "--n-c", "4..30"), "--n-c takes whole numbers"),
        (("grid", *ROLES, "--k", "1"), "k must be at least 2"),
        (("grid", *ROLES, "--models", "decision_tree"), "F1 needs a target"),
        (("grid", *ROLES, "--target", "height"), "height"),
        (("tune", *ROLES, "--k", "5,3"), "--k goes from the least to the largest"),
        (("tune", *ROLES, "--lambda", "0,1"), "its range lies above 0"),
        (("models", *ROLES, *QUICK), "need a target to predict"),
        (("models", *MODELS, "height"), "height"),
        (("models", *MODELS, "age"), "'age' has two roles"),
        (("models", *MODELS, "flew", "--models", "oracle"), "oracle"),
        (("models", *MODELS, "flew", "--positive", "maybe"), "maybe"),
        (("models", *MODELS, "flew", "--k", "1000"), "no method can publish this table: mdav[k=1000]"),
        (("models", *MODELS, "always"), "always"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_end_with_two(run, arguments, words):
    """A wrong value is said in one sentence without a traceback, and the exit code is 2."""
    code, out, err = run(*arguments)
    assert (code, out, "Traceback" in err) == (2, "", False)
    assert words in err.replace("\n", " ")


def test_the_test_is_mann_whitneys(flights):
    """Scores of each split against SciPy's test, and Holm's correction of the two p-values."""
    models = ("decision_tree", "naive_bayes")
    found = changed_models(
        flights, ["age", "sex"], ["illness"], "flew", k=[5, 5], methods=["mdav"], models=models, splits=8
    )
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


def test_models_need_a_method(flights):
    """Python may name none, and is told so."""
    with pytest.raises(UserError, match="at least one method"):
        changed_models(flights, ["age"], ["illness"], "flew", methods=[])


@pytest.mark.slow
@pytest.mark.realdata
def test_german_by_mdav(german, capsys):
    """At k = 5 MDAV changes no model of German Credit after the correction."""
    qids, sensitive = (",".join(names) for names in german.roles)
    code = main([
        "mo_obam", "models", str(german.path), "--delimiter", "whitespace", "--no-header",
        "--columns", ",".join(german.read.columns), "--qid", qids, "--sensitive", sensitive,
        "--target", "class", "--positive", "1", "--methods", "mdav", "--k", "5",
        "--models", "decision_tree,naive_bayes,logistic_regression", "--splits", "20", "--quiet",
    ])  # fmt: skip
    assert code == 0
    assert "after Holm   0 of 3 tests" in capsys.readouterr().out


def figures(five):
    """Return figures with these five, and nothing else that counts."""
    loss, *at_risk, homogeneous = five
    return PublishedFigures(
        records=9, persons=9, clusters=3, smallest=3, information_loss=loss, standardized_loss=0.0,
        thresholds=(0.05, 0.075, 0.1), at_risk=tuple(at_risk), homogeneous=homogeneous, entropies=(),
        entropy_bounds=(),
    )  # fmt: skip


def trial(k, settings, five):
    """Return a trial with five figures."""
    return MethodTrial(method="mo_obam", settings=settings, k=k, figures=figures(five))


def test_a_printed_row_is_dominated_only_where_no_figure_is_worse():
    """Equal figures do not dominate; one worse is named; among those that do, the row's own k comes first."""
    row = printed_table("german").rows[0]
    equal = trial(5, "a", row.five)
    worse = trial(5, "b", (0.02, 0, 0, 0, 0))
    better = trial(10, "c", (0.01, 0, 0, 0, 0))
    own = trial(5, "d", (0.0166, 939, 790, 570, 50))
    assert not beside_printed(row, [equal]).is_dominated
    assert beside_printed(row, [worse]).worse == ("IL",)
    assert beside_printed(row, [worse, better]).ours == better
    assert beside_printed(row, [worse, better, own]).ours == own
    assert beside_printed(row, []).ours is None


def test_what_cannot_be_read_in_print_has_to_be_nobody():
    """A cell without a figure is compared as 0."""
    row = next(one for one in printed_table("german").rows if None in one.at_risk)
    some = trial(row.k, "a", (0.0, 0, 1, 0, 0))
    assert beside_printed(row, [some]).worse == ("τ=.075",)


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_printed_rows_are_whole(name):
    """Each table has twelve rows, three for each k, and people at risk never grow with τ."""
    table = printed_table(name)
    assert [row.k for row in table.rows] == [k for k in (5, 10, 15, 20) for _ in range(3)]
    for row in table.rows:
        known = [one for one in row.at_risk if one is not None]
        assert known == sorted(known, reverse=True)
    assert all(len(scores) == 6 for scores in table.f1.values())


def test_it_stops_where_it_is_asked_to(german):
    """What was tried before is kept, and the headline says how far it came."""
    left = iter([False, True])
    found = evaluate(
        german.path,
        *german.roles,
        read=german.read,
        k=[5, 10],
        methods=["mdav"],
        is_stopped=lambda: next(left),
    )
    assert found.is_interrupted
    assert len(found.trials) == 2
    assert "after 1 of 2 trials" in found.headline


@pytest.mark.realdata
def test_german_beside_the_paper(german):
    """The paper's own methods reproduce its k-anonymity rows; without MO-OBAM no row has one of ours."""
    found = evaluate(german.path, *german.roles, read=german.read, k=[5], methods=["mdav"], printed="german")
    assert 140 <= found.trials[1].figures.clusters <= 155
    assert all(one.ours is None for one in found.beside)
