"""What columns tell of some persons only: a note, or by the policy a block with candidates counted."""

import numpy as np
import pandas as pd
import pytest

from qidguard import audit
from qidguard.core.errors import PolicyError
from qidguard.policy import parse_policy

AGES = [20 + i % 20 for i in range(400)]
HINTS = [f"h{age}" if i < 80 else "none" for i, age in enumerate(AGES)]
BLOCK = {"undoing": {"some": "block"}}
SENTENCE = (
    "hint tells age of some persons: 400 persons have fewer than 400 candidates, the fewest 324."
    " Make hint a QID, drop or coarsen it, or accept it in words."
)


def judged(rows=None, **changes):
    """Return whether a table in which all ages are one passes, its blocks and its notes."""
    rules = {
        "qidguard": 1,
        "name": "telling",
        "roles": {"quasi_identifiers": ["age"], "insensitive": ["hint", "ward"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 400}],
    } | changes
    rows = pd.DataFrame({"age": AGES, "hint": HINTS, "ward": np.arange(400) % 41}) if rows is None else rows
    published = rows.assign(age="*")
    with audit(published, rules, original=rows, is_same_order=True) as found:
        return found.is_passed, tuple(b.sentence for b in found.verdict.blocks), found.report.notes


ACCEPTED = [{"columns": ["hint"], "tells": "age", "reason": "the hint is public anyway"}]
NOTE = (
    "hint tells age for 20.0% of the persons in whom it was generalized (100% right). With it 400 persons"
    " have fewer than 400 candidates, the fewest 324."
)
SAID = "It is accepted: the hint is public anyway."
SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("changes", "blocks", "note"),
    [
        pytest.param({}, (), NOTE, marks=SLOW),
        pytest.param({"undoing": {"some": "note"}}, (), NOTE, marks=SLOW),
        pytest.param(BLOCK, (SENTENCE,), "", marks=SLOW),
        pytest.param(
            BLOCK | {"thresholds": [{"metric": "k_anonymity", "at_least": 324}]}, (), "", marks=SLOW
        ),
        (BLOCK | {"accepted": ACCEPTED}, (), SAID),
    ],
    ids=["by default", "a note", "a block", "enough candidates", "accepted"],
)
def test_candidates_are_a_note_or_are_held_against_k(changes, blocks, note):
    """A fifth of the ages is told: of 400 these 80 are possible for their own age only, so 320 + 4 stay."""
    is_passed, found, notes = judged(**changes)
    assert (is_passed, found) == (not blocks, blocks)
    assert any(one.endswith(note) for one in notes)


def test_without_a_k_there_is_nothing_to_hold_them_against():
    """So it blocks, and says what to write."""
    rules = [{"metric": "average_class_size", "at_least": 10}]
    is_passed, [sentence], _ = judged(**BLOCK, thresholds=rules)
    assert not is_passed
    assert "no k_anonymity limit says how many candidates" in sentence


@pytest.mark.slow
@pytest.mark.parametrize(("some", "is_passed"), [("note", True), ("block", False)])
def test_what_was_not_examined_is_said_or_blocks(some, is_passed, monkeypatch):
    """Columns beyond the most of which pairs are tried are named in one sentence."""
    monkeypatch.setattr("qidguard_checks.undoing.told.MOST_COLUMNS", 1)
    rows = pd.DataFrame({"age": AGES, "hint": np.arange(400) % 7, "more": np.arange(400) // 3 % 5})
    roles = {"quasi_identifiers": ["age"], "insensitive": ["hint", "more"]}
    passed, blocks, notes = judged(rows, roles=roles, undoing={"some": some})
    sentence = (
        "Whether more tell the original age together with another column was not tried: only pairs of 1"
        " columns are."
    )
    assert passed is is_passed
    assert sentence in (notes if is_passed else blocks)


def test_the_policy_takes_two_words():
    """Another is refused with its place."""
    text = "qidguard: 1\nname: a\nroles: {quasi_identifiers: [age]}\nundoing: {some: maybe}\n"
    with pytest.raises(PolicyError, match=r"line 4.*must be note or block"):
        parse_policy(text + "thresholds: [{metric: k_anonymity, at_least: 2}]\n")
