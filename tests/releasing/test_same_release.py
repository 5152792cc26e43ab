"""Runs that get in each other's way end as the user's error: no policy was judged, so nothing is blocked."""

from functools import partial

import pytest

from qidguard.ledger import open_ledger
from qidguard.releasing import run
from qidguard.releasing.history.timeline import events
from qidguard.releasing.publishing.publish import BeingPublishedError, OvertakenError
from releases import judged, people, verified
from steps import Paused


@pytest.mark.parametrize("to", [None, pytest.param("memory://q", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("step", "does_second_publish"), [("recording", True), ("publishing", False)])
@pytest.mark.usefixtures("memory")
def test_two_runs_of_one_release_id_end_as_one_release_and_a_user_error(place, step, does_second_publish, to):
    """The first stops before or behind its promise; whoever comes second there is told to wait, exit 2."""
    asked = partial(place.release, people(), to=to, release_id="r1")
    first = Paused(step, asked)
    if does_second_publish:
        made = asked()
        first.end()
        [error] = first.failed
    else:
        with pytest.raises(BeingPublishedError) as raised:
            asked()
        first.end()
        error, [made] = raised.value, first.made
    assert isinstance(error, BeingPublishedError)
    assert int(error.exit_code) == 2
    assert str(error) == (
        "Release 'r1' of 'people' is being published by another run; wait for it, then run it again."
    )
    assert error.is_transient
    assert verified(made.address) == ()
    assert [e.payload["exit_code"] for e in place.entries("failed")] == [2] * does_second_publish
    with open_ledger(place.ledger) as ledger:
        told = {event.what for event in events(list(ledger.entries()))}
    assert told <= {"published", "not published", "failed"}
    assert asked().is_repeated


def test_a_release_that_others_overtake_too_often_is_a_user_error(place, monkeypatch):
    """Another one came first each time: it is judged anew, and in the end it failed and was not blocked."""
    monkeypatch.setattr(run, "ATTEMPTS", 1)
    slow = Paused("recording", partial(place.release, people(), judged()))
    assert place.release(people(), judged()).is_published
    slow.end()
    [error] = slow.failed
    assert isinstance(error, OvertakenError)
    assert (int(error.exit_code), error.is_transient) == (2, True)
    assert [e.payload["exit_code"] for e in place.entries("failed")] == [2]
