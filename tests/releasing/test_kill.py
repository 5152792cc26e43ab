"""A process that dies at any point leaves a complete release or none, and the next run succeeds."""

import os
import signal

import numpy as np
import pytest

from killing import STEPS, Runner, rules, source
from quick import mostly_slow
from releases import Place, verified

RANDOM_POINTS = int(os.environ.get("QIDGUARD_KILLS", "40"))
"""Each run looks at all that stands there, so many of them take long."""


@pytest.fixture(scope="module")
def runner():
    """Return what starts releases in processes."""
    return Runner()


def check(place: Place, killed: str) -> bool:
    """Check that all is complete and the next run works; return whether ``killed`` was published."""
    folders = place.releases()
    assert [verified(folder) for folder in folders] == [()] * len(folders)
    assert place.faults() == ()
    was_published = killed in [folder.name for folder in folders]
    made = place.release(source(), rules(), release_id=killed)
    assert made.is_published
    assert made.is_repeated == was_published
    assert place.left_over() == []
    assert [verified(folder) for folder in place.releases()[-1:]] == [()]
    assert place.faults() == ()
    promised = {e.payload["audit_id"] for e in place.entries("releasing")}
    settled = {e.payload["audit_id"] for e in place.entries("released", "abandoned")}
    assert promised == settled
    return was_published


@pytest.mark.parametrize("done", [0, pytest.param(1, marks=pytest.mark.slow)], ids=["begin", "end"])
@pytest.mark.parametrize("step", mostly_slow(sorted(STEPS, key="publishing".__ne__)))
def test_killed_at_a_named_step(runner, tmp_path, step, done):
    """At the beginning and at the end of every step: before publishing ends nothing is there, then all is."""
    place = Place(tmp_path)
    code, _ = runner.run(tmp_path, "r1", at=(step, done))
    assert code == -signal.SIGKILL
    is_late = STEPS.index(step) > STEPS.index("publishing") or (step, done) == ("publishing", 1)
    assert check(place, "r1") is is_late


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_at_random_points(runner, tmp_path):
    """``QIDGUARD_KILLS`` times, the target is complete and verified or unchanged."""
    chance = np.random.default_rng(20261121)
    times = [runner.run(tmp_path / "warm", f"r{i}")[1] for i in range(4)][1:]
    longest = max(times)
    place = Place(tmp_path / "killed")
    published = died = 0
    for i in range(RANDOM_POINTS):
        code, _ = runner.run(place.root, f"r{i:03}", after_seconds=chance.uniform(0, longest))
        died += code == -signal.SIGKILL
        published += check(place, f"r{i:03}")
    assert died > RANDOM_POINTS * 0.5
    assert 0 < published < RANDOM_POINTS
