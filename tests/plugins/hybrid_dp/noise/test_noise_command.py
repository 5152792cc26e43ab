"""``qidguard hybrid_dp noise``: both scales side by side, the test of ε, and what is refused."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

from qidguard.sdk import Command
from qidguard_hybrid_dp.commands.noise import noise_command
from qidguard_hybrid_dp.noise import figures
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.laplace import SeededLaplace
from qidguard_hybrid_dp.noise.plots import density_plot, published_shares
from qidguard_testing import check_command

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))


@pytest.fixture
def seeded(monkeypatch):
    """Draw by a seed in place of OpenDP, which cannot be repeated."""
    monkeypatch.setattr(figures, "OPENDP", SeededLaplace(5, "age", ""))


def run(capsys, *arguments):
    """Return the exit code, the JSON and standard error of the command."""
    code = noise_command.main([*arguments, "--format", "json"], standalone_mode=False)
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_both_scales_stand_side_by_side(capsys):
    """Ages at ε = 3: the range costs 3 and keeps 2 % of the values, a unit keeps 91 % and costs 219."""
    code, shown, _ = run(capsys, "--bounds", "17,90", "--draws", "0")
    rows = {row[""]: (row["range"], row["unit"]) for row in shown["tables"][0]["rows"]}
    assert code == 0
    assert shown["text"] == "NOISE  17..90 in steps of 1, ε = 3: not tested"
    assert rows["ε over the whole range, which is charged"] == ("3", "219")
    assert rows["OpenDP's map for them"] == (3, 3)
    assert rows["share that stays, off the bounds"] == pytest.approx((0.0205, 0.9051), abs=1e-4)
    assert rows["standard deviation, in the column's unit"] == pytest.approx((34.41, 0.3321), abs=5e-3)


@pytest.mark.usefixtures("seeded")
def test_the_test_of_epsilon_stands_below(capsys):
    """The draws prove nearly ε of either scale."""
    code, shown, _ = run(capsys, "--bounds", "17,90", "--epsilon", "1")
    rows = {row[""]: (row["range"], row["unit"]) for row in shown["tables"][0]["rows"]}
    assert (code, rows["test"]) == (0, ("passed", "passed"))
    assert all(0.85 <= proven <= 1 for proven in rows["ε that the draws prove"])


def test_a_failed_test_is_an_exit_code(monkeypatch, capsys):
    """A source with no noise at all proves more than is claimed."""

    class Silent:
        def draw(self, grid, scale):
            return grid

        def loss(self, reach, scale):
            return Fraction(1)

    monkeypatch.setattr(figures, "OPENDP", Silent())
    code, shown, _ = run(capsys, "--bounds", "17,90", "--scale", "range", "--draws", "1000")
    assert code == 1
    assert shown["text"].endswith("FAILED")
    assert shown["tables"][0]["rows"][-1]["range"] == "proves more than is claimed"


def test_a_scale_that_cannot_be_is_said(capsys):
    """By fives there is no unit scale; the range scale is shown."""
    code, shown, err = run(capsys, "--bounds", "0,100", "--step", "5", "--draws", "0")
    assert code == 0
    assert shown["tables"][0]["rows"][0] == {"": "noise", "range": "discrete Laplace", "unit": None}
    assert "no unit scale: " in err


def test_decimal_numbers_get_a_fine_step(capsys):
    """From 0.1 to 1.2 values have 90,112 steps."""
    _, shown, _ = run(capsys, "--bounds", "0.1,1.2", "--step", "fine", "--epsilon", "1/3", "--draws", "0")
    assert shown["text"].startswith("NOISE  0.1..1.2 in steps of 1.220703125e-05, ε = 1/3")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--bounds", "17"), "two numbers with a comma"),
        (("--bounds", "17,x"), "--bounds takes a number"),
        (("--bounds", "90,17"), "the lower one first"),
        (("--bounds", "17,90", "--epsilon", "0"), "must be above 0"),
        (("--bounds", "17,90", "--epsilon", "1/0"), "--epsilon takes a number"),
        (("--bounds", "17,90", "--epsilon", "1e-90"), "can be drawn"),
        (("--bounds", "17,90", "--step", "2"), "multiples of its step 2"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_mistakes_are_sentences(arguments, words):
    """What is wrong is said by option, with the way out."""
    with pytest.raises(Exception, match=words):
        noise_command.main([*arguments, "--draws", "0"], standalone_mode=False)


def test_it_does_what_every_command_does():
    """It has a help with words for its options, refuses others, and says the same again."""
    command = Command(name="noise_alone", title="Noise alone.", make=lambda: noise_command)
    assert check_command(command, ["--bounds", "17,90", "--draws", "0"]) == []


@pytest.mark.parametrize("scale", [0.3, 24.3, 1e4])
def test_shares_of_bins_by_summing_up(scale):
    """Bins of what is published hold the sums of the probabilities of single steps."""
    p, steps = np.exp(-1 / scale), 73
    each = np.array([1 / (1 + p), *((1 - p) / (1 + p) * p ** np.arange(1, steps)), p**steps / (1 + p)])
    edges = np.array([0, 1, 2, 30, 73, 74])
    expected = [each[low:high].sum() for low, high in itertools.pairwise(edges)]
    assert published_shares(scale, edges) == pytest.approx(expected)


@pytest.mark.slow
def test_the_plot_says_how_far_both_part():
    """At range scale by e^3, which is ε; at unit scale by e^219."""
    plot = density_plot(AGE, Fraction(3), tuple(NoiseScale))
    assert "at range scale they differ by up to the factor e^3;" in plot.alternative
    assert "at unit scale they differ by up to the factor e^219." in plot.alternative
    assert plot.svg().startswith("<svg")
