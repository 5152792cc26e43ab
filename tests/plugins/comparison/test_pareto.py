"""All solutions of a method, measured in memory: a table, a document and a plot, and nothing written."""

import json

import pytest

from plugged import Doing, host_with
from qidguard import UserError
from qidguard.interfaces.cli import main
from qidguard.sdk import NotMeasurable
from qidguard_comparison import pareto
from several import MARK, ManyBlocks, policy, table


def nothing(*_):
    """Give up."""
    raise NotMeasurable("there is no way")


NOISY = Doing(nothing, "noisy", privacy_guarantee=nothing)
HOST = host_with([ManyBlocks(), Doing(nothing, "gives_up"), NOISY])


def front(k=5, **given):
    """Return the front of blocks of 2 to 12 ages."""
    return pareto(table(), policy(k), **({"host": HOST, "seed": 1} | given))


def test_all_solutions_stand_with_measured_and_claimed_figures():
    """In the table, the frame and the document: those that no other beats, the knee and the chosen one."""
    found = front()
    frame = found.to_frame()
    assert frame["solution"].tolist() == [f"size={size}" for size in (2, 4, 6, 8, 10, 12)]
    assert frame["meets_policy"].tolist() == [False, False, True, True, True, True]
    assert frame.loc[frame["is_chosen"], "solution"].tolist() == ["size=6"]
    assert frame["is_knee"].sum() == 1
    assert frame["information_loss"].between(0.001, 0.5).all()
    assert (frame["information_loss_claimed"] == 0).all()
    document = json.loads(found.to_json())
    assert document["format"] == "qidguard-pareto/1"
    title = "information loss (MO-OBAM)"
    first = {"name": "information_loss", "title": title, "unit": "ratio", "better": "lower"}
    assert document["choice"]["measured"][0] == first
    assert [row[0] for row in found.table.rows] == frame["solution"].tolist()


def test_no_value_of_the_table_is_told():
    """Not in the lines, the document, the page or the plot."""
    found = front(choose="knee")
    told = "\n".join((repr(found), found.to_json(), found._repr_html_(), json.dumps(found.plot().vega_lite)))
    assert not any(str(MARK + 3 * i) in told for i in range(24))
    assert "CHOSEN  size=" in told
    assert "the knee of the front" in told


@pytest.mark.slow
def test_the_plot_shows_each_risk_beside_the_loss():
    """A point a solution and chart, filled where the policy holds; the sentence tells knee and choice."""
    plot = front().plot()
    charts = plot.vega_lite["concat"]
    assert len(charts) == 3  # persons at risk, open to homogeneity, entropy
    for chart in charts:
        points = next(iter(plot.vega_lite["datasets"].values())) if "datasets" in plot.vega_lite else None
        shown = chart["data"].get("values", points)
        assert len(shown) == 6
        assert {one["policy"] for one in shown} == {"policy holds", "policy does not hold"}
    assert "6 solutions," in plot.alternative
    assert "The chosen one, size=6, has information_loss" in plot.alternative
    assert plot.png()[1:4] == b"PNG"


@pytest.mark.parametrize(
    ("source", "anonymizer", "said"),
    [
        (table(), "gives_up", "The remedy gives_up cannot make the policy hold: there is no way"),
        (table(), "noisy", "The method noisy draws noise"),
        (table(), "no_such", "no_such"),
        (table().assign(other=range(24)), None, "no method removes this"),
    ],
)
def test_what_has_no_solutions_is_said_in_one_sentence(source, anonymizer, said):
    """A method that gives up, one that draws noise, and none; a column on which nobody decided."""
    with pytest.raises(UserError, match=said):
        pareto(source, policy(), anonymizer=anonymizer, host=HOST, seed=1)


@pytest.fixture
def files(tmp_path):
    """Write the table and its policy; return both paths."""
    data, rules = tmp_path / "t.csv", tmp_path / "p.yaml"
    table().to_csv(data, index=False)
    rules.write_text(json.dumps(policy() | {"remedy": {"anonymizer": "mondrian"}}))
    return str(data), str(rules)


@pytest.fixture
def run(capsys):
    """Return a function that runs the command and gives its exit code, output and errors."""

    def command(*arguments):
        code = main(["anonymize", *arguments])
        return code, *capsys.readouterr()

    return command


@pytest.mark.slow
def test_the_command_shows_the_front_and_writes_what_is_asked_for(files, tmp_path, run):
    """As text and as JSON no table; with a folder it is drawn; with a file the chosen one is made."""
    data, rules = files
    before = sorted(tmp_path.iterdir())
    code, shown, _ = run(data, "-p", rules, "--pareto", "--seed", "1", "-q")
    assert code == 0
    assert "Solutions of mondrian: 1, measured in memory" in shown
    assert "NOT WRITTEN" in shown
    _, document, _ = run(data, "-p", rules, "--pareto", "--format", "json", "-q")
    assert json.loads(document)["format"] == "qidguard-pareto/1"
    assert sorted(tmp_path.iterdir()) == before
    plots = tmp_path / "plots"
    assert run(data, "-p", rules, "--pareto", "--plots", str(plots), "-q")[0] == 0
    assert sorted(file.name for file in plots.iterdir()) == ["pareto.png", "pareto.svg"]
    made = tmp_path / "safe.csv"
    assert run(data, "-p", rules, "--pareto", "--to", str(made), "-q")[0] == 0
    assert made.exists()


@pytest.mark.parametrize("more", [("--record",), ("--attack", "linkage"), ("--utility", "models")])
def test_what_needs_a_table_goes_with_to(files, run, more):
    """Of what is not made nothing is recorded, attacked or trained."""
    code, _, said = run(files[0], "-p", files[1], "--pareto", *more)
    assert code == 2
    assert "need --to" in said
