"""Noise can be rehearsed: by the seed, charged to nobody, published nowhere, and marked as what it is."""

import json
from fractions import Fraction

import jsonschema
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from noise import Noisy, costs
from plugged import Counting, Doing, host_with
from qidguard import PluginError, UserError, anonymize
from qidguard.core.errors import InternalError
from qidguard.interfaces.commands.anonymize import anonymize_command
from qidguard.releasing.deciding import decide
from qidguard.releasing.deciding.check import write_remedied
from qidguard.sdk import Anonymized, Solution, Solutions
from qidguard.trials import stages
from qidguard.trials.transform import rehearsed
from qidguard_comparison import compare
from qidguard_comparison.plugin import comparison_schema
from releases import at_least, once, people

REAL = "a real run charges ε = 1/2 before it draws, and that stays charged where its result is blocked"


class OnlyRehearsed(Noisy):
    """Fails where it is asked to draw what nobody can repeat."""

    def noise(self, numbers, scale):
        """Refuse."""
        raise AssertionError("real noise was drawn")


def rules(**more):
    """Return a policy with noise on ages, ε = 1/2."""
    remedy = {"anonymizer": "noisy", "parameters": {"epsilon": "1/2", "bounds": {"age": [20, 40]}}}
    thresholds = [{"metric": "share_unique", "at_most": 0.9}]
    return once(remedy=remedy | more.pop("remedy", {}), thresholds=thresholds, **more)


def tried(seed=1, **more):
    """Return a rehearsal on three hundred people."""
    return anonymize(people(size=100), rules(**more), host=host_with([OnlyRehearsed()]), seed=seed)


@pytest.mark.slow
def test_a_rehearsal_is_drawn_by_the_seed_and_marked():
    """The same seed tells the same, another one something else; neither needs a budget."""
    documents = []
    for seed in (1, 1, 2):
        with tried(seed) as made:
            assert made.is_rehearsal
            assert made.receipt.is_rehearsal
            assert REAL in repr(made)
            assert "REHEARSAL: noise was drawn by the seed" in repr(made)
            documents.append(made.to_dict())
    assert documents[0]["is_rehearsal"] is True
    cells = [one["receipt"]["cells_changed"]["age"] for one in documents]
    figures = [[t["value"] for t in one["after"]["thresholds"]] for one in documents]
    assert cells[0] == cells[1] > 0
    assert figures[0] == figures[1]
    assert (cells[0], figures[0]) != (cells[2], figures[2])


@pytest.mark.slow
@pytest.mark.parametrize(("budget", "said"), [
    ({}, "the policy sets no privacy_budget"),
    ({"privacy_budget": {"epsilon": "1/3"}}, "it costs ε = 1/2, and the policy's whole"),
    ({"privacy_budget": {"epsilon": "1/2"}}, None),
], ids=["none", "too little", "enough"])  # fmt: skip
def test_a_rehearsal_says_where_a_real_run_is_blocked_by_the_policy_alone(budget, said):
    """No budget, or less than one run costs."""
    with tried(**budget) as made:
        blocked = [note for note in made.receipt.notes if "is blocked before it draws" in note]
    assert len(blocked) == (said is not None)
    assert said is None or said in blocked[0]


@pytest.mark.slow
def test_nothing_of_a_rehearsal_is_written(tmp_path):
    """Although the policy holds, and whoever asks is told what to do."""
    to = tmp_path / "x.csv"
    with tried() as made:
        assert made.is_passed
        with pytest.raises(UserError, match="This was a rehearsal"):
            made.write(str(to))
    assert not to.exists()


@pytest.mark.slow
def test_a_value_for_each_column_stands_in_brackets():
    """As in a policy, and told by the receipt as it was written."""
    bare = once(thresholds=[{"metric": "share_unique", "at_most": 0.9}])
    named = "noisy[epsilon=1/2, bounds={age: [20, 40]}]"
    host = host_with([OnlyRehearsed()])
    with anonymize(people(size=100), bare, anonymizer=named, host=host, seed=1) as made:
        assert made.receipt.privacy.cost.epsilon == Fraction(1, 2)
        assert "bounds={age: [20, 40]}" in repr(made)


@pytest.mark.slow
def test_methods_with_noise_are_compared_by_rehearsals():
    """A sweep over ε charges nobody; each row says what a real run charges."""
    host = host_with([OnlyRehearsed()])
    named = "noisy[epsilon=1/2],noisy[epsilon=4, bounds={age: [20, 40]}],mondrian"
    found = compare(people(size=100), rules(), anonymizers=named, host=host, seed=1)
    charges = {row.method + str(row.arguments.get("epsilon", "")): row.would_charge for row in found.methods}
    assert charges == {"noisy1/2": "ε = 1/2", "noisy4": "ε = 4", "mondrian": None}
    assert "rehearsed, charges" in str(found)
    (said,) = found.methods[0].noised
    assert said.startswith("Noise was drawn for age of the QID combination default: age has discrete laplace")
    over = "share_unique is measured over age, sex, noised values as published"
    assert over in " ".join(str(found).split())
    jsonschema.validate(found.to_dict(), json.loads(comparison_schema()))


