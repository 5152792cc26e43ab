"""A comparison as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from qidguard.rendering.document import new_table_document
from qidguard.rendering.figure import argument, finite
from qidguard.trials.receipt_document import attack_document

if TYPE_CHECKING:
    from qidguard.core.measurement import Measurement
    from qidguard.trials.comparing.comparison import Comparison
    from qidguard.trials.comparing.recommendation import MethodRecommendation
    from qidguard.trials.comparing.row import MethodRow


FORMAT = "qidguard-comparison/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""

FILE = "comparison-1.schema.json"
"""Name of the published schema beside this module."""


def published_comparison_schema() -> str:
    """Return the text of the published schema, as it lies in the package.

    Returns:
        JSON text with a line feed at its end.

    Example:
        >>> FORMAT in published_comparison_schema()
        True
    """
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def json_text(comparison: "Comparison") -> str:
    """Return the document as JSON text.

    Args:
        comparison: The comparison.

    Returns:
        What ``qidguard schema comparison`` describes, with a line feed at its end.

    Units:
        Figures in their metric's unit; shares 0..1; seconds; bytes.
    """
    return json.dumps(document(comparison), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(comparison: "Comparison") -> dict[str, Any]:
    """Return the comparison as plain values that JSON knows, in a fixed order.

    Args:
        comparison: The comparison.

    Returns:
        The document; it is internal, for it holds the seed.

    Units:
        As in ``json_text``.
    """
    best = comparison.best
    return {
        "format": FORMAT,
        "source": comparison.source,
        "policy": comparison.policy,
        "records": comparison.records,
        "exit_code": int(comparison.exit_code),
        "best": None if best is None else best.label,
        "recommendation": _recommendation(comparison.recommendation),
        "frontier": [row.label for row in comparison.frontier],
        "original": _row(comparison.original),
        "methods": [_row(row) for row in comparison.methods],
        "limits": {name: finite(value)[0] for name, value in comparison.limits.items()},
        "seed": comparison.seed,
        "is_interrupted": comparison.is_interrupted,
        "versions": dict(sorted(comparison.versions.items())),
    }


def _recommendation(found: "MethodRecommendation | None") -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "label": found.label,
        "leads": list(found.leads),
        "behind": [
            {
                "metric": one.metric,
                "value": finite(one.value)[0],
                "best": one.best,
                "least": finite(one.least)[0],
            }
            for one in found.behind
        ],
        "warnings": list(found.warnings),
    }


def _row(row: "MethodRow") -> dict[str, Any]:
    return {
        "label": row.label,
        "method": row.method,
        "arguments": {name: argument(value) for name, value in row.arguments.items()},
        "status": row.status.value,
        "is_passed": row.is_passed,
        "sentences": list(row.sentences),
        "figures": {name: finite(value)[0] for name, value in row.figures.items()},
        "utility": [_loss(measured) for measured in row.utility],
        "records_suppressed": row.records_suppressed,
        "cells_changed": row.cells_changed,
        "changed_share": row.changed_share,
        "attacks": [attack_document(attack) for attack in row.attacks],
        "seconds": None if row.seconds is None else round(row.seconds, 6),
        "peak_bytes": row.peak_bytes,
        "would_charge": row.would_charge,
        "noised": list(row.noised),
        "new_table": None if row.new_table is None else new_table_document(row.new_table),
    }


def _loss(measurement: "Measurement") -> dict[str, Any]:
    value, remark = finite(measurement.value)
    return {
        "metric": measurement.metric,
        "title": measurement.title,
        "value": value,
        "unit": measurement.unit,
        "sensitive": measurement.sensitive,
        "reason": measurement.reason or remark,
    }
