"""``qidguard qir`` and its ``classify``: what they show and save, and what they refuse."""

import json

import pandas as pd
import pytest

from qidguard.interfaces.cli import main
from qidguard.sdk import Preprocessing, Spelling, listed_names
from qidguard_qir.classify_command import preparations
from qidguard_qir.command import QIR, numbers, shares
from qidguard_testing import check_command


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a CSV of 400 people: an age, a sex and a ward; beside it stands one of eight visits of four."""
    path = tmp_path_factory.mktemp("qir") / "people.csv"
    visits = {"number": range(8), "who": list("aabbccdd"), "sex": ["f", "m"] * 4}
    towns = {"town": ["Ulm", "ulm", "Bonn", "Bonn", "?", "", "Ulm", "Ulm"]}
    pd.DataFrame(visits | towns).to_csv(path.with_name("ward.csv"), index=False)
    pd.DataFrame(
        {
            "age": [20 + n * 7 % 50 for n in range(400)],
            "sex": ["f", "m"] * 200,
            "ward": [f"w{n * 11 % 13}" for n in range(400)],
        }
    ).to_csv(path, index=False)
    return str(path)


SMALL = ("--qids", "sex,age,ward", "--quiet")
GIVEN = ("--alpha", "70", "--beta", "30")


def of(table, command, *arguments):
    """Return the arguments of a command on its table; ``classify`` reads the visits."""
    if command == "classify":
        return [command, table.replace("people", "ward"), "--quiet", *arguments]
    return [command, table, *SMALL, *arguments]


@pytest.fixture
def run(table, capsys):
    """Return a function that gives the exit code, standard output and standard error of ``qidguard qir``."""

    def run_command(*arguments):
        code = main(["qir", *of(table, *arguments)])
        return code, *capsys.readouterr()

    return run_command


@pytest.mark.parametrize(
    "arguments",
    [
        ("dimension", "--k", "3", "--samples", "1", "--sizes", "50"),
        ("classify", *GIVEN),
        pytest.param(("compare", "--k", "3", "--sizes-k", "3", "--sizes", "50"), marks=pytest.mark.slow),
    ],
    ids=["dimension", "classify", "compare"],
)
def test_it_does_what_every_command_does(table, arguments):
    """Each has a help with words for its options, refuses others, ends well and says the same again."""
    assert check_command(QIR, of(table, *arguments)) == []


def test_dimension_shows_the_choice_and_saves_tables_and_plots(run, tmp_path):
    """The first line says the dimension; the folders hold three tables and two plots, each SVG and PNG."""
    code, out, err = run(
        "dimension", "--k", "3", "--samples", "2", "--sizes", "50",
        "--tables", str(tmp_path / "tables"), "--plots", str(tmp_path / "plots"),
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.startswith("DIMENSION  ")
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        *("choices.csv", "means.csv", "rehearsals.csv"),
    ]
    assert {path.stem for path in (tmp_path / "plots").iterdir()} == {
        "gain_by_dimension",
        "stability_of_choice",
    }
    assert len(pd.read_csv(tmp_path / "tables" / "rehearsals.csv")) == 6


@pytest.mark.slow
def test_compare_as_json(run, tmp_path):
    """JSON holds the means and every run; the folder holds the paper's four figures."""
    code, out, _ = run(
        "compare", "--k", "3,5", "--sizes", "50,100", "--sizes-k", "3",
        "--set", "mine=sex", "--format", "json", "--plots", str(tmp_path),
    )  # fmt: skip
    averages, runs = json.loads(out)["tables"]
    assert code == 0
    assert [row["choice"] for row in averages["rows"][:4]] == [
        "QIR",
        "SQI selective",
        "SQI decompose",
        "mine",
    ]
    assert len(runs["rows"]) == 4 * 2 + 4 * 2
    assert {path.stem for path in tmp_path.iterdir()} == {
        *("pg_by_k", "nue_by_k", "pg_by_size", "nue_by_size"),
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("dimension", "--k", "999", "--samples", "1"),
        pytest.param(("compare", "--k", "999", "--sizes", "50", "--sizes-k", "999"), marks=pytest.mark.slow),
    ],
    ids=["dimension", "compare"],
)
def test_nothing_chosen_ends_with_one(run, arguments):
    """No class of 400 people has 999: each reason is shown, and who asks the exit code hears it too."""
    code, out, _ = run(*arguments)
    assert (code, "full_domain: none of the" in out) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("dimension", "--k", "five"), "--k takes whole numbers"),
        (("dimension", "--k", "1"), "k must be at least 2, not 1"),
        (("dimension", "--sizes", "0"), "--sizes takes percents above 0"),
        (("dimension", "--anonymizer", "no_such"), "no_such"),
        (("compare", "--set", "sex"), "--set takes a name and columns"),
        (("compare", "--set", "mine=height"), "height"),
        (("compare", "--nominated", "a,b,c,d,e,f,g,h,i,j,k"), "'a'"),
        (("classify", "--alpha", "5"), "beta is missing; give both"),
        (("classify", "--alpha", "5", "--beta", "nan"), "beta must be a risk in percent"),
        # few columns make no three groups
        (("classify", "--of", "sex", "--of", "town"), "give alpha and beta"),
        (("classify", *GIVEN, "--of", "city"), "no column 'city'"),
        (("classify", *GIVEN, "--without", "city"), "no column 'city'"),
        (("classify", *GIVEN, "--as-one", "town=loud"), "--as-one knows the ways unicode"),
        (("classify", *GIVEN, "--as-one", "town"), "--as-one takes a column and what to do"),
        (("classify", *GIVEN, "--round", "number=x"), "--round takes a whole number of places"),
        (("classify", *GIVEN, "--round", "town=0"), "only numbers can be rounded"),
        (("classify", *GIVEN, "--round", "city=0"), "'city' is to be prepared"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_end_with_two(run, arguments, words):
    """A wrong value is said in one sentence without a traceback, and the exit code is 2."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err


def test_lists_of_the_command_line():
    """Names may hold commas in quotes; 100 percent is the whole table, in the order in which it stands."""
    assert listed_names('age, "income, net"', "--qids") == ("age", "income, net")
    assert numbers("5, 15", "--k") == (5, 15)
    assert shares("10,100", "--sizes") == (0.1, None)


def test_the_document_has_both_tables(run):
    """Risks of every column, the highest first, and what preprocessing would do."""
    code, out, _ = run("classify", *GIVEN, "--without", "who", "--g", "2", "--format", "json")
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


def test_what_is_asked_is_done(run):
    """One way to write Ulm, numbers to tens, persons in place of visits, some columns only."""
    code, out, _ = run(
        "classify", *GIVEN, "--of", "town", "--of", "number", "--as-one", "town=case,missing",
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
def test_tables_and_the_plot_are_saved(run, tmp_path):
    """Two tables as CSV and one plot in two forms."""
    code, _, _ = run("classify", *GIVEN, "--tables", str(tmp_path / "t"), "--plots", str(tmp_path / "p"))
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["preprocessing.csv", "risks.csv"]
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["risk.png", "risk.svg"]


def test_preparations_of_one_column_meet():
    """A column's name may have an equals sign; both options of one column are done."""
    found = preparations(["a=b=case"], ["a=b=0", "c=-2"])
    assert found == {
        "a=b": Preprocessing(spellings=(Spelling.CASE,), decimals=0),
        "c": Preprocessing(decimals=-2),
    }
