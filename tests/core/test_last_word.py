"""What can no longer be undone is said whatever signal comes; every other stop is heard at once."""

import os
import signal

import pytest

from qidguard.core.held_signals import last_word

pytestmark = pytest.mark.usefixtures("terminated")


class ToldError(Exception):
    """What a handler of somebody's own raises."""


@pytest.fixture
def terminated():
    """Let SIGTERM raise, as the command line and schedulers do."""

    def tell(*_):
        raise ToldError

    before = signal.signal(signal.SIGTERM, tell)
    yield
    assert signal.getsignal(signal.SIGTERM) is tell
    signal.signal(signal.SIGTERM, before)


def ask(number):
    """Send a signal to this process."""
    os.kill(os.getpid(), number)


def test_before_it_is_held_a_signal_is_heard():
    """Nothing is done yet, so the work stops."""
    with pytest.raises(ToldError), last_word():
        ask(signal.SIGTERM)


def test_what_is_held_is_heard_at_the_outermost_end():
    """Work goes on to the end of the outer stretch, and then whoever asked is heard."""
    done = []

    def work():
        with last_word() as outer:
            with last_word() as word:
                word.hold()
                ask(signal.SIGTERM)
                done.append("inner")
            assert outer.is_asked_to_stop
            done.append("outer")

    with pytest.raises(ToldError):
        work()
    assert done == ["inner", "outer"]


def test_a_process_that_ends_anyway_and_ctrl_c_are_answered():
    """A command that has said how it ended needs no signal; who pressed Ctrl-C reads what is returned."""
    for number, ends in ((signal.SIGTERM, True), (signal.SIGINT, False)):
        with last_word(ends_process=ends) as word:
            word.hold()
            ask(number)


def test_what_came_to_nothing_is_let_go():
    """Where nothing was done after all, the signal that was held is heard at once."""

    def work():
        with last_word(ends_process=True) as word:
            word.hold()
            ask(signal.SIGTERM)
            word.let_go()

    with pytest.raises(ToldError):
        work()
