"""A validation result as findings for the ledger: figures and sentences, never a value of the table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qidguard.core.errors import ExitCode
from qidguard.host import load_host
from qidguard.interfaces.gx.one_result import OURS, WHOLE, details_of, has_raised, mapping, mark_of, type_of
from qidguard.interfaces.gx.required import ANY, Required, lack_of_verdict
from qidguard.releasing.findings import Findings
from qidguard.releasing.job import checked_name
from qidguard.report.printable import visible

_FIGURE = ("metric", "qids", "sensitive", "arguments", "bound", "limit")
"""What tells one figure from another; a figure that stands alone and in the whole verdict is kept once."""


def findings_of_result(result: Any, required: Required = ANY) -> Findings:
    """Return what one validation result says, as the ledger keeps it.

    Args:
        result: A validation result of a suite.
        required: The policy whose verdict has to be among the results.

    Returns:
        The findings. A suite without an expectation on privacy is blocked: nothing was judged.

    Units:
        Figures in their metric's unit.

    Raises:
        AttributeError: When it is no validation result.

    Example:
        >>> from great_expectations.core import ExpectationSuiteValidationResult
        >>> empty = ExpectationSuiteValidationResult(
        ...     success=True, results=[], suite_name="s", statistics={}, meta={}
        ... )
        >>> findings_of_result(empty).blocks
        ['No expectation of the suite is on privacy, so nothing was judged; import qidguard.interfaces.gx \
before the suite is loaded, or export a policy to it.']
    """
    ours = [one for one in result.results if type_of(one) in OURS]
    wholes = [one for one in ours if type_of(one) == WHOLE]
    documents = [found for one in wholes if (found := mapping(details_of(one).get("document")))]
    blocks = list(dict.fromkeys(_blocks(result.results, documents)))
    lack = lack_of_verdict(result, required)
    blocks += [lack] if lack else []
    is_passed = bool(result.success) and not blocks
    return Findings(
        outcome="passed" if is_passed else "blocked",
        exit_code=_exit_code(ours, is_passed=is_passed),
        source=source_of(result),
        records=_first(ours, "records"),
        entities=_first(ours, "entities"),
        policy=_policy(wholes, required),
        figures=_figures(ours, documents),
        blocks=blocks,
        versions=mapping(documents[0].get("versions")) if documents else load_host().versions,
    )


def source_of(result: Any) -> str:
    """Return data source and asset of a validation result, with a slash between them."""
    names = (_batch(result).get(name) for name in ("datasource_name", "data_asset_name"))
    return "/".join(visible(str(name)) for name in names if name) or "batch"


def data_set_of(result: Any, given: str | None) -> str:
    """Return the data set of a validation result: the name given, else that of its asset, made valid.

    Args:
        result: A validation result of a suite.
        given: A name, or None.

    Returns:
        A name of letters, digits, dots, underscores and hyphens.

    Units:
        None.

    Raises:
        UserError: When the name given cannot be a data set's.

    Example:
        >>> data_set_of(None, "visits")
        'visits'
    """
    if given is not None:
        return checked_name(given, "data set")
    asset = str(_batch(result).get("data_asset_name") or "")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", asset).lstrip(".-")[:100] or "table"


def _blocks(results: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for said in documents:
        yield from (str(block["sentence"]) for block in said.get("blocks", ()))
    for one in results:
        if one.success:
            continue
        details = details_of(one)
        if type_of(one) not in OURS:
            # built-in expectations carry values of the table; their type is all that is kept
            yield f"{visible(type_of(one))} is not met."
        elif not mapping(details.get("threshold")) and not mapping(details.get("document")):
            yield str(details.get("reason") or f"{type_of(one)} is not met.")
        elif mapping(details.get("threshold")) and details["threshold"].get("is_met"):
            yield str(details.get("reason") or f"{type_of(one)} is in doubt.")


def _figures(ours: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    whole = [figure for said in documents for figure in said.get("thresholds", ())]
    alone = [figure for one in ours if (figure := mapping(details_of(one).get("threshold")))]
    found: dict[str, Mapping[str, Any]] = {}
    for figure in (*whole, *alone):
        found.setdefault(repr([figure.get(name) for name in _FIGURE]), figure)
    return list(found.values())


def _policy(wholes: Sequence[Any], required: Required) -> Mapping[str, Any] | None:
    """Return the policy that was judged; what a file says of its review stands beside it, unproven."""
    judged = [
        (said, one)
        for one in wholes
        if required.is_met_by(one)
        and (said := mapping(mapping(details_of(one).get("document")).get("policy")))
    ]
    if not judged:
        return None
    said, one = judged[0]
    mark = mark_of(one.expectation_config)
    beside = {"approved_sha256": mark.get("sha256"), "reviewed_sha256": mark.get("reviewed_sha256")}
    return {
        **{name: said.get(name) for name in ("name", "sha256", "preset")},
        **{name: str(digest) for name, digest in beside.items() if digest is not None},
    }


def _exit_code(ours: Sequence[Any], *, is_passed: bool) -> int:
    if is_passed:
        return ExitCode.PASSED
    codes = {details_of(one).get("exit_code") for one in ours}
    is_internal = any(map(has_raised, ours)) or ExitCode.INTERNAL_ERROR in codes
    return ExitCode.INTERNAL_ERROR if is_internal else ExitCode.BLOCKED


def _first(ours: Sequence[Any], name: str) -> int | None:
    found = (details_of(one).get(name) for one in ours)
    return next((number for number in found if isinstance(number, int)), None)


def _batch(result: Any) -> Mapping[str, Any]:
    return mapping((result.meta or {}).get("active_batch_definition"))
