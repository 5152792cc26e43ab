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


@pytest.mark.slow
def test_it_is_a_note_unless_the_policy_says_otherwise():
    """A fifth of the ages is told; k stays 400."""
    assert judged()[:2] == judged(undoing={"some": "note"})[:2] == (True, ())
    note = (
        "hint tells age for 20.0% of the persons in whom it was generalized (100% right). With it 400 persons"
        " have fewer than 400 candidates, the fewest 324."
    )
    assert note in judged()[2]


@pytest.mark.slow
def test_candidates_are_held_against_k():
    """Of 400 the 80 told ones are possible for their own age only: 320 + 4 stay."""
    assert judged(**BLOCK)[:2] == (False, (SENTENCE,))
    few = [{"metric": "k_anonymity", "at_least": 324}]
    assert judged(**BLOCK, thresholds=few)[:2] == (True, ())


def test_what_is_accepted_no_more_blocks():
    """In words, and it is said."""
    accepted = [{"columns": ["hint"], "tells": "age", "reason": "the hint is public anyway"}]
    is_passed, blocks, notes = judged(**BLOCK, accepted=accepted)
    assert (is_passed, blocks) == (True, ())
    assert any(note.endswith("It is accepted: the hint is public anyway.") for note in notes)


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
    monkeypatch.setattr("qidguard.undoing.search_told.MOST_COLUMNS", 1)
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
