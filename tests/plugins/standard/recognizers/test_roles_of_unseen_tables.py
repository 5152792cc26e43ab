"""Roles of made-up tables in the manner of public collections, held against a judgment written beforehand."""

from collections import Counter

import pytest

import qidguard
from qidguard.host import load_host
from qidguard.sdk import Role
from unseen_tables import HELD_OUT, LABELS, SPECS, unseen

pytestmark = pytest.mark.slow

LETTERS = {
    Role.DIRECT_IDENTIFIER: "d",
    Role.ENTITY: "d",
    Role.QUASI_IDENTIFIER: "q",
    Role.SENSITIVE: "s",
}


def counted(collection: str) -> Counter[tuple[str, str]]:
    """Return (role, what) → columns of some tables: judged, found, asked of a person, or proposed at all."""
    counts: Counter[tuple[str, str]] = Counter()
    host = load_host()
    for title in COLLECTIONS[collection]:
        table = unseen(title)
        with qidguard.audit(table.frame, host=host) as audit:
            columns = audit.report.columns
        for column in columns:
            judged = table.roles[column.facts.name]
            if judged == "c":
                continue
            assignment = column.assignment
            mine = {LETTERS.get(assignment.role, "")} | ({"s"} if assignment.is_sensitive else set())
            truth = LABELS[judged]
            counts.update((letter, "judged") for letter in truth)
            counts.update((letter, "found") for letter in truth & mine)
            counts.update((letter, "asked") for letter in truth - mine if "is it" in assignment.reason)
            counts.update((letter, "proposed") for letter in mine & set("dqs"))
    return counts


COLLECTIONS = {"first": SPECS, "held out": HELD_OUT}
LEAST = {
    "first": {"d": (0.97, 0.97, 0.97), "q": (0.95, 0.96, 0.98), "s": (0.91, 0.98, 0.97)},
    "held out": {"d": (0.95, 0.95, 0.95), "q": (0.95, 0.95, 0.97), "s": (0.85, 0.96, 0.97)},
}
"""Collection → role → recall, recall with what is asked of a person, and precision."""


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_roles_are_found_in_the_manner_of_public_collections(collection: str) -> None:
    """Health, census, labor force, charity, banking and teaching, pooled."""
    counts = counted(collection)
    for letter, (recall, with_questions, precision) in LEAST[collection].items():
        judged, found = counts[letter, "judged"], counts[letter, "found"]
        assert judged >= 20, letter
        assert found >= recall * judged, letter
        assert found + counts[letter, "asked"] >= with_questions * judged, letter
        assert found >= precision * counts[letter, "proposed"], letter
