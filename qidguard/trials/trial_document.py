"""A trial as plain values and as JSON."""

import json
from typing import TYPE_CHECKING, Any

from qidguard.rendering.document import document
from qidguard.trials.receipt_document import part_document, receipt_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qidguard.trials.trial import Trial

FORMAT = "qidguard-trial/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


def trial_document(trial: "Trial", written: str | None = None) -> dict[str, Any]:
    """Return a trial as plain values that JSON knows; it is internal, for it holds the seed.

    Args:
        trial: The trial.
        written: Where the transformed table was written; None where it was not.

    Returns:
        Verdicts before and after, the receipt and what was lost; no value of the table.

    Units:
        Figures in the unit beside them; shares 0..1; seconds; bytes.
    """
    return {
        "format": FORMAT,
        "outcome": "passed" if trial.is_passed else "blocked",
        "exit_code": int(trial.exit_code),
        "is_rehearsal": trial.is_rehearsal,
        "sentences": list(trial.sentences),
        "written": written,
        "audit_id": trial.audit_id,
        "before": document(trial.before),
        "receipt": None if trial.receipt is None else receipt_document(trial.receipt, trial.claims),
        "after": None if trial.after is None else document(trial.after),
        "utility": part_document(trial.utility),
    }


def trial_json(trial: "Trial", written: str | None = None, advice: "Mapping[str, Any] | None" = None) -> str:
    """Return the document of a trial as JSON text.

    Args:
        trial: The trial.
        written: Where the transformed table was written; None where it was not.
        advice: What would make the table pass, as plain values; None where there is none.

    Returns:
        Lines of text with a line feed after each.

    Units:
        As in ``trial_document``.
    """
    more = {} if advice is None else {"advice": dict(advice)}
    return json.dumps({**trial_document(trial, written), **more}, indent=2, allow_nan=False) + "\n"
