"""A discovery as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
import math
from typing import Any

from qidguard.discovering.discovery import Discovery
from qidguard.discovering.found import ColumnFinding, Entry, FoundSet
from qidguard.discovering.schema import FORMAT


def json_text(found: Discovery) -> str:
    """Return the document as JSON text.

    Args:
        found: The discovery.

    Returns:
        What ``qidguard schema discovery`` describes, with a line feed at its end.

    Units:
        Figures in their metric's unit, which stands beside them; shares and scores 0..1; seconds.

    Example:
        >>> from qidguard.discovering.example import small
        >>> json.loads(json_text(small()))["quasi_identifiers"]
        ['age', 'ward']
    """
    return json.dumps(document(found), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(found: Discovery) -> dict[str, Any]:
    """Return the discovery as plain values that JSON knows, in a fixed order.

    Args:
        found: The discovery.

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
        "source": found.source,
        "table": {
            "records": found.records,
            "entities": found.entities,
            "columns": len(found.columns),
        },
        "quasi_identifiers": list(found.quasi_identifiers),
        "sets": [_set(one) for one in found.sets],
        "front": [_set(one) for one in found.front],
        "explained": [[_entry(entry) for entry in way] for way in found.explained],
        "columns": [_column(column) for column in found.columns],
        "roles": [
            {"column": r.column, "role": r.role.value, "decided_by": r.decided_by.value, "reason": r.reason}
            for r in found.roles()
        ],
        "truth": None if found.truth is None else list(found.truth),
        "scores_with_names": dict(found.with_names),
        "objective": {
            "name": found.objective,
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
                for term in found.terms
            ],
        },
        "search": _search(found),
        "plan": {
            "path": found.plan.path.value,
            "reason": found.plan.reason,
            "seconds": {path.value: _number(seconds) for path, seconds in found.plan.seconds.items()},
            "bytes": found.plan.bytes,
        },
        "notes": list(found.notes),
        "engine": found.engine,
        "versions": dict(sorted(found.versions.items())),
        "seconds": round(found.seconds, 6),
    }


def _search(found: Discovery) -> dict[str, Any]:
    search = found.search
    return {
        "strategy": found.strategy,
        "strategy_reason": found.strategy_reason,
        "parameters": dict(found.parameters),
        "seed": search.seed,
        "budget_seconds": found.budget_seconds,
        "largest": found.largest,
        "evaluations": search.evaluations,
        "is_optimum": search.is_optimum,
        "stopped_by": search.stopped_by.value,
        "said": search.said,
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
        "figures": [_figure(figure) for figure in one.figures],
        "scores": dict(one.scores),
    }


def _entry(entry: Entry) -> dict[str, Any]:
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
        "known": None
        if known is None
        else {"role": known.role.value, "decided_by": known.decided_by.value, "reason": known.reason},
    }


def _figure(value: float | None) -> float | None:
    return None if value is None else _number(value)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