@pytest.mark.slow
def test_a_recorded_trial_is_no_rehearsal(place):
    """It draws real noise, which the ledger charges, and may be written; progress says so before."""
    noisy, told = Noisy(), []

    class Heard:
        def step(self, title, done, total):
            told.append((title, len(noisy.drawn), done, total))

    options = {"is_recorded": True, "home": str(place.home), "data_set": "people", "progress": Heard()}
    asked = rules(privacy_budget={"epsilon": 1})
    with anonymize(people(size=100), asked, host=host_with([noisy]), **options) as made:
        assert not made.is_rehearsal
        assert "ε = 1/2 was charged to the privacy budget" in repr(made)
        made.write(str(place.root / "x.parquet"))
    assert pd.read_parquet(place.root / "x.parquet")["age"].between(20, 40).all()
    assert len(place.entries("spent")) == 1
    said = "charging ε = 1/2 to the privacy budget, which stays charged if the result is blocked"
    assert (said, 0, 0, 1) in told


@pytest.mark.slow
def test_a_blocked_result_stays_charged_and_says_so(place):
    """The ledger keeps the charge, and the release says it beside why it is blocked."""
    asked = rules(privacy_budget={"epsilon": 1}) | {"thresholds": at_least(k_anonymity=200)}
    made = place.release(people(size=100), asked, host=host_with([Noisy()]))
    assert (made.is_published, len(place.entries("spent"))) == (False, 1)
    said = "ε = 1/2 was charged to the privacy budget, and stays charged whatever comes of the result."
    assert said in made.notes


@pytest.mark.slow
@pytest.mark.parametrize("door", ["release", "file"])
def test_a_rehearsal_never_leaves_by_a_door(place, monkeypatch, door):
    """Should a decision ever rehearse in place of drawing, publishing and writing refuse."""

    def rehearsing(*args, **options):
        return stages.transformed(*args, **options | {"spend": rehearsed})

    monkeypatch.setattr(decide, "transformed", rehearsing)
    asked, host = rules(privacy_budget={"epsilon": 1}), host_with([OnlyRehearsed()])
    to = str(place.root / "x.parquet")
    doors = {
        "release": lambda: place.release(people(size=100), asked, host=host),
        "file": lambda: write_remedied(people(), policy=asked, to=to, home=str(place.home), host=host),
    }
    with pytest.raises(InternalError, match="a rehearsal was to be"):
        doors[door]()
    assert place.releases() == []
    assert not (place.root / "x.parquet").exists()


@pytest.mark.slow
def test_attacks_are_rehearsed_on_rehearsed_noise(place):
    """In a rehearsal they cost nothing; a real run makes none, since it would be charged twice."""
    attack = Counting()
    for is_real in (False, True):
        options = {"is_recorded": True, "home": str(place.home), "data_set": "people"} if is_real else {}
        asked = rules(privacy_budget={"epsilon": 1}, remedy={"attacks": ["counting"]})
        host = host_with([Noisy()], attacks=[attack])
        with anonymize(people(size=100), asked, host=host, **options) as made:
            assert bool(made.receipt.attacks) is not is_real
    assert len(attack.seen) == 1


def test_several_solutions_with_noise_are_refused():
    """The guarantee covers one drawing, and to choose by figures of the table is no part of it."""

    def several(records, *_):
        done = Anonymized(kept=np.ones(records.records, dtype=np.bool_))
        return Solutions(solutions=(Solution(label="a", anonymized=done, figures={}),), chosen=0, figures=())

    noisy = Doing(several, "several", privacy_guarantee=lambda *_: costs(1))
    with pytest.raises(PluginError, match="draws noise and returned several solutions"):
        anonymize(people(), once(), anonymizer="several", host=host_with([noisy]))
    with pytest.raises(UserError, match="to choose among several draws by the data would tell more"):
        tried(remedy={"choose": "knee"})


@pytest.mark.slow
def test_the_command_refuses_a_file_before_it_works(tmp_path, monkeypatch):
    """With --to and without --record nothing is read; without --to it ends as a rehearsal."""
    host = host_with([OnlyRehearsed()])
    monkeypatch.setattr("qidguard.releasing.anonymize.load_host", lambda: host)
    data, policy = tmp_path / "people.csv", tmp_path / "p.yaml"
    people(size=100).to_csv(data, index=False)
    policy.write_text(json.dumps(rules()))
    asked = [str(data), "--policy", str(policy), "--quiet"]
    refused = CliRunner().invoke(anonymize_command, [*asked, "--to", str(tmp_path / "x.csv")])
    assert isinstance(refused.exception, UserError)
    assert "add --record, which charges the privacy budget" in str(refused.exception)
    shown = CliRunner().invoke(anonymize_command, asked, standalone_mode=False)
    assert "REHEARSED  The policy holds on noise drawn by the seed; nothing was charged." in shown.output
