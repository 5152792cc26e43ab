"""A validation result as the ledger keeps it: figures and sentences, never a value of the table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from qidguard.core.errors import ExitCode
from qidguard.host import load_host
from qidguard.interfaces.gx.kind import is_ours, is_whole, type_of
from qidguard.interfaces.gx.required import (
    ANY,
    Required,
    details_of,
    has_failed,
    mapping,
    mark_of,
    why_no_verdict,
)
from qidguard.ledger.listed import AdviceTold
from qidguard.ledger.payloads import Checked, PolicyUsed
from qidguard.policy.origin import value_digest
from qidguard.releasing.context import checked_name, new_audit_id, responsible
from qidguard.releasing.deciding.checked_entry import missed
from qidguard.rendering.printable import visible

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Names without a dot, so that one dot tells where the asset's begins."""

_MOST_LETTERS = 100

_FIGURE = ("metric", "qids", "sensitive", "arguments", "bound", "limit")
"""What tells one figure from another; a figure that stands alone and in the whole verdict is kept once."""


def checked_result(
    result: Any, required: Required = ANY, *, at: datetime, origin: Mapping[str, str] | None = None
) -> Checked:
    """Return the verdict of one validation result, under a new name, as the ledger keeps it.

    Example:
        >>> from datetime import UTC, datetime
        >>> from great_expectations.core import ExpectationSuiteValidationResult
        >>> empty = ExpectationSuiteValidationResult(
        ...     success=True, results=[], suite_name="s", statistics={}, meta={}
        ... )
        >>> checked_result(empty, at=datetime(2026, 11, 22, tzinfo=UTC)).blocks
        ('No expectation of the suite is on privacy, so nothing was judged; import qidguard.interfaces.gx \
before the suite is loaded, or export a policy to it.',)
    """
    judged = list(filter(is_ours, result.results))
    wholes = list(filter(is_whole, judged))
    documents = [
        document for expected in wholes if (document := mapping(details_of(expected).get("document")))
    ]
    blocks = list(dict.fromkeys(_blocks(result.results, documents)))
    reason = why_no_verdict(result, required)
    blocks += [reason] if reason else []
    is_passed = bool(result.success) and not blocks
    figures = _figures(judged, documents)
    return Checked(
        audit_id=new_audit_id(at),
        release_id=None,
        outcome="passed" if is_passed else "blocked",
        exit_code=int(_exit_code(judged, is_passed=is_passed)),
        source=source_of(result),
        records=_first(judged, "records"),
        entities=_first(judged, "entities"),
        policy=_policy(wholes, required),
        figures=tuple(figures),
        advice=_advice(wholes),
        missed=missed(figures),
        blocks=tuple(blocks),
        exceptions=(),
        versions=mapping(documents[0].get("versions")) if documents else load_host().versions,
        by=responsible(origin),
        record=None,
    )


def source_of(result: Any) -> str:
    """Return data source and asset of a validation result, with a slash between them."""
    names = (_batch(result).get(name) for name in ("datasource_name", "data_asset_name"))
    return "/".join(visible(str(name)) for name in names if name) or "batch"


def data_set_of(result: Any, given: str | None) -> str:
    """Return the data set of a validation result: the name given, else data source and asset.

    Tables of one name in two data sources are two data sets, so names that would become alike get a digest.
    """
    if given is not None:
        return checked_name(given, "data set")
    source, asset = (str(_batch(result).get(name) or "") for name in ("datasource_name", "data_asset_name"))
    if len(source + asset) < _MOST_LETTERS and _PLAIN.fullmatch(source) and _PLAIN.fullmatch(asset):
        return f"{source}.{asset}"
    alike = re.sub(r"[^A-Za-z0-9_]+", "-", f"{source}.{asset}").strip("-")[:80]
    return "-".join(filter(None, (alike, value_digest({"source": source, "asset": asset})[:12])))


def _advice(wholes: Sequence[Any]) -> AdviceTold | None:
    """Return what would make a blocked batch pass, as its whole verdict says; None where it says nothing."""
    told = (details_of(expected).get("advice") for expected in wholes)
    lines = next(([str(line) for line in some] for some in told if some), None)
    if lines is None:
        return None
    return {"sentence": (lines[1:] or lines)[0].strip(), "lines": lines}


def _blocks(results: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for document in documents:
        yield from (str(block["sentence"]) for block in document.get("blocks", ()))
    for expected in results:
        if expected.success:
            continue
        details = details_of(expected)
        if not is_ours(expected):
            # built-in expectations carry values of the table; their type is all that is kept
            yield f"{visible(type_of(expected))} is not met."
        elif not mapping(details.get("threshold")) and not mapping(details.get("document")):
            yield str(details.get("reason") or f"{type_of(expected)} is not met.")
        elif mapping(details.get("threshold")) and details["threshold"].get("is_met"):
            yield str(details.get("reason") or f"{type_of(expected)} is in doubt.")


def _figures(ours: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> list[Any]:
    whole = [figure for document in documents for figure in document.get("thresholds", ())]
    alone = [figure for expected in ours if (figure := mapping(details_of(expected).get("threshold")))]
    figures: dict[str, Mapping[str, Any]] = {}
    for figure in (*whole, *alone):
        figures.setdefault(repr([figure.get(name) for name in _FIGURE]), figure)
    return list(figures.values())


def _policy(wholes: Sequence[Any], required: Required) -> PolicyUsed | None:
    """Return the policy that was judged; what a file says of its review stands beside it, unproven."""
    judged = [
        (policy, expected)
        for expected in wholes
        if required.is_met_by(expected)
        and (policy := mapping(mapping(details_of(expected).get("document")).get("policy")))
    ]
    if not judged:
        return None
    policy, expected = judged[0]
    mark = mark_of(expected.expectation_config)
    reviewed = {"approved_sha256": mark.get("sha256"), "reviewed_sha256": mark.get("reviewed_sha256")}
    return PolicyUsed(
        **{name: policy.get(name) for name in ("name", "sha256", "preset")},
        **{name: str(digest) for name, digest in reviewed.items() if digest is not None},
    )


def _exit_code(ours: Sequence[Any], *, is_passed: bool) -> int:
    if is_passed:
        return ExitCode.PASSED
    codes = {details_of(expected).get("exit_code") for expected in ours}
    is_internal = any(map(has_failed, ours)) or ExitCode.INTERNAL_ERROR in codes
    return ExitCode.INTERNAL_ERROR if is_internal else ExitCode.BLOCKED


def _first(ours: Sequence[Any], name: str) -> int | None:
    numbers = (details_of(expected).get(name) for expected in ours)
    return next((number for number in numbers if isinstance(number, int)), None)


def _batch(result: Any) -> Mapping[str, Any]:
    return mapping((result.meta or {}).get("active_batch_definition"))
