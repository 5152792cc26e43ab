"""``qidguard hybrid_dp patterns``: the table, the plots, and what it refuses."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from qidguard.sdk import UserError
from qidguard_hybrid_dp.patterns.finding import find_patterns
from qidguard_hybrid_dp.plugin import HYBRID_DP_COMMAND
from qidguard_testing import check_command

RACES = ["White"] * 85 + ["Black"] * 10 + ["Asian"] * 3 + ["Other"] * 2


@pytest.fixture
def table(tmp_path):
    """Return the path of a table of 100 records."""
    sexes, incomes = ["f", "m"] * 50, ["low", "high"] * 50
    frame = pd.DataFrame({"age": [20 + i % 60 for i in range(100)], "race": RACES, "sex": sexes})
    path = tmp_path / "table.csv"
    frame.assign(income=incomes).to_csv(path, index=False)
    return path


def run(*words):
    """Return what the group does."""
    return CliRunner().invoke(HYBRID_DP_COMMAND.make(), [str(word) for word in words])


@pytest.mark.slow
def test_the_table_as_json(table, tmp_path):
    """Race is pattern-friendly; sex has two values and is needed; age is numeric."""
    done = run(
        *("patterns", table, "--qids", "age,race,sex", "--sensitive", "income", "--format", "json"),
        *("--plots", tmp_path / "plots", "--quiet"),
    )
    assert done.exit_code == 0, done.output
    patterns, categories = json.loads(done.output)["tables"]
    rows = {row["column"]: row for row in patterns["rows"]}
    assert {name: (row["pattern-friendly"], row["reason"]) for name, row in rows.items()} == {
        "age": (False, "numeric, gets noise"),
        "race": (True, "frequent, not needed"),
        "sex": (False, "too few rarer values"),
    }
    counts = next(row for row in categories["rows"] if row["column"] == "race")
    assert [counts[kind] for kind in ("super major", "major", "minor", "super minor")] == [1, 1, 2, 0]
    assert (rows["race"]["largest %"], rows["age"]["loss, alone"]) == (85, None)
    assert rows["sex"]["loss, alone"] > 10
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        *("categories.png", "categories.svg", "friendly.png", "friendly.svg")
    ]
    assert not any(name in done.output for name in ("White", "Other"))


def test_roles_of_a_policy(table, tmp_path):
    """Without options the policy's roles count."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "qidguard: 1\nname: t\nroles: {quasi_identifiers: [age, race], sensitive: [income]}\n"
        "thresholds: [{metric: k_anonymity, at_least: 2}]\n"
    )
    done = run("patterns", table, "--policy", policy, "--refit", "--quiet")
    assert done.exit_code == 0, done.output
    assert "Pattern-friendly: race" in done.output


def test_a_row_takes_two_lines_at_most(table):
    """Reasons are a few words, since the figures stand beside; the note says what they mean."""
    done = run("patterns", table, "--qids", "age,race,sex", "--sensitive", "income", "--quiet")
    lines = done.output.split("Values of each category")[0].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("age "))
    last = next(at for at, line in enumerate(lines) if line.startswith("sex "))
    assert last - first <= 4


def test_the_command_is_one(table):
    """The kit for commands finds nothing wrong."""
    words = ["patterns", str(table), "--qids", "race", "--sensitive", "income"]
    assert check_command(HYBRID_DP_COMMAND, words) == []


def test_what_cannot_be():
    """A QID that is predicted from itself; nobody names a QID."""
    with pytest.raises(UserError, match="cannot be predicted from itself"):
        find_patterns(pd.DataFrame({"race": RACES}), ["race"], ["race"])
    assert run("patterns", "nothing.csv").exit_code != 0


def test_without_anything_to_predict_there_are_shares():
    """No loss, no plot of it, and the headline says which."""
    found = find_patterns(pd.DataFrame({"race": RACES}), ["race"])
    assert found.headline == "Pattern-friendly: race; also where the forest sees numbers."
    assert list(found.plots()) == ["categories"]
