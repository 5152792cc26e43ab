"""``--plots`` of anonymize and compare: what methods draw is saved, and a drawing that fails is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import qidguard
import qidguard.host
from plugged import OWNER, Doing, host_with
from qidguard.sdk import Anonymized, Plot, PluginError, UserError
from qidguard_comparison import compare
from releases import at_least, once
from several import ManyBlocks

BARS = Plot(title="Bars", alternative="A bar.", chart={"mark": "bar", "data": {"values": []}})
ASKED = []
AGE_AND_SEX = {"quasi_identifiers": ["age", "sex"]}


def everything(records, *_):
    """Keep every record as it is."""
    return Anonymized(kept=np.ones(records.records, dtype=np.bool_))


def draws(done, arguments):
    """Draw one plot, and keep what was asked."""
    ASKED.append((done.before.records, done.records, dict(arguments)))
    return [BARS]


def fails(_done, _arguments):
    """Fail with a value of the table in its words."""
    raise ValueError("Zanzibar-7f")


@pytest.fixture(autouse=True)
def host(monkeypatch):
    """A host with a method that draws, one that fails at it, and one that draws what no library can show."""
    broken = Plot(title="Broken", alternative="None.", chart={"mark": "no such mark"})
    found = host_with(
        [
            Doing(everything, "drawing", plots=draws),
            Doing(everything, "failing", plots=fails),
            Doing(everything, "broken", plots=lambda *_: [broken]),
        ]
    )
    monkeypatch.setattr(qidguard.host, "load_host", lambda: found)
    for module in ("qidguard.releasing.anonymize", "qidguard_comparison.comparing", "qidguard.auditing.run"):
        monkeypatch.setattr(f"{module}.load_host", lambda: found)
    ASKED.clear()


@pytest.mark.slow
def test_anonymize_saves_what_the_method_draws(run, table, write_policy, tmp_path):
    """Two files under plain names, told on standard error, also where the policy does not hold."""
    code, _, err = run("anonymize", table, "-p", write_policy(limit=3), "-a", "drawing", "--plots", "plots")
    assert code == 1
    assert ASKED == [(8, 8, {})]
    names = {path.name for path in (tmp_path / "plots").iterdir()}
    assert names == {
        f"{name}.{kind}"
        for name in ("drawing_bars", "class_sizes_before_and_after")
        for kind in ("svg", "png")
    }
    assert "drawing_bars.svg" in err


@pytest.mark.slow
def test_nobody_draws_unasked(run, table, write_policy):
    """Without --plots the method is not asked; where it has nothing to draw, that is said."""
    policy = write_policy(limit=2)
    assert run("anonymize", table, "-p", policy, "-a", "failing")[0] == 0
    code, _, err = run(
        "anonymize", table, "-p", policy, "-a", "small_class_suppression[k=2]", "--plots", "plots"
    )
    assert (code, "small_class_suppression draws nothing of its own" in " ".join(err.split())) == (0, True)
    assert ASKED == []


@pytest.mark.parametrize("method", ["failing", pytest.param("broken", marks=pytest.mark.slow)])
def test_a_drawing_that_fails_is_exit_3(run, table, write_policy, secret, method):
    """It names the plugin and the method, and no value."""
    code, _, err = run("anonymize", table, "-p", write_policy(limit=2), "-a", method, "--plots", "plots")
    told = " ".join(err.split())
    assert code == 3
    assert OWNER in told
    assert f"plots of anonymizer '{method}'" in told
    assert secret not in told


@pytest.mark.slow
def test_compare_saves_what_each_method_draws(run, table, write_policy, tmp_path):
    """The name begins with the method and its parameters; one whose drawing fails is a row that says so."""
    methods = "drawing,mondrian[k=2],failing"
    code, out, err = run(
        *("compare", table, "-p", write_policy(limit=2), "-a", methods, "--plots", "plots", "--seed", "1")
    )
    assert code == 3
    assert "plots of anonymizer 'failing'" in " ".join(out.split())
    names = {path.name for path in (tmp_path / "plots").iterdir()}
    assert names == {
        f"{name}.{kind}" for name in ("drawing_bars", "mondrian_k_2_class_sizes") for kind in ("svg", "png")
    }
    assert err.count("plots/") == 4


@pytest.mark.slow
def test_python_has_the_plots_themselves():
    """``Trial.plots`` and ``MethodRow.plots`` hold them where ``has_plots`` asks."""
    table = pd.DataFrame({"age": [30, 30, 31, 31], "sex": ["f", "f", "m", "m"]})
    policy = once(roles=AGE_AND_SEX, thresholds=at_least(k_anonymity=2))
    for has_plots, count in ((True, 1), (False, 0)):
        with qidguard.anonymize(table, policy, anonymizer="mdav", has_plots=has_plots) as tried:
            assert len(tried.plots) == count
        found = compare(table, policy, anonymizers="mdav", has_plots=has_plots)
        assert [len(row.plots) for row in found.methods] == [count]
    with pytest.raises(PluginError, match="failing"):
        qidguard.anonymize(table, policy, anonymizer="failing", has_plots=True)


@pytest.mark.slow
def test_plots_of_several_solutions_stand_before_those_of_the_one():
    """A front is drawn of all solutions, the rest of the solution that was chosen."""

    class Drawing(ManyBlocks):
        """Draws both."""

        def anonymize(self, records, arguments, task):
            """Draw all."""
            return replace(super().anonymize(records, arguments, task), plots=(BARS,))

        def plots(self, done, _arguments):
            """Draw the smallest class of the one, measured in memory."""
            [found] = done.measure("k_anonymity")
            return [replace(BARS, chart={"mark": "bar"}, title=f"smallest {found.value}")]

    table = pd.DataFrame({"age": range(24), "sex": ["f", "m"] * 12})
    remedy = {"anonymizer": "many_blocks", "choose": "cheapest"}
    policy = once(roles=AGE_AND_SEX, thresholds=at_least(k_anonymity=3), remedy=remedy)
    with qidguard.anonymize(table, policy, has_plots=True, host=host_with([Drawing()])) as tried:
        assert [plot.title for plot in tried.plots] == ["Bars", "smallest 3"]


def test_a_folder_that_cannot_be_made_is_said_before_the_work(run, table, write_policy):
    """A file is no folder; nothing was tried."""
    policy = write_policy(limit=2)
    for arguments in (("anonymize", table, "-a", "drawing"), ("compare", table, "-a", "drawing")):
        code, out, err = run(*arguments, "-p", policy, "--plots", table)
        assert (code, out) == (UserError.exit_code, "")
        assert "is no folder" in err
    assert ASKED == []
