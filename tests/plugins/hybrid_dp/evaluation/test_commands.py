"""``qidguard hybrid_dp evaluate``, ``risk``, ``models`` and ``sweep``: what they show, save and refuse."""

import json

import pandas as pd
import pytest

from qidguard.interfaces.cli import main
from qidguard_hybrid_dp.evaluation.example import people

ROLES = ("--qids", "age,race,sex", "--sensitive", "illness", "--bounds", "age=20:60", "--friendly", "race")
QUICK = ("--k", "3", "--cluster", "both", "--scale", "range", "--no-strict", "--quiet")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a CSV of 120 people."""
    path = tmp_path_factory.mktemp("hybrid_dp") / "people.csv"
    people(120).to_csv(path, index=False)
    return str(path)


def run(capsys, *arguments):
    """Return the exit code, standard output and standard error of ``qidguard hybrid_dp``."""
    code = main(["hybrid_dp", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_evaluate_shows_and_saves(table, tmp_path, capsys):
    """A line for each method; the same figures as CSV. At the average level of two values none stays."""
    asked = (*ROLES, *QUICK, "--t-div", "1")
    code, out, err = run(capsys, "evaluate", table, *asked, "--tables", str(tmp_path))
    assert (code, err) == (0, "")
    assert out.startswith("EVALUATED  3 published tables of 120 records")
    saved = pd.read_csv(tmp_path / "originality.csv")
    assert saved["method"].tolist() == [
        *("plain k-anonymity", "hybrid, both, range", "hybrid, both, range, t_div 1")
    ]
    assert saved["sex"].tolist()[1:] == [0.975, 0]


def test_a_column_may_be_called_as_a_heading(tmp_path, capsys):
    """A quasi-identifier ``k`` or ``all`` is told from the k and the share over all."""
    rows = [f"{30 + at % 5},{'fm'[at % 2]},{'abc'[at % 3]}" for at in range(60)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["k,all,illness", *rows]) + "\n", encoding="utf-8")
    roles = ("--qids", "k,all", "--sensitive", "illness", "--bounds", "k=0:120")
    code, _, err = run(capsys, "evaluate", str(path), *roles, *QUICK, "--tables", str(tmp_path))
    assert (code, err) == (0, "")
    saved = pd.read_csv(tmp_path / "originality.csv")
    assert list(saved.columns) == ["k", "method", "all", "column k", "column all"]


def test_risk_is_json_that_a_program_reads(table, capsys):
    """Tables and text, and again the same with the same seed."""
    asked = ("risk", table, *ROLES, *QUICK, "--targets", "20", "--format", "json")
    code, out, _ = run(capsys, *asked)
    found = json.loads(out)
    assert code == 0
    assert [one["name"] for one in found["tables"]] == ["risk", "beside_plain"]
    assert run(capsys, *asked)[1] == out


def test_models_predict_the_sensitive_attribute(table, capsys):
    """Without a target it is the first sensitive attribute, as in the paper."""
    code, out, _ = run(
        capsys, "models", table, *ROLES, *QUICK, "--models", "logistic_regression", "--splits", "2"
    )
    assert code == 0
    assert "models predict illness" in out


def test_sweep_takes_exact_epsilons(table, capsys):
    """A fraction is one."""
    code, out, _ = run(
        capsys, "sweep", table, *ROLES, "--k", "3", "--epsilon", "1/10,5", "--scale", "unit",
        "--targets", "20", "--quiet", "--format", "json",
    )  # fmt: skip
    [rows] = json.loads(out)["tables"]
    assert code == 0
    assert [row["ε"] for row in rows["rows"]] == [0.1, 5]


@pytest.mark.slow
def test_plots_are_drawn(table, tmp_path, capsys):
    """Each as PNG and SVG."""
    code, _, _ = run(capsys, "risk", table, *ROLES, *QUICK, "--targets", "20", "--plots", str(tmp_path))
    assert code == 0
    assert {one.name for one in tmp_path.iterdir()} == {
        f"{name}.{suffix}" for name in ("risk", "difference") for suffix in ("png", "svg")
    }


@pytest.mark.samples(6)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("evaluate", "--sensitive", "illness"), "with --qids"),
        (("evaluate", "--qids", "race"), "with --sensitive"),
        (("evaluate", "--qids", "age", "--sensitive", "illness"), "'age' holds numbers and has no bounds"),
        (("evaluate", *ROLES, "--k", "two"), "--k takes whole numbers"),
        (("evaluate", *ROLES, "--bounds", "age=60:20"), "hold a range, not 60 to 20"),
        (("evaluate", *ROLES, "--bounds", "age"), "--bounds takes NAME=LOW:HIGH"),
        (("evaluate", *ROLES, "--cluster", "all"), "--cluster takes violating or both"),
        (("evaluate", *ROLES, "--printed", "adult"), "figures are of Adult"),
        (("evaluate", *ROLES, "--t-div", "nan"), "an entropy in nats, 0 or more, not nan"),
        (("risk", *ROLES, "--t-div", "-1"), "an entropy in nats, 0 or more, not -1"),
        (("risk", *ROLES, "--targets", "500"), "500 cannot be left out"),
        (("models", *ROLES, "--target", "race"), "'race' has two roles"),
        (("sweep", *ROLES, "--epsilon", "0"), "--epsilon takes numbers above 0"),
        (("sweep", *ROLES, "--scale", "large"), "--scale takes range or unit"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_end_with_two(table, arguments, words, capsys):
    """A wrong value is said in one sentence without a traceback, and the exit code is 2."""
    code, out, err = run(capsys, arguments[0], table, *arguments[1:])
    assert (code, out) == (2, "")
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err
