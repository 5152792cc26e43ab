import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from qidguard.core.errors import UserError
from qidguard.demo.coarsening import FEWEST_DIAGNOSES, SMALLEST_CLASS
from qidguard.demo.story import COARSE_TABLE, POLICY, TABLE, Story, run_demo
from qidguard.host.loading import assemble
from qidguard.interfaces.cli import main
from qidguard.policy import load_policy
from quick import mostly_slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return the folder where the demo of default size keeps its files."""
    return tmp_path_factory.mktemp("demo") / "new" / "folder"


@pytest.fixture(scope="module")
def story(folder) -> Story:
    """Return the story as `qidguard demo --keep` tells it."""
    return run_demo(folder=str(folder))


def figures(report) -> dict[str, object]:
    """Return metric → measured value."""
    return {t.measurement.metric: t.measurement.value for t in report.verdict.thresholds}


@pytest.mark.slow
def test_the_first_table_is_blocked_by_its_thresholds(story):
    """Exact dates and postcodes make nearly each patient alone: all four thresholds are missed."""
    assert story.first.exit_code == 1
    assert (story.first.records, story.first.entities) == (20_000, 12_400)
    assert story.first.verdict.blocks == ()
    found = figures(story.first)
    assert found.pop("prosecutor_risk_average") == pytest.approx(0.99992, abs=1e-5)
    assert found == {"k_anonymity": 1, "distinct_l_diversity": 1, "share_below_k": 1.0}
    assert story.first.summaries[0].uniques == 12_398


@pytest.mark.slow
def test_the_coarsened_table_passes_the_same_policy(story):
    """Twelve patients in the smallest of 224 classes, and no record had to go."""
    assert story.second.exit_code == 0
    assert story.second.policy_digest == story.first.policy_digest
    assert (story.second.records, story.second.entities) == (20_000, 12_400)
    found = figures(story.second)
    assert found.pop("prosecutor_risk_average") == pytest.approx(0.0147, abs=1e-4)
    assert found == {"k_anonymity": 12, "distinct_l_diversity": 9, "share_below_k": 0}
    assert (story.second.summaries[0].classes, story.second.summaries[0].smallest) == (224, 12)


@pytest.mark.slow
def test_persons_are_patients(story):
    """The policy counts entities, so figures are in entities."""
    assert story.first.person == story.second.person == "entities"
    assert story.first.verdict.thresholds[0].measurement.unit == "entities"


def test_the_coarsening_aims_at_the_policys_own_limits():
    """The numbers in the code are those in the policy file."""
    limits = {
        t.metric: t.value for t in load_policy(Path(run_demo.__code__.co_filename).parent / POLICY).thresholds
    }
    assert (limits["k_anonymity"], limits["distinct_l_diversity"]) == (SMALLEST_CLASS, FEWEST_DIAGNOSES)


@pytest.mark.slow
def test_what_is_kept_can_be_judged_again(story, folder, capsys):
    """The kept files give the verdicts of the story from the command line."""
    assert story.is_as_expected
    assert main(["policy", "check", str(folder / POLICY), str(folder / TABLE)]) == 0
    assert main(["audit", str(folder / TABLE), "--policy", str(folder / POLICY)]) == 1
    assert main(["audit", str(folder / COARSE_TABLE), "--policy", str(folder / POLICY)]) == 0
    assert str(folder / TABLE) in capsys.readouterr().out.replace("\n", "")


@pytest.mark.slow
def test_the_coarsened_table_is_published_and_verified(story, folder, capsys):
    """The release is there without the entity, the public key verifies it, and a flipped bit is found."""
    assert story.published.release.is_published
    assert story.published.faults == ()
    assert "hospital.csv" in story.published.tampered[0]
    address = story.published.release.address
    assert "patient_id" not in (Path(address) / "hospital.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert main(["verify", address, "--key", str(folder / "demo-key.pub")]) == 0
    assert "VERIFIED" in capsys.readouterr().out


@pytest.mark.slow
def test_a_seed_decides_the_verdicts():
    """Told twice, the story has the same figures."""
    one, other = (run_demo(records=5000, seed=5) for _ in range(2))
    assert figures(one.first) == figures(other.first)
    assert figures(one.second) == figures(other.second)
    assert one.steps == other.steps


@pytest.mark.slow
@pytest.mark.parametrize("seed", mostly_slow([2, 3, 4], quick=1))
def test_the_story_comes_out_for_other_seeds_and_sizes(seed):
    """What is left in small classes is suppressed, so the second table passes at any size."""
    assert run_demo(records=5000, seed=seed).is_as_expected


def test_the_story_shows_both_verdicts_and_the_steps_between(story):
    """From top to bottom: blocked, what was done, passed; without a value of the table."""
    file = io.StringIO()
    Console(file=file, width=80).print(story)
    text = file.getvalue()
    assert (
        text.index("BLOCKED") < text.index("not by an anonymizer") < text.index("PASSED") < text.index("Next")
    )
    assert all(step[:20] in text for step in story.steps)
    assert re.search(r"\b40999\b", text) is None
    assert "P00" not in text


@pytest.mark.slow
def test_a_story_that_goes_wrong_is_exit_3(story, monkeypatch, capsys):
    """If the second table does not pass, the demo says so."""
    wrong = replace(story, second=story.first)
    monkeypatch.setattr("qidguard.demo.story.run_demo", lambda **_: wrong)
    assert main(["demo"]) == 3
    assert "The story went wrong" in capsys.readouterr().out


def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path):
    """A file stands in the folder's place."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be written"):
        run_demo(records=5000, folder=str(tmp_path / "file"))


def test_the_command_runs_and_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    """`qidguard demo` is exit 0 and writes no file."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--records", "5000"]) == 0
    assert "PASSED" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_without_a_metric_the_demo_blames_no_policy(monkeypatch, capsys):
    """Where plugins are left out, or none is installed, that is what is said, and the exit code is 3."""
    monkeypatch.setenv("QIDGUARD_PLUGINS", "")
    assert main(["demo"]) == 3
    assert "QIDGUARD_PLUGINS leaves out" in capsys.readouterr().err
    monkeypatch.setattr("qidguard.demo.story.load_host", lambda: assemble([]))
    assert main(["demo"]) == 3
    error = capsys.readouterr().err
    assert "no plugin that offers them is installed" in error
    assert "policy.yaml" not in error


def test_too_few_records_are_refused(capsys):
    """A tiny table has no room for classes of eleven."""
    assert main(["demo", "--records", "100"]) == 2
    assert "5000" in capsys.readouterr().err
