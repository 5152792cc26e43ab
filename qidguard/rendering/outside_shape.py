"""The part of the audit document's JSON Schema on what is published outside the quasi-identifiers."""

from qidguard.core.role import Role
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


def outside_shape() -> Shape:
    """Return the shape of what is published outside the QIDs."""
    return an_object(
        "What is published outside the QIDs; null where nobody looked at it.",
        {
            "told_apart": a_list(
                _told_apart(),
                "Whom it tells apart, all of it together; empty where nothing is published there, or nobody"
                " can count.",
            ),
            "identifying": a_list(
                _identifying(), "Columns that identify people by themselves; each blocks until accepted."
            ),
        },
    )


def _told_apart() -> Shape:
    smallest = an_object(
        "A small set of columns.",
        {
            "columns": a_list(a_text("A column."), "The columns."),
            "alone": a_count("Persons who are alone on them."),
        },
    )
    return an_object(
        "Whom some published columns tell apart together.",
        {
            "columns": a_list(a_text("A column."), "The columns; none that is accepted by itself."),
            "has_sensitive": a_flag("Whether sensitive attributes are among them."),
            "alone": a_count("Persons who are alone on all of them."),
            "persons": a_count("Persons who were looked at."),
            "share": a_number("alone / persons; 0 where there is nobody.", minimum=0, maximum=1),
            "smallest": a_list(smallest, "The smallest sets that tell most of them apart."),
            "sentence": a_text("The same in words."),
        },
    )


def _identifying() -> Shape:
    return an_object(
        "One column.",
        {
            "column": a_text("Its name."),
            "role": one_of([role.value for role in Role], "What it is called."),
            "reason": a_text("Why it identifies people, without a value."),
            "alone": nullable(a_count("Persons whose value nobody else has; null for another reason.")),
            "persons": nullable(a_count("Persons with a value; null for another reason.")),
            "accepted": nullable(a_text("The words in which a person accepts it, and who.")),
            "sentence": a_text("The same in words, with what to do."),
        },
    )
