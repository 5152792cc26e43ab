"""``qidguard qir classify``: what it shows and saves, and what it refuses."""

import json

import pandas as pd
import pytest

from qidguard.interfaces.cli import main
from qidguard.sdk import Preprocessing, Spelling
from qidguard_qir.classify_command import preparations
from qidguard_qir.command import QIR
from qidguard_testing import check_command


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    """Return a CSV of eight visits of four persons."""
    path = tmp_path_factory.mktemp("classify") / "ward.csv"
    pd.DataFrame(
        {
            "number": range(8),
            "who": list("aabbccdd"),
            "town": ["Ulm", "ulm", "Bonn", "Bonn", "?", "", "Ulm", "Ulm"],
            "sex": ["f", "m"] * 4,
        }
    ).to_csv(path, index=False)
    return str(path)


GIVEN = ("--alpha", "70", "--beta", "30", "--quiet")


def run(capsys, *arguments):
    """Return the exit code, standard output and standard error of ``qidguard qir classify``."""
    code = main(["qir", "classify", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_it_does_what_every_command_does(ward):
    """It has a help with words for its options, refuses others, ends well and says the same again."""
    assert check_command(QIR, ["classify", ward, *GIVEN]) == []


def test_the_document_has_both_tables(ward, capsys):
    """Risks of every column, the highest first, and what preprocessing would do."""
    code, out, _ = run(capsys, ward, *GIVEN, "--without", "who", "--g", "2", "--format", "json")
    risks, steps = json.loads(out)["tables"]
    assert code == 0
    assert [(row["column"], row["class"], row["risk %"]) for row in risks["rows"]] == [
        ("number", "ID", 100.0),
        ("town", "QID", 62.5),
        ("sex", "NS", 25.0),
    ]
    assert risks["rows"][1]["2-distinct %"] == 62.5
    assert [row["what"] for row in steps["rows"] if row["column"] == "town"] == [
        "NULL in 1 record counts as a value",
        "a word such as ? in 1 record counts as a value",
        "would be: words for missing taken as NULL",
        "would be: unicode, blanks, case, numbers taken as one",
    ]


def test_what_is_asked_is_done(ward, capsys):
    """One way to write Ulm, numbers to tens, persons in place of visits, some columns only."""
    code, out, _ = run(
        capsys, ward, *GIVEN, "--of", "town", "--of", "number", "--as-one", "town=case,missing",
        "--round", "number=-1", "--entity", "who", "--format", "json",
    )  # fmt: skip
    risks, steps = json.loads(out)["tables"]
    assert code == 0
    assert "4 entities" in json.loads(out)["text"]
    assert {row["column"]: row["classes"] for row in risks["rows"]} == {"town": 3, "number": 2}
    assert "done: case taken as one; words for missing taken as NULL" in [
        row["what"] for row in steps["rows"]
    ]


@pytest.mark.slow
def test_tables_and_the_plot_are_saved(ward, tmp_path, capsys):
    """Two tables as CSV and one plot in two forms."""
    code, _, _ = run(capsys, ward, *GIVEN, "--tables", str(tmp_path / "t"), "--plots", str(tmp_path / "p"))
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["preprocessing.csv", "risks.csv"]
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["risk.png", "risk.svg"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--alpha", "5"), "beta is missing; give both"),
        (("--alpha", "5", "--beta", "nan"), "beta must be a risk in percent"),
        ((*GIVEN, "--of", "city"), "no column 'city'"),
        ((*GIVEN, "--without", "city"), "no column 'city'"),
        ((*GIVEN, "--as-one", "town=loud"), "--as-one knows the ways unicode"),
        ((*GIVEN, "--as-one", "town"), "--as-one takes a column and what to do"),
        ((*GIVEN, "--round", "number=x"), "--round takes a whole number of places"),
        ((*GIVEN, "--round", "town=0"), "only numbers can be rounded"),
        ((*GIVEN, "--round", "city=0"), "'city' is to be prepared"),
    ],
)
def test_mistakes_end_with_2_and_a_sentence(ward, capsys, arguments, words):
    """No traceback, nothing on standard output."""
    code, out, err = run(capsys, ward, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_thresholds_that_nothing_suggests_are_said(ward, capsys):
    """Few columns make no three groups; what to do is said, and the code is a user's error."""
    code, _, err = run(capsys, ward, "--of", "sex", "--of", "town", "--quiet")
    assert code == 2
    assert "give alpha and beta" in err


def test_preparations_of_one_column_meet():
    """A column's name may have an equals sign; both options of one column are done."""
    found = preparations(["a=b=case"], ["a=b=0", "c=-2"])
    assert found == {
        "a=b": Preprocessing(spellings=(Spelling.CASE,), decimals=0),
        "c": Preprocessing(decimals=-2),
    }
