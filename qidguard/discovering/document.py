"""A discovery as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
import math
from importlib import resources
from typing import TYPE_CHECKING, Any

from qidguard.core.recognizer import RoleProposal
from qidguard.core.result_table import ResultTable
from qidguard.discovering.answered import choice_sentence
from qidguard.discovering.found import ColumnFinding, EntryStep, FoundSet

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
    return {
        "format": FORMAT,
        "source": discovery.source,
        "table": {
            "records": discovery.records,
            "entities": discovery.entities,
            "columns": len(discovery.columns),
        },
        "quasi_identifiers": list(discovery.quasi_identifiers),
        "sets": [_set(one) for one in discovery.sets],
        "front": [_set(one) for one in discovery.front],
        "without_preference": None
        if discovery.without_preference is None
        else _set(discovery.without_preference),
        "explained": [[_entry(entry) for entry in way] for way in discovery.explained],
        "columns": [_column(column) for column in discovery.columns],
        "roles": [
            {"column": r.column, "role": r.role.value, "decided_by": r.decided_by.value, "reason": r.reason}
            for r in discovery.roles()
        ],
        "choice": _choice(discovery),
        "classification": [_classified(one) for one in discovery.classification],
        "tables": [_result_table(table) for table in discovery.tables],
        "plots": [{"title": plot.title, "alternative": plot.alternative} for plot in discovery.plots],
        "truth": None if discovery.truth is None else list(discovery.truth),
        "scores_with_names": dict(discovery.with_names),
        "objective": {
            "name": discovery.objective,
            "terms": [
                {
                    "metric": term.metric,
                    "title": term.title,
                    "unit": term.unit.value,
                    "weight": term.weight,
                    "attribute": term.attribute,
                    "is_divisor": term.is_divisor,
                    "is_change": term.is_change,
                }
                for term in discovery.terms
            ],
        },
        "search": _search(discovery),
        "plan": {
            "path": discovery.plan.path.value,
            "reason": discovery.plan.reason,
            "seconds": {path.value: _number(seconds) for path, seconds in discovery.plan.seconds.items()},
            "bytes": discovery.plan.bytes,
        },
        "notes": list(discovery.notes),
        "engine": discovery.engine,
        "versions": dict(sorted(discovery.versions.items())),
        "seconds": round(discovery.seconds, 6),
    }


def _choice(discovery: "Discovery") -> dict[str, Any] | None:
    choice = discovery.search.choice
    if choice is None:
        return None
    return {
        "reason": choice.reason,
        "sentence": choice_sentence(discovery),
        "fittest": [name for name in discovery.names if name in choice.fittest.qids],
        "fittest_fitness": _number(choice.fittest.own_fitness),
    }


def _classified(proposal: RoleProposal) -> dict[str, Any]:
    said = proposal.assignment
    return {
        "column": said.column,
        "role": said.role.value,
        "confidence": float(proposal.confidence),
        "reason": said.reason,
    }


def _result_table(table: ResultTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows],
        "note": table.note,
    }


def _search(discovery: "Discovery") -> dict[str, Any]:
    search = discovery.search
    return {
        "strategy": discovery.strategy,
        "strategy_reason": discovery.strategy_reason,
        "parameters": dict(discovery.parameters),
        "seed": search.seed,
        "budget_seconds": discovery.budget_seconds,
        "largest": discovery.largest,
        "evaluations": search.evaluations,
        "is_optimum": search.is_optimum,
        "stopped_by": search.stopped_by.value,
        "said": search.reason,
        "seconds": round(search.seconds, 6),
        "evolution": [
            {
                "evaluations": moment.evaluations,
                "best": _number(moment.best),
                "mean": _number(moment.mean),
                "seconds": round(moment.seconds, 6),
            }
            for moment in search.evolution
        ],
        "state": {name: [_number(value) for value in values] for name, values in search.state.items()},
    }


def _set(one: FoundSet) -> dict[str, Any]:
    return {
        "quasi_identifiers": list(one.qids),
        "fitness": _number(one.fitness),
        "preferred_fitness": _figure(one.preferred_fitness),
        "figures": [_figure(figure) for figure in one.figures],
        "scores": dict(one.scores),
    }


def _entry(entry: EntryStep) -> dict[str, Any]:
    return {
        "columns": list(entry.columns),
        "fitness": _number(entry.fitness),
        "gain": None if entry.gain is None else _number(entry.gain),
        "figures": [_figure(figure) for figure in entry.figures],
        "moves": [_figure(move) for move in entry.moves],
    }


def _column(column: ColumnFinding) -> dict[str, Any]:
    known = column.known
    return {
        "name": column.facts.name,
        "type": column.facts.value_type.value,
        "distinct": column.facts.distinct,
        "missing": column.facts.missing,
        "is_candidate": not column.why_not,
        "why_not": column.why_not,
        "is_found": column.is_found,
        "share": column.share,
        "plausibility": None
        if column.plausibility is None
        else {"share": column.plausibility.share, "why": column.plausibility.why},
        "known": None
        if known is None
        else {"role": known.role.value, "decided_by": known.decided_by.value, "reason": known.reason},
    }


def _figure(value: float | None) -> float | None:
    return None if value is None else _number(value)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
