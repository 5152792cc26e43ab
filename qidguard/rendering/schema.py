"""The JSON Schema of the audit document."""

import json
from importlib import resources
from typing import get_args

from qidguard.core.errors import ExitCode
from qidguard.core.new_table import NewTableKind
from qidguard.core.report import UndoneKind
from qidguard.core.verdict import Bound
from qidguard.rendering.document import FORMAT
from qidguard.rendering.shape import (
    Shape,
    a_count,
    a_flag,
    a_list,
    a_number,
    a_text,
    advice_shape,
    an_object,
    column_shape,
    isolated_shape,
    nullable,
    one_of,
    outside_shape,
)

FILE = "audit-1.schema.json"
"""Name of the published schema beside this module."""


def published_audit_schema() -> str:
    """Return the text of the published schema, as it lies in the package."""
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def audit_schema_text() -> str:
    """Return what the published schema must hold."""
    return json.dumps(audit_schema(), indent=2) + "\n"


def audit_schema() -> Shape:
    """Return the JSON Schema (draft 2020-12) of what ``--format json`` writes."""
    schema = an_object(
        "The result of one audit: counts, sizes, rates and column names, never values of the table.",
        {
            "format": {"const": FORMAT, "description": "Name and version of this document."},
            "source": a_text("What was audited, as the user named it."),
            "outcome": one_of(
                ["passed", "blocked", "described"], "described: no policy was given, so nothing was judged."
            ),
            "exit_code": {
                "enum": [int(code) for code in ExitCode],
                "description": "0 passed or described, 1 blocked, 3 blocked by a fault of our own.",
            },
            "policy": nullable(_policy()),
            "table": _table(),
            "is_auto": a_flag("Whether recognizers chose the QIDs."),
            "thresholds": a_list(_threshold(), "Every limit of the policy with its figure."),
            "blocks": a_list(_block(), "Reasons to block that are no threshold."),
            "undone": a_list(_undone(), "What published columns tell of generalized QIDs."),
            "read_backs": a_list(
                _read_back(),
                "The thresholds once what undoes a generalization is read back: where that decides, and"
                " where a person accepted it.",
            ),
            "outside_qids": nullable(outside_shape()),
            "accepted": a_list(_accepted(), "What the policy accepts of published columns."),
            "noised": a_list(_noised(), "The QID combinations with noise; empty where none is known."),
            "new_table": nullable(_new_table()),
            "classes": a_list(_classes(), "The equivalence classes of each QID combination."),
            "columns": a_list(column_shape(), "All columns in the table's order."),
            "notes": a_list(a_text("A sentence worth reading that does not block."), "Notes."),
            "engine": a_text("Name of the engine that read and grouped the table."),
            "versions": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Version of the host and of every plugin that was loaded, by name.",
            },
            "seconds": a_number("Wall time of the audit, in seconds.", minimum=0),
        },
    )
    # only where there is something to say, so that they are not required
    schema["properties"]["isolated"] = isolated_shape()
    schema["properties"]["advice"] = advice_shape()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{FORMAT.replace('/', ':')}",
        "title": FORMAT,
        **schema,
    }


def _new_table() -> Shape:
    return an_object(
        "What a table is whose records an anonymizer made anew; null where they are the source's.",
        {
            "kind": one_of([kind.value for kind in NewTableKind], "What its records are."),
            "counts": nullable(a_text("The column that holds the counts.")),
            "is_guaranteed": a_flag("Whether a guarantee of differential privacy covers it."),
            "sentence": a_text("What thresholds on it mean, and what protects, in words."),
        },
    )


def _policy() -> Shape:
    return an_object(
        "The policy that was judged by.",
        {
            "name": a_text("Its name."),
            "sha256": nullable(a_text("SHA-256 of its text, hexadecimal.")),
            "preset": nullable(a_text("The preset that it builds on.")),
        },
    )


def _table() -> Shape:
    return an_object(
        "The size of the table.",
        {
            "records": a_count("Number of records."),
            "entities": nullable(a_count("Number of entities; null without an entity column.")),
            "columns": a_count("Number of columns."),
            "person": one_of(["records", "entities"], "What counts as a person."),
        },
    )


