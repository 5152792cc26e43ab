"""Pieces of a JSON Schema."""

from typing import Any

from qidguard.core.column import ValueType
from qidguard.core.kind import ColumnKind, Tier
from qidguard.core.role import DecidedBy, Role

Shape = dict[str, Any]


def an_object(description: str, properties: Shape) -> Shape:
    """Return an object that has all of these fields and no other."""
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def a_text(description: str) -> Shape:
    """Return a text."""
    return {"type": "string", "description": description}


def a_flag(description: str) -> Shape:
    """Return true or false."""
    return {"type": "boolean", "description": description}


def a_count(description: str) -> Shape:
    """Return a whole number from 0 on."""
    return {"type": "integer", "minimum": 0, "description": description}


def a_number(description: str, **limits: float) -> Shape:
    """Return a number within its limits."""
    return {"type": "number", **limits, "description": description}


def one_of(values: list[str], description: str) -> Shape:
    """Return one of some texts."""
    return {"enum": values, "description": description}


def a_list(items: Shape, description: str) -> Shape:
    """Return a list of one shape."""
    return {"type": "array", "items": items, "description": description}


def nullable(shape: Shape) -> Shape:
    """Return a shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


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


def isolated_shape() -> Shape:
    """Return the shape of whom releases isolate; only a table that misses a threshold over time has it."""
    one = isolated_over_time("Whom the table and its earlier releases isolate over one QID combination.")
    return a_list(one, "Whom releases isolate, where a threshold over time is missed; internal.")


def isolated_over_time(description: str) -> Shape:
    """Return the shape of whom releases isolate over one combination."""
    by_release = an_object(
        "One earlier release.",
        {
            "release_id": a_text("Its name."),
            "isolated": _counts("Whom the table isolates with this release alone."),
        },
    )
    return an_object(
        description,
        {
            "combination": a_text("The QID combination's name."),
            "qids": a_list(a_text("A column."), "The columns that make the table's classes."),
            "k": a_count("Persons that a joint class needs."),
            "most_recent": nullable(a_count("How many of the latest releases are looked at; null for all.")),
            "releases": a_count("Number of earlier releases that are looked at."),
            "followed": a_count("Persons of any of the releases, this table's included."),
            "isolated": _counts("Whom all releases together leave in a joint class below k."),
            "already": _counts("Of these, whom the earlier releases isolate by themselves."),
            "at_any_level": _counts("Of these, whom no change of levels helps."),
            "by_release": a_list(by_release, "Each earlier release, oldest first."),
            "together": _counts("Whom no earlier release isolates alone, but all of them do."),
        },
    )


def _counts(description: str) -> Shape:
    return an_object(
        description,
        {
            "persons": a_count("How many they are."),
            "left": a_count("In an earlier release, not in the table."),
            "came": a_count("In the table, in no earlier release."),
            "stayed": a_count("In both."),
        },
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
