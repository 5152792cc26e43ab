"""A receipt as plain values: what was done and lost, what was claimed and what was measured of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.attack import AttackResult, Rate
from qidguard.anonymizing.reproduced import Reproduced
from qidguard.core.privacy_document import privacy_document
from qidguard.rendering.document import new_table_document
from qidguard.rendering.figure import argument, finite
from qidguard.trials.choice_document import choice_document

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
        "arguments": {name: argument(given) for name, given in receipt.arguments.items()},
        "is_always": receipt.is_always,
        "is_rehearsal": receipt.is_rehearsal,
        "choice": None if receipt.choice is None else choice_document(receipt.choice),
        "seed": receipt.seed,
        "records_before": receipt.records_before,
        "records_after": receipt.records_after,
        "records_suppressed": receipt.records_suppressed,
        "suppressed_by": dict(receipt.suppressed_by),
        "cells_changed": dict(receipt.cells_changed),
        "columns_dropped": list(receipt.columns_dropped),
        "privacy": None if receipt.privacy is None else privacy_document(receipt.privacy),
        "guarantees": [_claim(claim) for claim in claims],
        "attacks": [attack_document(attack) for attack in receipt.attacks],
        "new_table": None if receipt.new_table is None else new_table_document(receipt.new_table),
        "reproduced": [_reproduced(one) for one in receipt.reproduced],
        "limits_taken": dict(receipt.limits_taken),
        "warnings": list(receipt.warnings),
        "notes": list(receipt.notes),
        "seconds": round(receipt.seconds, 6),
        "peak_bytes": receipt.peak_bytes,
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
        "parameters": {name: argument(given) for name, given in guarantee.parameters.items()},
        "measured": value,
        "unit": figure.unit,
        "reason": figure.reason or remark,
        "is_kept": claim.is_kept,
    }


def attack_document(result: AttackResult) -> dict[str, Any]:
    """Return what an attack found as plain values; rates are shares 0..1."""
    return {
        "attack": result.attack,
        "arguments": {name: argument(given) for name, given in result.arguments.items()},
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
