"""A writer that is killed leaves a whole ledger behind."""

import time

import pytest

from examples import examples
from qidguard.ledger import open_ledger
from seeds import drawing

pytestmark = pytest.mark.faults


def kill_and_look(url, new, start_writer, rounds):
    """Kill a writer at random moments; after each the chain holds, and what was reported kept is there."""
    generator = drawing("killed writers")
    open_ledger(url).close()
    number = 0
    for i in range(rounds):
        writer = start_writer("endless", url, f"w{i}")
        writer.stdin.write("go\n")
        writer.stdin.flush()
        first = [writer.stdout.readline() for _ in range(2)]
        assert ["ready\n", f"w{i}-0\n"] == first
        time.sleep(generator.uniform(0, 0.1))
        writer.kill()
        said = [f"w{i}-0", *writer.stdout.read().split("\n")]
        reported = [line for line in said[:-1] if line]
        with open_ledger(url, must_exist=True) as ledger:
            kept = [entry.id for entry in ledger.entries() if entry.id.startswith(f"w{i}-")]
            assert reported == kept[: len(reported)]
            assert len(kept) - len(reported) <= 1
            assert ledger.check() == ()
            number += len(kept) + 1
            assert number == ledger.append(new(f"after-{i}")).sequence


def test_a_killed_writer_leaves_a_whole_ledger(url, new, start_writer):
    """Two kills."""
    kill_and_look(url, new, start_writer, 2)


def test_thirty_killed_writers_leave_a_whole_ledger(url, new, start_writer):
    """Thirty kills where all are drawn, a third of them else."""
    kill_and_look(url, new, start_writer, examples(30, fewest=10))


@pytest.mark.parametrize("delay", [i / 100 for i in (0, 2, 4, 6, 8, 10, 12, 15, 20, 30)])
def test_a_killed_first_opening_is_made_good(url, new, start_writer, delay):
    """Whoever comes next finds no ledger or a whole one."""
    writer = start_writer("endless", url, "w")
    assert writer.stdout.readline() == "ready\n"
    writer.stdin.write("go\n")
    writer.stdin.flush()
    time.sleep(delay)
    writer.kill()
    writer.wait()
    with open_ledger(url) as ledger:
        assert ledger.check() == ()
        ledger.append(new("after"))
        assert ledger.check() == ()
