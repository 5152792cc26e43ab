"""A trial and its receipt as plain values: what was done and lost, claimed and measured."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.attack import AttackResult
from qidguard.anonymizing.choosing import WeighedSolution, WeighedSolutions
from qidguard.anonymizing.reproduced import Reproduced
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Direction
from qidguard.core.new_table import NewTableFacts
from qidguard.core.privacy_document import privacy_document
from qidguard.rendering.document import document, new_table_document
from qidguard.rendering.figure import argument, finite, told

if TYPE_CHECKING:
    from qidguard.anonymizing.receipt import Receipt
    from qidguard.trials.measuring import MeasuredClaim
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


def trial_json(trial: "Trial", written: str | None = None, advice: Mapping[str, Any] | None = None) -> str:
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


def receipt_document(receipt: "Receipt", claims: "Sequence[MeasuredClaim]" = ()) -> dict[str, Any]:
    """Return what a remedy did as plain values, its seed among them.

    Args:
        receipt: The receipt.
        claims: What its anonymizer claims, measured.

    Returns:
        Counts, names and sentences; no value of the table.

    Units:
        Records, cells, seconds, bytes; figures in the unit beside them; rates are shares 0..1.

    Example:
        >>> from qidguard.anonymizing.receipt import Receipt
        >>> done = Receipt(
        ...     anonymizer="mondrian",
        ...     owner="plugin",
        ...     arguments={"k": 5},
        ...     seed=1,
        ...     records_before=10,
        ...     records_after=9,
        ...     suppressed_by={},
        ...     cells_changed={"age": 7, "sex": 0},
        ... )
        >>> receipt_document(done)["cells_changed"]
        {'age': 7, 'sex': 0}
    """
    return {
        **told(receipt, "anonymizer", "title"),
        "plugin": receipt.owner,
        "arguments": part_document(receipt.arguments),
        **told(receipt, "is_always", "is_rehearsal"),
        "choice": part_document(receipt.choice),
        **told(receipt, "seed", "records_before", "records_after", "records_suppressed"),
        **told(receipt, "suppressed_by", "cells_changed", "columns_dropped"),
        "privacy": None if receipt.privacy is None else privacy_document(receipt.privacy),
        "guarantees": [_claim(claim) for claim in claims],
        "attacks": part_document(receipt.attacks),
        "new_table": part_document(receipt.new_table),
        "reproduced": [_reproduced(one) for one in receipt.reproduced],
        **told(receipt, "limits_taken", "warnings", "notes"),
        "seconds": round(receipt.seconds, 6),
        "peak_bytes": receipt.peak_bytes,
    }


def part_document(part: Any) -> Any:  # noqa: PLR0911 - a line for each kind
    """Return what a trial found as plain values that JSON knows; it holds no value of the table.

    Args:
        part: What an attack found, a new table, solutions that were weighed, a loss; a parameter's value;
            a sequence of such, or a mapping of names to such.

    Returns:
        The same as the receipt and the trial's document say of it; no infinity and no NaN.

    Units:
        Figures in the unit beside them; rates are shares 0..1.

    Example:
        >>> from qidguard.sdk import part_document
        >>> part_document({"k": 5, "most": float("inf"), "of": ("age", "sex")})
        {'k': 5, 'most': 'infinite', 'of': ['age', 'sex']}
    """
    if isinstance(part, AttackResult):
        return _attack(part)
    if isinstance(part, NewTableFacts):
        return new_table_document(part)
    if isinstance(part, WeighedSolutions):
        return _choice(part)
    if isinstance(part, Measurement):
        return _loss(part)
    if isinstance(part, Mapping):
        return {name: part_document(given) for name, given in part.items()}
    if isinstance(part, (tuple, list)):
        return [part_document(one) for one in part]
    return argument(part)


def _loss(figure: Measurement) -> dict[str, Any]:
    value, remark = finite(figure.value)
    return {
        **told(figure, "metric", "title"),
        "value": value,
        **told(figure, "unit", "qids", "sensitive"),
        "arguments": part_document(figure.arguments),
        "reason": figure.reason or remark,
        "is_fault": figure.is_fault,
    }


def _reproduced(found: Reproduced) -> dict[str, Any]:
    return {
        **told(found, "over", "columns", "new_records", "equal", "share"),
        "by_class_size": [
            {"from": one.smallest, "to": one.largest, **told(one, "records", "reproduced")}
            for one in found.by_size
        ],
    }


def _claim(claim: "MeasuredClaim") -> dict[str, Any]:
    guarantee, figure = claim.guarantee, claim.measurement
    value, remark = finite(figure.value)
    return {
        "metric": guarantee.metric,
        "title": figure.title,
        "bound": guarantee.limit.bound.value,
        "limit": guarantee.limit.value,
        **told(guarantee, "qids", "sensitive"),
        "parameters": part_document(guarantee.parameters),
        "measured": value,
        "unit": figure.unit,
        "reason": figure.reason or remark,
        "is_kept": claim.is_kept,
    }


def _attack(result: AttackResult) -> dict[str, Any]:
    rates = {"published": result.published, "control": result.control}
    return {
        "attack": result.attack,
        "arguments": part_document(result.arguments),
        **{name: None if rate is None else told(rate, *_OF_RATE) for name, rate in rates.items()},
        **told(result, "excess", "excess_low", "excess_high", "people", "sentence"),
    }


_OF_RATE = ("successes", "trials", "share", "low", "high", "confidence")
_BETTER = {
    Direction.LOWER_IS_SAFER: "lower",
    Direction.HIGHER_IS_SAFER: "higher",
    Direction.NEITHER: None,
}


def _choice(weighed: WeighedSolutions) -> dict[str, Any]:
    """Return what was weighed: figures that were measured beside what the anonymizer claims."""
    first = weighed.solutions[0].figures
    return {
        "rule": weighed.rule,
        "why": weighed.why,
        "chosen": weighed.solutions[weighed.chosen].label,
        "knee": None if weighed.knee is None else weighed.solutions[weighed.knee].label,
        "measured": [
            {"name": name, "title": one.title, "unit": one.unit, "better": "lower" if sign > 0 else "higher"}
            for name, one, sign in zip(weighed.names, first, weighed.signs, strict=True)
        ],
        "claimed": [
            {"name": one.name, "title": one.title, "better": _BETTER[one.direction]}
            for one in weighed.claimed
        ],
        "solutions": [_solution(weighed, at, one) for at, one in enumerate(weighed.solutions)],
    }


def _solution(weighed: WeighedSolutions, at: int, one: WeighedSolution) -> dict[str, Any]:
    return {
        "label": one.label,
        "is_chosen": at == weighed.chosen,
        "is_knee": at == weighed.knee,
        "is_on_front": at in weighed.front,
        "meets_policy": one.is_met,
        "limits_missed": one.missed,
        "measured": {n: finite(m.value)[0] for n, m in zip(weighed.names, one.figures, strict=True)},
        "claimed": {name: finite(float(value))[0] for name, value in one.claims.items()},
    }