def _threshold() -> Shape:
    return an_object(
        "One limit and its figure.",
        {
            "metric": a_text("The metric's name."),
            "title": a_text("The metric's title; empty where only its name is known."),
            "combination": a_text("The QID combination's name."),
            "qids": a_list(
                a_text("A column."), "The columns it was measured over; of a subset attack, the worst."
            ),
            "sensitive": nullable(a_text("The sensitive attribute.")),
            "arguments": {
                "type": "object",
                "additionalProperties": {"type": ["number", "string", "boolean"]},
                "description": "The metric's parameters.",
            },
            "value": nullable(a_number("The figure in `unit`, shares 0..1; null where `reason` says why.")),
            "reason": a_text("Why there is no value; empty where there is one."),
            "unit": a_text("records, entities, share, classes, values, columns, nats, bits, ratio or score."),
            "bound": one_of([bound.value for bound in Bound], "Which side of the limit is allowed."),
            "limit": a_number("The limit in `unit`; itself allowed."),
            "distance": nullable(a_number("value − limit in `unit`; null where there is no value.")),
            "is_met": a_flag("Whether the limit holds."),
            "is_warning": a_flag("Whether a missed limit only warns."),
            "is_fault": a_flag("Whether there is no value because a plugin failed."),
            "subsets": {
                **a_count("Number of QID subsets that were measured to find the worst."),
                "minimum": 1,
            },
            "noised": nullable(_noised_qids()),
            "interval": nullable(_interval()),
            "remark": a_text("What the metric says of an estimate; empty where it says nothing."),
            "sentence": a_text("The same in words."),
        },
    )


def _interval() -> Shape:
    return an_object(
        "Where the truth of an estimate lies; null for what was counted and where nobody can say.",
        {
            "low": a_number("Its lower end, in the figure's unit."),
            "high": a_number("Its upper end."),
            "confidence": a_number("Share of samples whose interval holds the truth, 0..1."),
        },
    )


def _noised_qids() -> Shape:
    return an_object(
        "How QIDs with noise were read; null where none has any.",
        {
            "over": a_list(a_text("A column."), "The columns that it was measured over, or any m of them."),
            "as_published": a_list(
                a_text("A column."), "Those of them with noise, as if an attacker knew what is published."
            ),
            "left_out": a_list(
                a_text("A column."),
                "The QIDs with noise that were left out; it says nothing of them.",
            ),
        },
    )


def _noised() -> Shape:
    return an_object(
        "A QID combination with columns that noise was drawn for.",
        {
            "combination": a_text("Its name."),
            "qids": a_list(a_text("A column."), "Its columns."),
            "noised": a_list(a_text("A column."), "Those with noise."),
            "sentence": a_text(
                "What can be learned of a value with noise, and over which columns limits were measured."
            ),
        },
    )


def _block() -> Shape:
    return an_object(
        "One reason.",
        {
            "rule": a_text("Short name of the rule."),
            "sentence": a_text("The rule, the value, the remedy."),
            "is_internal": a_flag("Whether a plugin or qidguard itself failed."),
        },
    )


def _undone() -> Shape:
    return an_object(
        "One published column, or two together, that undo the generalization of a QID.",
        {
            "columns": a_list(a_text("A published column."), "The columns that undo it."),
            "qid": a_text("The QID."),
            "kind": one_of(
                list(get_args(UndoneKind)),
                "What they do: tell its original values, be known to whoever knows these, or be finer.",
            ),
            "part": a_text("What is read in the columns, such as year; empty for their values."),
            "beside": nullable(a_text("A further QID that has to be known to know it.")),
            "persons": a_count(
                "Persons whose original value is told right, or of whom what is read is known."
            ),
            "generalized": a_count("Persons in whom the QID was generalized."),
            "precision": a_number("Share of what is told that is right.", minimum=0, maximum=1),
            "is_undone": a_flag("Whether so much is told that the QID counts as published."),
            "accepted": nullable(a_text("The words in which a person accepts it, and who.")),
            "sentence": a_text("The same in words."),
        },
    )


def _read_back() -> Shape:
    return an_object(
        "The thresholds over the table with what is told in its place.",
        {
            "columns": a_list(a_text("A published column."), "The columns that tell."),
            "qids": a_list(a_text("A QID."), "The QIDs that were read back."),
            "is_accepted": a_flag("Whether what a person accepted was read back, too; it blocks nothing."),
            "is_met": a_flag("Whether no threshold keeps the table back."),
            "thresholds": a_list(
                _threshold(), "The thresholds that can be measured again, none over time or on what was lost."
            ),
            "uniques": a_count("Persons who are alone in a class of the main combination."),
            "below": nullable(a_count("Persons in classes below the policy's k; null where it has none.")),
            "sentence": a_text("The same in words."),
        },
    )


def _accepted() -> Shape:
    return an_object(
        "What a person accepts.",
        {
            "columns": a_list(a_text("A published column."), "One column, or two together."),
            "tells": nullable(a_text("The QID that they tell; null where the column itself is accepted.")),
            "reason": a_text("Why, in words."),
            "by": nullable(a_text("Who accepts it.")),
            "is_needed": nullable(
                a_flag(
                    "Whether something would block or decide without it; null where nothing was transformed."
                )
            ),
        },
    )


def _classes() -> Shape:
    return an_object(
        "The classes of one QID combination.",
        {
            "combination": a_text("Its name."),
            "qids": a_list(a_text("A column."), "The columns."),
            "classes": a_count("Number of classes."),
            "smallest": a_count("Persons in the smallest class."),
            "uniques": a_count("Persons who are alone in a class."),
        },
    )
