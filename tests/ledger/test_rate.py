"""How many entries a second a ledger takes."""

import sys
import time

import pytest

from qidguard.ledger import open_ledger

ENTRIES = 300


@pytest.mark.bench
@pytest.mark.parametrize("is_anchored", [False, True])
def test_rate(url, new, tmp_path, databases, request, is_anchored):
    """One writer, small entries; more than five a second even on a busy machine, which is plenty."""
    with open_ledger(url, anchors=tmp_path / "anchors.json" if is_anchored else None) as ledger:
        started = time.perf_counter()
        for i in range(ENTRIES):
            ledger.append(new(f"e{i}"))
        rate = ENTRIES / (time.perf_counter() - started)
        started = time.perf_counter()
        assert ledger.check() == ()
        checked = ENTRIES / (time.perf_counter() - started)
    figures = f"{databases.kind} {is_anchored=} {rate:.0f} appends/s {checked:.0f} checked/s"
    sys.stdout.write(f"\nFIGURES {request.node.name}: {figures}\n")
    assert rate > 5
