"""A release that is killed right before any change of the file system: whole or not there, and made good."""

import os
import signal

import pytest

from faulty_runs import Fault, FaultyRuns, check_made_good, points
from releases import people, verified

KILLS = int(os.environ.get("QIDGUARD_KILLS", "12"))
"""How many of a release's changes are killed at; the first, the last, and others drawn between."""


@pytest.mark.faults
@pytest.mark.timeout(3600)
def test_killed_at_a_system_call(tmp_path):
    """Never half a release; the next run settles, `verify` says what is there, nothing is left behind."""
    table = people().to_csv(index=False)
    whole = FaultyRuns(tmp_path / "whole", table).release()
    assert (whole.code, whole.changes > 30) == (0, True), whole.err
    published = []
    for number in points(whole.changes, KILLS):
        runs = FaultyRuns(tmp_path / f"{number}", table)
        ended = runs.release(Fault(at=number))
        assert ended.code == -signal.SIGKILL, number
        is_there = runs.release_folder.exists()
        published.append(is_there)
        if is_there:
            assert verified(runs.release_folder) == (), number
        code = runs.run("verify", str(runs.release_folder), "--unsigned").code
        assert code == (0 if is_there else 2), number
        check_made_good(runs, was_published=is_there)
    assert set(published) == {False, True}
