"""``qidguard qir``: what it shows and saves, and what it refuses."""

import json

import pandas as pd
import pytest

from qidguard.interfaces.cli import main
from qidguard.sdk import listed_names
from qidguard_qir.command import QIR, numbers, shares
from qidguard_testing import check_command


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a CSV of 400 people: an age, a sex and a ward."""
    path = tmp_path_factory.mktemp("qir") / "people.csv"
    pd.DataFrame(
        {
            "age": [20 + n * 7 % 50 for n in range(400)],
            "sex": ["f", "m"] * 200,
            "ward": [f"w{n * 11 % 13}" for n in range(400)],
        }
    ).to_csv(path, index=False)
    return str(path)


SMALL = ("--qids", "sex,age,ward", "--quiet")


def run(capsys, *arguments):
    """Return the exit code, standard output and standard error of ``qidguard``."""
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "arguments",
    [
        ("dimension", "--k", "3", "--samples", "1", "--sizes", "50"),
        pytest.param(("compare", "--k", "3", "--sizes-k", "3", "--sizes", "50"), marks=pytest.mark.slow),
    ],
    ids=["dimension", "compare"],
)
def test_it_does_what_every_command_does(table, arguments):
    """Each has a help with words for its options, refuses others, ends well and says the same again."""
    first, *rest = arguments
    assert check_command(QIR, [first, table, *SMALL, *rest]) == []


def test_dimension_shows_the_choice_and_saves_tables_and_plots(table, tmp_path, capsys):
    """The first line says the dimension; the folders hold three tables and two plots, each SVG and PNG."""
    code, out, err = run(
        capsys, "qir", "dimension", table, *SMALL, "--k", "3", "--samples", "2", "--sizes", "50",
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
def test_compare_as_json(table, tmp_path, capsys):
    """JSON holds the means and every run; the folder holds the paper's four figures."""
    code, out, _ = run(
        capsys, "qir", "compare", table, *SMALL, "--k", "3,5", "--sizes", "50,100", "--sizes-k", "3",
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
def test_nothing_chosen_ends_with_one(table, arguments, capsys):
    """No class of 400 people has 999: each reason is shown, and who asks the exit code hears it too."""
    first, *rest = arguments
    code, out, _ = run(capsys, "qir", first, table, *SMALL, *rest)
    assert (code, "full_domain: none of the" in out) == (1, True)


@pytest.mark.samples(4)
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
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_end_with_two(table, arguments, words, capsys):
    """A wrong value is said in one sentence without a traceback, and the exit code is 2."""
    first, *rest = arguments
    code, out, err = run(capsys, "qir", first, table, *SMALL, *rest)
    assert (code, out) == (2, "")
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err


def test_lists_of_the_command_line():
    """Names may hold commas in quotes; 100 percent is the whole table, in the order in which it stands."""
    assert listed_names('age, "income, net"', "--qids") == ("age", "income, net")
    assert numbers("5, 15", "--k") == (5, 15)
    assert shares("10,100", "--sizes") == (0.1, None)
