"""A comparison as a JSON document: stable, versioned, and without a bare infinity or NaN."""

import json
from typing import TYPE_CHECKING, Any

from qidguard.comparing.schema import FORMAT
from qidguard.releasing.receipt_document import attack_document
from qidguard.report.document import argument, finite

if TYPE_CHECKING:
    from qidguard.comparing.comparison import Comparison
    from qidguard.comparing.row import MethodRow
    from qidguard.core.measurement import Measurement


def json_text(found: "Comparison") -> str:
    """Return the document as JSON text.

    Args:
        found: The comparison.

    Returns:
        What ``qidguard schema comparison`` describes, with a line feed at its end.

    Units:
        Figures in their metric's unit; shares 0..1; seconds; bytes.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(json_text).parameters)
        ['found']
    """
    return json.dumps(document(found), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(found: "Comparison") -> dict[str, Any]:
    """Return the comparison as plain values that JSON knows, in a fixed order.

    Args:
        found: The comparison.

    Returns:
        The document; it is internal, for it holds the seed.

    Units:
        As in ``json_text``.

    Raises:
        Nothing.

    Example:
        >>> import inspect
        >>> list(inspect.signature(document).parameters)
        ['found']
    """
    best = found.best
    return {
        "format": FORMAT,
        "source": found.source,
        "policy": found.policy,
        "records": found.records,
        "exit_code": int(found.exit_code),
        "best": None if best is None else best.label,
        "frontier": [row.label for row in found.frontier],
        "original": _row(found.original),
        "methods": [_row(row) for row in found.methods],
        "limits": {name: finite(value)[0] for name, value in found.limits.items()},
        "seed": found.seed,
        "is_interrupted": found.is_interrupted,
        "versions": dict(sorted(found.versions.items())),
    }


def _row(row: "MethodRow") -> dict[str, Any]:
    return {
        "label": row.label,
        "method": row.method,
        "arguments": {name: argument(value) for name, value in row.arguments.items()},
        "standing": row.standing.value,
        "is_passed": row.is_passed,
        "sentences": list(row.sentences),
        "figures": {name: finite(value)[0] for name, value in row.figures.items()},
        "utility": [_loss(one) for one in row.utility],
        "records_suppressed": row.records_suppressed,
        "cells_changed": row.cells_changed,
        "attacks": [attack_document(one) for one in row.attacks],
        "seconds": None if row.seconds is None else round(row.seconds, 6),
        "peak_bytes": row.peak_bytes,
    }


def _loss(one: "Measurement") -> dict[str, Any]:
    value, remark = finite(one.value)
    return {
        "metric": one.metric,
        "title": one.title,
        "value": value,
        "unit": one.unit,
        "sensitive": one.sensitive,
        "reason": one.reason or remark,
    }
