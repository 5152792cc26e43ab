"""A receipt as plain values: what was done and lost, what was claimed and what was measured of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.attack import AttackResult, Rate
from qidguard.anonymizing.choosing import WeighedSolution, WeighedSolutions
from qidguard.anonymizing.reproduced import Reproduced
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Direction
from qidguard.core.new_table import NewTableFacts
from qidguard.core.privacy_document import privacy_document
from qidguard.rendering.document import new_table_document
from qidguard.rendering.figure import argument, finite

if TYPE_CHECKING:
    from qidguard.anonymizing.receipt import Receipt
    from qidguard.trials.measuring import MeasuredClaim


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
        "anonymizer": receipt.anonymizer,
        "title": receipt.title,
        "plugin": receipt.owner,
        "arguments": part_document(receipt.arguments),
        "is_always": receipt.is_always,
        "is_rehearsal": receipt.is_rehearsal,
        "choice": part_document(receipt.choice),
        "seed": receipt.seed,
        "records_before": receipt.records_before,
        "records_after": receipt.records_after,
        "records_suppressed": receipt.records_suppressed,
        "suppressed_by": dict(receipt.suppressed_by),
        "cells_changed": dict(receipt.cells_changed),
        "columns_dropped": list(receipt.columns_dropped),
        "privacy": None if receipt.privacy is None else privacy_document(receipt.privacy),
        "guarantees": [_claim(claim) for claim in claims],
        "attacks": part_document(receipt.attacks),
        "new_table": part_document(receipt.new_table),
        "reproduced": [_reproduced(one) for one in receipt.reproduced],
        "limits_taken": dict(receipt.limits_taken),
        "warnings": list(receipt.warnings),
        "notes": list(receipt.notes),
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
        "metric": figure.metric,
        "title": figure.title,
        "value": value,
        "unit": figure.unit,
        "qids": list(figure.qids),
        "sensitive": figure.sensitive,
        "arguments": part_document(figure.arguments),
        "reason": figure.reason or remark,
        "is_fault": figure.is_fault,
    }


def _reproduced(found: Reproduced) -> dict[str, Any]:
    return {
        "over": found.over,
        "columns": list(found.columns),
        "new_records": found.new_records,
        "equal": found.equal,
        "share": found.share,
        "by_class_size": [
            {"from": one.smallest, "to": one.largest, "records": one.records, "reproduced": one.reproduced}
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
        "qids": list(guarantee.qids),
        "sensitive": guarantee.sensitive,
        "parameters": part_document(guarantee.parameters),
        "measured": value,
        "unit": figure.unit,
        "reason": figure.reason or remark,
        "is_kept": claim.is_kept,
    }


def _attack(result: AttackResult) -> dict[str, Any]:
    return {
        "attack": result.attack,
        "arguments": part_document(result.arguments),
        "published": _rate(result.published),
        "control": None if result.control is None else _rate(result.control),
        "excess": finite(result.excess)[0],
        "excess_low": finite(result.excess_low)[0],
        "excess_high": finite(result.excess_high)[0],
        "people": finite(result.people)[0],
        "sentence": result.sentence,
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "successes": rate.successes,
        "trials": rate.trials,
        "share": rate.share,
        "low": rate.low,
        "high": rate.high,
        "confidence": rate.confidence,
    }


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
