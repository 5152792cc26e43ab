"""The part of the audit document's JSON Schema that a column of the table has."""

from qidguard.core.column import ValueType
from qidguard.core.kind import ColumnKind
from qidguard.core.role import DecidedBy, Role
from qidguard.core.sensitivity import Tier
from qidguard.rendering.shape import (
    Shape,
    a_count,
    a_flag,
    a_list,
    a_number,
    a_text,
    an_object,
    nullable,
    one_of,
)


def _proposal() -> Shape:
    return an_object(
        "A role that a recognizer proposes.",
        {
            "role": one_of([role.value for role in Role], "The role."),
            "confidence": a_number("How sure the recognizer is.", minimum=0, maximum=1),
            "is_sure": a_flag("Whether it is proposed; if not, it is a question to a person."),
            "decided_by": one_of([by.value for by in DecidedBy], "What it rests on."),
            "reason": a_text("Why."),
        },
    )


def _kind() -> Shape:
    return an_object(
        "What the values are, apart from the role; null where nobody knows.",
        {
            "kind": one_of([kind.value for kind in ColumnKind], "The kind."),
            "decided_by": one_of([by.value for by in DecidedBy], "Who says so."),
            "confidence": nullable(
                a_number("How sure that is; null where a person stated it.", minimum=0, maximum=1)
            ),
            "is_sure": a_flag("Whether it is proposed or stated; if not, it is a question to a person."),
            "reason": a_text("Why."),
        },
    )


def _sensitivity() -> Shape:
    return an_object(
        "Why it is sensitive, or would be if what is asked is answered with yes; null where nobody knows.",
        {
            "tier": one_of(
                [tier.value for tier in Tier],
                "special: GDPR article 9; crime: article 10; confidential by custom; by the table's topic.",
            ),
            "category": a_text("Of what, such as health."),
            "article": nullable(a_text("The article that names it; null for a custom or a topic.")),
            "sentence": a_text("The same in words."),
        },
    )


def column_shape() -> Shape:
    """Return the part of the schema that one column of the table has."""
    return an_object(
        "One column.",
        {
            "name": a_text("Its name."),
            "role": one_of([role.value for role in Role], "Its role."),
            "decided_by": one_of([by.value for by in DecidedBy], "Who gave it the role."),
            "reason": a_text("Why; empty where nobody said."),
            "is_sensitive": a_flag(
                "Whether nobody should learn its values of a person; a QID may be so, too."
            ),
            "sensitivity": nullable(_sensitivity()),
            "proposals": a_list(_proposal(), "What recognizers propose, the surest first."),
            "kind": nullable(_kind()),
            "type": one_of([kind.value for kind in ValueType], "How its values are stored, once read."),
            "distinct": a_count("Number of distinct values, missing ones not counted."),
            "missing": a_count("Number of records without a value."),
            "not_a_number": a_count("Number of records with a floating-point NaN."),
            "risk": a_number("Mean over records of 1/class size on this column alone.", minimum=0, maximum=1),
        },
    )
