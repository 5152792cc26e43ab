"""A plan of a series as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any

from qidguard.core.parameter import plain

if TYPE_CHECKING:
    from qidguard.planning.figures import KeptSeries, ReleaseFigures
    from qidguard.planning.series_plan import SeriesPlan

FORMAT = "qidguard-series-plan/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""

FILE = "series-plan-1.schema.json"
"""Name of the published schema beside this module."""
_DIGITS = 6


def published_series_plan_schema() -> str:
    """Return the text of the published schema, as it lies in the package.

    Returns:
        JSON text with a line feed at its end.

    Example:
        >>> FORMAT in published_series_plan_schema()
        True
    """
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def json_text(plan: "SeriesPlan") -> str:
    """Return the document as JSON text, with a line feed at its end."""
    return json.dumps(document(plan), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(plan: "SeriesPlan") -> dict[str, Any]:
    """Return a plan as plain values that JSON knows, in a fixed order; shares are 0..1."""
    best = plan.ranked[0].label if plan.ranked else None
    return {
        "format": FORMAT,
        "source": plan.source,
        "policy": plan.policy,
        "quasi_identifiers": list(plan.qids),
        "persons": plan.persons,
        "k": plan.k,
        "turnover": asdict(plan.turnover),
        "releases": plan.releases,
        "true_releases": plan.true_releases,
        "exit_code": int(plan.exit_code),
        "best": best,
        "ranked": [way.label for way in plan.ranked],
        "ways": [_way(way) for way in plan.ways],
        "plain_method": plan.plain_method,
        "alone": [round(loss, _DIGITS) for loss in plan.alone],
        "remarks": list(plan.remarks),
        "seed": plan.seed,
        "is_interrupted": plan.is_interrupted,
        "versions": dict(sorted(plan.versions.items())),
    }


def _way(way: "KeptSeries") -> dict[str, Any]:
    keeping = way.keeping
    return {
        "label": way.label,
        "anonymizer": keeping.method.name,
        "parameters": {name: plain(value) for name, value in keeping.method.parameters.items()},
        "is_exit_known": keeping.is_exit_known,
        "is_had": way.is_had,
        "reason": way.reason or None,
        "ncp_mean": round(way.ncp_mean, _DIGITS) if way.releases else None,
        "loss_mean": round(way.loss_mean, _DIGITS) if way.releases else None,
        "releases": [release_document(one) for one in way.releases],
    }


def release_document(one: "ReleaseFigures") -> dict[str, Any]:
    """Return the figures of a release, in the order of their fields; the loss is 0..1, time in seconds."""
    return asdict(one) | {"ncp": round(one.ncp, _DIGITS), "seconds": round(one.seconds, _DIGITS)}
