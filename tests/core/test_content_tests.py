"""Tests of what a recognizer may ask of values: forms of a content test, evidence, proposals."""

from typing import Any

import pytest

from qidguard.sdk import ContentTest, DecidedBy, Evidence, Role, RoleProposal

GOOD: dict[str, Any] = {"name": "even", "title": "even numbers", "pattern": "[0-9]*[02468]"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "no name"}, "must be a plain identifier, not 'no name'"),
        ({"title": " "}, "must have a title"),
        ({"pattern": None}, "either words, or a pattern or holds"),
        ({"words": frozenset({"a"})}, "either words, or a pattern or holds"),
        ({"pattern": "["}, "its pattern is none"),
        ({"pattern": None, "words": frozenset({"Male"})}, "must be case-folded"),
        ({"chance": 1.5}, "chance must lie in 0..1, not 1.5"),
        ({"value_types": ()}, "some type of values"),
        ({"value_types": ("text",)}, "value_types must be tuple of ValueType"),
        ({"holds": True}, "holds must be"),
    ],
)
def test_a_content_test_says_what_is_wrong_with_it(fields: dict[str, Any], sentence: str):
    """A test that cannot be made is refused where it is written, in one sentence."""
    with pytest.raises((TypeError, ValueError), match=sentence):
        ContentTest(**GOOD | fields)


def test_a_pattern_comes_before_the_function():
    """The function is asked only of what the pattern matches, so it may rely on the form."""
    asked: list[str] = []

    def holds(text: str) -> bool:
        asked.append(text)
        return text == "22"

    test = ContentTest(**GOOD, holds=holds)
    assert [test.passes(text) for text in ("22", "24", "x", " 22 ")] == [True, False, False, True]
    assert asked == ["22", "24", "22"]


def test_a_vocabulary_knows_no_case():
    """A value is in a vocabulary whatever its case, and whatever blanks surround it."""
    test = ContentTest(name="sex", title="words for a sex", words=frozenset({"f", "weiss"}))
    assert [test.passes(text) for text in ("F ", "WEISS", "Weiß", "m")] == [True, True, True, False]


def test_evidence_never_comes_from_a_person():
    """A plugin cannot say that a person decided."""
    with pytest.raises(ValueError, match="not from person"):
        Evidence(by=DecidedBy.PERSON, sentence="I said so")


def test_below_the_bound_a_proposal_is_a_question():
    """From the stated confidence on a role is proposed, below it a person is asked."""
    why = Evidence(by=DecidedBy.CONTENT, sentence="its values look so")
    made = [RoleProposal.of("a", Role.SENSITIVE, confidence, why) for confidence in (0.49, 0.5)]
    assert [proposal.is_sure for proposal in made] == [False, True]
