"""``qidguard mo_obam grid`` and ``tune``: what they show and save, and what they refuse."""

import json

import pandas as pd
import pytest

from qidguard.interfaces.cli import main
from qidguard.testing import check_command
from qidguard_mo_obam.commands.command import MO_OBAM_COMMAND


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a CSV of 60 people: an age, a sex, an illness, and whether they flew."""
    path = tmp_path_factory.mktemp("mo_obam") / "stays.csv"
    pd.DataFrame(
        {
            "age": [20 + n * 7 % 30 for n in range(60)],
            "sex": ["f", "m"] * 30,
            "illness": ["flu", "asthma", "measles"] * 20,
            "flew": [n % 7 < 3 for n in range(60)],
        }
    ).to_csv(path, index=False)
    return str(path)


ROLES = ("--qid", "age,sex", "--sensitive", "illness", "--quiet")
GRID = ("--k", "3", "--n-c", "2-4,free", "--lambda", "0")
TUNE = ("--k", "3-5", "--n-c", "2-6", "--lambda", "0", "--trials", "6")


def run(capsys, *arguments):
    """Return the exit code, standard output and standard error of ``qidguard mo_obam``."""
    code = main(["mo_obam", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    "arguments",
    [("grid", "--k", "3", "--n-c", "2-4", "--lambda", "0"), ("tune", *TUNE)],
    ids=["grid", "tune"],
)
def test_it_does_what_every_command_does(table, arguments):
    """It has a help with words for its options, refuses others, ends well and says the same again."""
    first, *rest = arguments
    assert check_command(MO_OBAM_COMMAND, [first, table, *ROLES, *rest]) == []


@pytest.mark.slow
def test_a_grid_shows_the_front_and_saves_heat_maps(table, tmp_path, capsys):
    """Each setting stands in the saved table, the knee in the first lines, and two plots in the folder."""
    folders = "--tables", str(tmp_path / "tables"), "--plots", str(tmp_path / "plots")
    code, out, _ = run(capsys, "grid", table, *ROLES, *GRID, *folders)
    assert code == 0
    assert out.startswith("GRID  4 settings of MO-OBAM weighed in memory")
    assert "  knee                  mo_obam[k=3, " in out
    settings = pd.read_csv(tmp_path / "tables" / "settings.csv")
    assert settings["n_c"].tolist() == ["2", "3", "4", "free"]
    assert (settings["smallest"] >= 3).all()
    assert settings["IL"].is_monotonic_decreasing
    assert {path.stem for path in (tmp_path / "plots").iterdir()} == {"heat_maps", "front"}


def test_a_target_makes_f1_an_objective(table, capsys):
    """With a target each setting has the F1 of a tree."""
    code, out, _ = run(
        capsys, "grid", table, *ROLES, *GRID, "--target", "flew", "--splits", "2", "--format", "json"
    )
    front, settings = json.loads(out)["tables"]
    assert code == 0
    assert all(0 <= row["F1"] <= 1 for row in settings["rows"])
    assert sum(row["knee"] == "knee" for row in front["rows"]) == 1


def test_tuning_shows_a_front_too(table, capsys):
    """All settings lie in the ranges that were asked for."""
    code, out, _ = run(capsys, "tune", table, *ROLES, *TUNE, "--format", "json")
    _, settings = json.loads(out)["tables"]
    assert code == 0
    assert 1 <= len(settings["rows"]) <= 6
    assert all(3 <= row["k"] <= 5 and 2 <= row["n_c"] <= 6 for row in settings["rows"])


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("grid", "--n-c", "4..30"), "--n-c takes whole numbers"),
        (("grid", "--k", "1"), "k must be at least 2"),
        (("grid", "--models", "decision_tree"), "F1 needs a target"),
        (("grid", "--target", "height"), "height"),
        (("tune", "--k", "5,3"), "--k goes from the least to the largest"),
        (("tune", "--lambda", "0,1"), "its range lies above 0"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_end_with_two(table, arguments, words, capsys):
    """A wrong value is said in one sentence without a traceback, and the exit code is 2."""
    first, *rest = arguments
    code, out, err = run(capsys, first, table, *ROLES, *rest)
    assert (code, out) == (2, "")
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err
