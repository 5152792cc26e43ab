"""The roles of columns: which states there are, and that no other can be made."""

from dataclasses import replace

import pytest

from qidguard.core.role import DecidedBy, Role, RoleAssignment

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
def test_what_contradicts_it_is_an_error(role):
    """A recognizer that calls a harmless column sensitive is mistaken, and is told so."""
    with pytest.raises(ValueError, match=f"only a quasi-identifier .* not {role.value}"):
        replace(RACE, role=role)


def test_a_column_that_is_left_open_keeps_who_asked():
    """The reason stays, or is another one."""
    assert RACE.left_open() == replace(RACE, role=Role.UNCLASSIFIED)
    asked = RACE.left_open("is it?")
    assert (asked.role, asked.reason, asked.decided_by) == (Role.UNCLASSIFIED, "is it?", DecidedBy.LEXICON)
