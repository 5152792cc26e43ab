"""The part of the audit document's JSON Schema on what would make a blocked table pass."""

from qidguard.rendering.isolated_shape import isolated_over_time
from qidguard.rendering.shape import (
    Shape,
    a_count,
    a_flag,
    a_list,
    a_number,
    a_text,
    an_object,
    nullable,
)


def advice_shape() -> Shape:
    """Return the shape of advice, or of why there is none; only a blocked table has it."""
    fault = an_object("Why there is no advice.", {"fault": a_text("The reason, one sentence.")})
    return {"anyOf": [_advice(), fault], "description": "What would make the table pass; it is internal."}


def _advice() -> Shape:
    column = a_text("A column.")
    return an_object(
        "What keeps the table from passing, and changes that pass; each was confirmed by an audit.",
        {
            "combination": a_text("The QID combination that the figures are of."),
            "qids": a_list(column, "Its columns."),
            "knows_any": nullable(a_count("How many of them the attacker knows; null for all.")),
            "person": a_text("What a person is: entities or records."),
            "persons": a_count("Persons of the table."),
            "limit": a_count("Persons that a class needs."),
            "diversity": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0},
                "description": "Sensitive attribute → distinct values that a class needs.",
            },
            "below": nullable(a_count("Persons in classes that are too small; null where none was counted.")),
            "alone": a_count("Of these, persons who are the only one in a class."),
            "without": a_list(_exposed(), "What stays when these columns are left away."),
            "smallest": a_list(_exposed(), "The smallest combinations that put persons below the limit."),
            "isolated": nullable(isolated_over_time("Whom releases isolate, where they are most.")),
            "for_series": nullable(_for_series()),
            "changes": a_list(_change(), "The cheapest changes that pass, by loss."),
            "hindrances": a_list(a_text("A sentence."), "Why there are none, or no more."),
            "most_left_out": a_number(
                "The largest share that a change may leave out.", minimum=0, exclusiveMaximum=1
            ),
            "audited": a_count("Changes that were audited."),
            "is_exact": a_flag("Whether every change was looked at."),
            "is_cut_short": a_flag("Whether the time was up before the work was done."),
            "seconds": a_number("How long it took, in seconds.", minimum=0),
        },
    )


def _for_series() -> Shape:
    return an_object(
        "What anonymizers that keep a series do for those whom releases isolate.",
        {
            "anonymizers": a_list(a_text("A name."), "Those that are installed."),
            "is_tried": a_flag("Whether the policy's own was run on the table."),
            "is_passed": a_flag("Whether the policy holds on what it made."),
            "ncp": nullable(a_number("What that loses.", minimum=0, maximum=1)),
            "notes": a_list(a_text("A sentence."), "What it says of this release, or why it cannot be done."),
        },
    )


def _exposed() -> Shape:
    return an_object(
        "Persons in classes that are too small.",
        {
            "columns": a_list(a_text("A column."), "The columns that are left away, or known."),
            "below": a_count("Persons below the limit."),
            "alone": a_count("Of these, persons who are the only one in a class."),
            "added": a_count("Of these, persons whom nothing before it in the list exposes."),
        },
    )


def _change() -> Shape:
    level = {
        "anyOf": [{"type": "integer", "minimum": 0}, {"const": "drop"}],
        "description": "The level of its hierarchy; drop where it is not published.",
    }
    coarser = an_object(
        "A column that is published coarser, or not at all.",
        {
            "column": a_text("The QID."),
            "level": level,
            "coarsest": a_count("The coarsest level; 0 where it has no hierarchy."),
            "ncp": a_number("Normalized certainty penalty of the level.", minimum=0, maximum=1),
        },
    )
    return an_object(
        "A change with which the table passes the whole policy.",
        {
            "columns": a_list(coarser, "The QIDs that it changes."),
            "left_out": a_count("Persons of whom records are left out."),
            "records_left_out": a_count("Records that are left out."),
            "suppress": a_number("The share that the policy has to grant for that.", minimum=0, maximum=1),
            "loss": a_number("NCP × share kept + share left out, the mean over QIDs.", minimum=0, maximum=1),
            "lines": a_list(a_text("A line."), "The lines of policy that make it."),
        },
    )
