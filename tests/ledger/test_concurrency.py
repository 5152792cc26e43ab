"""Several processes at one ledger: nothing is lost, nothing fails, and a guard sees what others did."""

import json
from collections import Counter

import pytest

from qidguard.ledger import open_ledger

pytestmark = pytest.mark.slow

WRITERS = 8


def test_eight_processes_make_a_ledger_and_write_twenty_five_entries_each(url, together, tmp_path):
    """200 entries come out of it, each once, in one chain; what all of them attached is kept once.

    None of the eight finds a ledger at first. The anchors, which they share, end at the newest head.
    """
    anchors = tmp_path / "anchors.json"
    together([("appending", url, f"w{i}", 25, anchors) for i in range(WRITERS)])
    with open_ledger(url, anchors=anchors, must_exist=True) as ledger:
        [record] = json.loads(anchors.read_text()).values()
        assert (record["sequence"], record["hash"]) == ledger.head()
        assert ledger.check() == ()
        found = list(ledger.entries())
    assert list(range(1, 201)) == [entry.sequence for entry in found]
    assert {f"w{w}-{i}" for w in range(WRITERS) for i in range(25)} == {entry.id for entry in found}
    assert len({digest for entry in found for digest in entry.attachments}) == 201


@pytest.mark.slow
def test_eight_processes_open_a_ledger_that_does_not_exist(databases, together):
    """Four times over: one of them makes it, the others find it, and each writes its entry."""
    for _ in range(4):
        url = databases.create()
        printed = together([("opening", url, f"w{i}") for i in range(WRITERS)])
        assert {f"w{i}\n" for i in range(WRITERS)} == set(printed)
        with open_ledger(url, must_exist=True) as ledger:
            assert ledger.check() == ()
            assert ledger.head()[0] == WRITERS


def test_a_budget_of_three_is_spent_three_times(url, together):
    """Of eight that each want 1 of a budget of 3 exactly three get it: the guard sees what was committed."""
    printed = together([("spending", url, f"w{i}", 3) for i in range(WRITERS)])
    assert Counter({"spent\n": 3, "refused\n": 5}) == Counter(printed)
    with open_ledger(url, must_exist=True) as ledger:
        assert len(list(ledger.entries(kinds={"spent"}))) == 3
        assert ledger.check() == ()
