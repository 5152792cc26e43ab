"""``qidguard mo_obam evaluate``: what it shows and saves, and what it refuses."""

import json

import pandas as pd
import pytest

from qidguard.interfaces.cli import main
from qidguard.testing import check_command
from qidguard_mo_obam.commands.command import MO_OBAM_COMMAND
from qidguard_mo_obam.evaluation.beside import beside_printed
from qidguard_mo_obam.evaluation.case import MethodTrial
from qidguard_mo_obam.evaluation.evaluation import evaluate_in, plan_of
from qidguard_mo_obam.evaluation.figures import PublishedFigures
from qidguard_mo_obam.evaluation.printed import PRINTED, printed_table

POLICY = """\
qidguard: 1
name: stays
roles:
  quasi_identifiers: [age, sex]
  sensitive: [illness]
  target: illness
thresholds:
  - {metric: k_anonymity, at_least: 2}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a CSV of 60 people: an age, a sex and an illness."""
    path = tmp_path_factory.mktemp("mo_obam") / "stays.csv"
    frame = pd.DataFrame(
        {
            "age": [20 + n * 7 % 30 for n in range(60)],
            "sex": ["f", "m"] * 30,
            "illness": ["flu", "asthma", "measles"] * 20,
        }
    )
    frame.to_csv(path, index=False)
    return str(path)


ROLES = ("--qid", "age,sex", "--sensitive", "illness")
BASELINES = ("--methods", "mdav,zheng_l_diversity", "--k", "3", "--quiet")


def run(capsys, *arguments):
    """Return the exit code, standard output and standard error of ``qidguard mo_obam``."""
    code = main(["mo_obam", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_it_does_what_every_command_does(table):
    """It has a help with words for its options, refuses others, ends well and says the same again."""
    assert check_command(MO_OBAM_COMMAND, ["evaluate", table, *ROLES, *BASELINES]) == []


def test_it_shows_the_baseline_and_each_method(table, tmp_path, capsys):
    """A line for each, and the same figures as CSV."""
    code, out, err = run(capsys, "evaluate", table, *ROLES, *BASELINES, "--tables", str(tmp_path))
    assert (code, err) == (0, "")
    assert out.startswith("EVALUATED  2 trials on a table of 60 persons")
    saved = pd.read_csv(tmp_path / "figures.csv")
    assert saved["method"].tolist() == ["baseline", "mdav[k=3]", "zheng_l_diversity[k=3, l=2]"]
    assert saved["IL"].tolist()[0] == 0
    assert (saved["smallest"][1:] >= 3).all()


def test_a_policy_names_the_columns(table, tmp_path, capsys):
    """Roles come from the policy; an option beside it wins."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    code, out, _ = run(capsys, "evaluate", table, "--policy", str(policy), *BASELINES, "--format", "json")
    assert code == 0
    assert "age, sex" in json.loads(out)["text"]
    _, out, _ = run(
        capsys, "evaluate", table, "--policy", str(policy), "--qid", "age", *BASELINES, "--format", "json"
    )
    assert "quasi-identifiers     age\n" in json.loads(out)["text"]


def test_what_cannot_be_done_is_a_row_with_its_reason(table, capsys):
    """With k above the number of persons a method has no figures, and the others are shown."""
    code, out, _ = run(
        capsys, "evaluate", table, *ROLES, "--methods", "mdav", "--k", "3,100", "--quiet", "--format", "json"
    )
    found = json.loads(out)
    [figures] = found["tables"]
    assert code == 0
    assert "no figures            mdav[k=100]: " in found["text"]
    assert [row["clusters"] is None for row in figures["rows"]] == [False, False, True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--sensitive", "illness"), "with --qid"),
        (("--qid", "age"), "with --sensitive"),
        (("--qid", "age,", "--sensitive", "illness"), "--qid takes names"),
        (("--qid", "height", "--sensitive", "illness"), "height"),
        (("--qid", "age", "--sensitive", "age"), "'age' has two roles"),
        ((*ROLES, "--entity", "sex"), "'sex' has two roles"),
        ((*ROLES, "--k", "1"), "k must be at least 2, not 1"),
        ((*ROLES, "--k", "two"), "--k takes whole numbers"),
        ((*ROLES, "--l", "1"), "l must be at least 2, not 1"),
        ((*ROLES, "--n-c", "0"), "n_C must be at least 1, not 0"),
        ((*ROLES, "--lambda", "-1"), "λ must be at least 0, not -1.0"),
        ((*ROLES, "--lambda", "much"), "--lambda takes numbers"),
        ((*ROLES, "--methods", "no_such"), "no_such"),
        ((*ROLES, "--printed", "german"), "this is not the table of Table IVa"),
        (("--policy", "no_such.yaml"), "no_such.yaml"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_end_with_two(table, arguments, words, capsys):
    """A wrong value is said in one sentence without a traceback, and the exit code is 2."""
    code, out, err = run(capsys, "evaluate", table, *arguments)
    assert (code, out) == (2, "")
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err


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
    found = evaluate_in(german.case, plan_of(k=[5, 10], methods=["mdav"]), is_stopped=lambda: next(left))
    assert found.is_interrupted
    assert len(found.trials) == 2
    assert "after 1 of 2 trials" in found.headline


@pytest.mark.realdata
def test_german_beside_the_paper(german):
    """The paper's own methods reproduce its k-anonymity rows; without MO-OBAM no row has one of ours."""
    found = evaluate_in(german.case, plan_of(k=[5], methods=["mdav"]), printed=printed_table("german"))
    assert 140 <= found.trials[1].figures.clusters <= 155
    assert all(one.ours is None for one in found.beside)
