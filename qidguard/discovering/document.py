"""A discovery as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from qidguard.discovering.found import ColumnFinding, FoundSet
from qidguard.discovering.wording import choice_sentence
from qidguard.rendering.figure import finite, told

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery

FORMAT = "qidguard-discovery/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""

FILE = "discovery-1.schema.json"
"""Name of the published schema beside this module."""


def published_discovery_schema() -> str:
    """Return the text of the published schema, as it lies in the package.

    Returns:
        JSON text with a line feed at its end.

    Example:
        >>> FORMAT in published_discovery_schema()
        True
    """
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def json_text(discovery: "Discovery") -> str:
    """Return the document as JSON text.

    Args:
        discovery: The discovery.

    Returns:
        What ``qidguard schema discovery`` describes, with a line feed at its end.

    Units:
        Figures in their metric's unit, which stands beside them; shares and scores 0..1; seconds.

    Example:
        >>> from qidguard.discovering.example import small
        >>> json.loads(json_text(small()))["quasi_identifiers"]
        ['age', 'ward']
    """
    return json.dumps(document(discovery), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(discovery: "Discovery") -> dict[str, Any]:
    """Return the discovery as plain values that JSON knows, in a fixed order.

    Args:
        discovery: The discovery.

    Returns:
        The document.

    Units:
        As in ``json_text``.

    Example:
        >>> from qidguard.discovering.example import small
        >>> document(small())["search"]["stopped_by"]
        'finished'
    """
    search, plain = discovery.search, discovery.without_preference
    return {
        "format": FORMAT,
        "source": discovery.source,
        "table": {**told(discovery, "records", "entities"), "columns": len(discovery.columns)},
        **told(discovery, "quasi_identifiers"),
        "sets": [_set(one) for one in discovery.sets],
        "front": [_set(one) for one in discovery.front],
        "without_preference": None if plain is None else _set(plain),
        "explained": [
            [told(entry, "columns", "fitness", "gain", "figures", "moves") for entry in way]
            for way in discovery.explained
        ],
        "columns": [_column(column) for column in discovery.columns],
        "roles": [told(role, "column", *_ROLE) for role in discovery.roles()],
        "choice": _choice(discovery),
        "classification": [
            {
                **told(one.assignment, "column", "role"),
                "confidence": float(one.confidence),
                "reason": one.assignment.reason,
            }
            for one in discovery.classification
        ],
        "tables": [told(table, "name", "title", "columns", "rows", "note") for table in discovery.tables],
        "plots": [told(plot, "title", "alternative") for plot in discovery.plots],
        **told(discovery, "truth"),
        "scores_with_names": dict(discovery.with_names),
        "objective": {
            "name": discovery.objective,
            "terms": [
                told(term, "metric", "title", "unit", "weight", "attribute", "is_divisor", "is_change")
                for term in discovery.terms
            ],
        },
        "search": {
            **told(discovery, "strategy", "strategy_reason", "parameters"),
            "seed": search.seed,
            **told(discovery, "budget_seconds", "largest"),
            **told(search, "evaluations", "is_optimum", "stopped_by"),
            "said": search.reason,
            "seconds": round(search.seconds, 6),
            "evolution": [
                {**told(moment, "evaluations", "best", "mean"), "seconds": round(moment.seconds, 6)}
                for moment in search.evolution
            ],
            **told(search, "state"),
        },
        "plan": told(discovery.plan, "path", "reason", "seconds", "bytes"),
        **told(discovery, "notes", "engine"),
        "versions": dict(sorted(discovery.versions.items())),
        "seconds": round(discovery.seconds, 6),
    }


_ROLE = ("role", "decided_by", "reason")


def _set(one: FoundSet) -> dict[str, Any]:
    return {
        "quasi_identifiers": list(one.qids),
        **told(one, "fitness", "preferred_fitness", "figures", "scores"),
    }


def _choice(discovery: "Discovery") -> dict[str, Any] | None:
    choice = discovery.search.choice
    if choice is None:
        return None
    return {
        "reason": choice.reason,
        "sentence": choice_sentence(discovery),
        "fittest": [name for name in discovery.names if name in choice.fittest.qids],
        "fittest_fitness": finite(choice.fittest.own_fitness)[0],
    }


def _column(column: ColumnFinding) -> dict[str, Any]:
    known, plausible = column.known, column.plausibility
    return {
        "name": column.facts.name,
        "type": column.facts.value_type.value,
        **told(column.facts, "distinct", "missing"),
        "is_candidate": not column.why_not,
        **told(column, "why_not", "is_found", "share"),
        "plausibility": None if plausible is None else told(plausible, "share", "why"),
        "known": None if known is None else told(known, *_ROLE),
    }
