"""A process that dies at any point leaves a complete release or none, and the next run succeeds."""

import os
import signal

import pytest

from killing import STEPS, Runner, rules, source
from quick import mostly_slow
from releases import Place, verified
from seeds import drawing

DRAWN_CALLS = int(os.environ.get("QIDGUARD_KILLS", "40"))
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
    assert (made.is_published, made.is_repeated, place.left_over()) == (True, was_published, [])
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


@pytest.mark.faults
@pytest.mark.timeout(1800)
def test_killed_at_drawn_calls(runner, tmp_path):
    """``QIDGUARD_KILLS`` times: complete and verified, or unchanged; after publishing all is there.

    A point is a share of what a step calls, however long that takes; each is in a place of its own, beside an
    earlier release.
    """

    def place(name: str) -> Place:
        made = Place(tmp_path / name)
        assert made.release(source(), rules(), release_id="r0").is_published
        return made

    code, calls = runner.run(place("whole").root, "r1")
    assert (code, [step for step in STEPS if not calls[step]]) == (0, [])
    draw = drawing("killed releases")
    # the steps from publishing on are few calls long and hold what matters
    steps = (*STEPS, *STEPS[STEPS.index("publishing") :])
    for i in range(DRAWN_CALLS):
        step = steps[i % len(steps)]
        number = 1 + int(draw.random() * calls[step])
        killed = place(f"{i}")
        code, _ = runner.run(killed.root, "r1", at_call=(step, number))
        was_published = check(killed, "r1")
        # a step that called less than in the whole run is over by then, and so may be the ones behind it
        assert code == -signal.SIGKILL or was_published, (step, number)
        if STEPS.index(step) > STEPS.index("publishing"):
            assert was_published, (step, number)
