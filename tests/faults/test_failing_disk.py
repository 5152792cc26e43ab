"""A disk that is full or fails at any change: one sentence that says so, and nothing half published."""

import errno
import os

import pytest

from faulty_runs import Fault, FaultyRuns, check_made_good, points
from releases import people, verified

INJECTIONS = int(os.environ.get("QIDGUARD_INJECTIONS", "6"))
"""At how many of a release's changes each error is injected."""


def check_told(runs: FaultyRuns, ended, what: object) -> None:
    """Hold that the answer is true: published and confirmed, or why not; then a run without a fault works."""
    is_there = runs.release_folder.exists()
    assert "Traceback" not in ended.err, (what, ended.err)
    assert "internal error" not in ended.err, (what, ended.err)
    assert "mend the plugin" not in ended.err, (what, ended.err)
    if ended.code == 0:
        assert is_there, what
    else:
        assert ended.code in {2, 3}, (what, ended)
        said = [line for line in ended.err.splitlines() if line.startswith("Error: ")]
        is_said = "stands complete" in ended.err or "NOT CONFIRMED" in ended.out
        assert said or is_said, (what, ended)
        assert is_there == is_said, (what, ended)
    if is_there:
        assert verified(runs.release_folder) == (), what
    check_made_good(runs, was_published=is_there)


@pytest.mark.faults
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO], ids=["full", "failing"])
def test_an_error_at_a_change(tmp_path, error, is_lasting):
    """Injected at opens, renames, removals, flushes: the answer is true, and the next run is not hindered."""
    table = people().to_csv(index=False)
    changes = FaultyRuns(tmp_path / "whole", table).release().changes
    for number in points(changes, INJECTIONS):
        runs = FaultyRuns(tmp_path / f"{number}", table)
        ended = runs.release(Fault(at=number, error=error, is_lasting=is_lasting))
        check_told(runs, ended, (number, error, is_lasting))


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.parametrize("size", [4_000, 50_000, 200_000, 800_000])
def test_a_limit_on_file_sizes(tmp_path, size):
    """Every write beyond it fails, of Python, DuckDB and SQLite alike; the sentence names the limit."""
    runs = FaultyRuns(tmp_path / "runs", people(groups=40, size=60).to_csv(index=False))
    ended = runs.release(Fault(largest_file=size))
    check_told(runs, ended, size)
    if ended.code:
        assert "limit" in ended.err
