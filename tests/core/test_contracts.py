"""What plugins and recognizers say of metrics, content tests and roles, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from qidguard.sdk import (
    ContentTest,
    DecidedBy,
    Direction,
    Evidence,
    Explanation,
    GroupBy,
    Metric,
    Role,
    RoleAssignment,
    RoleProposal,
    Statistic,
    Unit,
)

WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))


def metric(**fields):
    """Return a metric of class counts, with some fields of its own."""
    method = GroupBy(
        statistics=(Statistic(name="how_many", sql="count(*)"),), compute=lambda s, _: s["how_many"]
    )
    return Metric(
        name="how_many",
        title="How many",
        unit=Unit.CLASSES,
        minimum=0,
        maximum=9,
        direction=Direction.NEITHER,
        method=method,
        explanation=WORDS,
        **fields,
    )


def test_sensitive_is_an_attribute_among_others():
    """Both ways to say it mean the same, and a target is not sensitive."""
    assert metric(is_sensitive=True).attribute is Role.SENSITIVE
    assert metric(attribute=Role.SENSITIVE).is_sensitive is True
    assert metric(attribute=Role.TARGET).is_sensitive is False
    assert metric().attribute is None


@pytest.mark.parametrize(
    "fields", [{"attribute": Role.ENTITY}, {"attribute": Role.TARGET, "is_sensitive": True}]
)
def test_an_attribute_is_sensitive_target_or_treatment(fields):
    """No other column can stand beside the QIDs, and one cannot be two things."""
    with pytest.raises(ValueError, match="no metric is measured beside"):
        metric(**fields)


@pytest.mark.parametrize("fields", [{"attribute": "target"}, {"change_of": None}, {"is_of_size": 1}])
def test_a_field_of_another_kind_is_refused(fields):
    """A plugin written without a type checker hears of it at once."""
    with pytest.raises(TypeError, match=next(iter(fields))):
        metric(**fields)


GOOD: dict[str, Any] = {"name": "even", "title": "even numbers", "pattern": "[0-9]*[02468]"}


@pytest.mark.parametrize(("fields", "sentence"), [
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
])  # fmt: skip
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


RACE = RoleAssignment(
    column="race",
    role=Role.QUASI_IDENTIFIER,
    decided_by=DecidedBy.LEXICON,
    reason="why",
    is_also_sensitive=True,
)


@pytest.mark.parametrize("role", [Role.UNCLASSIFIED, Role.SENSITIVE, Role.DIRECT_IDENTIFIER, Role.ENTITY])
def test_only_a_qid_keeps_that_it_is_sensitive_too(role):
    """Whoever gives the column another role needs not think of it: it is taken away."""
    changed = replace(RACE, role=role)
    assert (changed.is_also_sensitive, changed.is_sensitive) == (False, role is Role.SENSITIVE)


@pytest.mark.parametrize("role", [Role.INSENSITIVE, Role.WEIGHT, Role.TARGET, Role.TREATMENT])
def test_a_column_that_is_no_qid_is_not_sensitive_too(role):
    """A recognizer that calls a harmless column sensitive is mistaken, and is told so."""
    with pytest.raises(ValueError, match=f"only a quasi-identifier .* not {role.value}"):
        replace(RACE, role=role)


def test_a_column_that_is_left_open_keeps_who_asked():
    """The reason stays, or is another one."""
    assert RACE.left_open() == replace(RACE, role=Role.UNCLASSIFIED)
    asked = RACE.left_open("is it?")
    assert (asked.role, asked.reason, asked.decided_by) == (Role.UNCLASSIFIED, "is it?", DecidedBy.LEXICON)
