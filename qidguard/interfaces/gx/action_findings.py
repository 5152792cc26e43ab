"""A validation result as findings for the ledger: figures and sentences, never a value of the table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qidguard.core.errors import ExitCode
from qidguard.host import load_host
from qidguard.releasing.findings import Findings
from qidguard.releasing.job import checked_name
from qidguard.report.printable import visible

WHOLE = "expect_table_to_meet_privacy_policy"
_OURS = frozenset(
    {
        WHOLE,
        "expect_table_columns_to_be_as_approved",
        "expect_table_k_anonymity_to_be_at_least",
        "expect_table_l_diversity_to_be_at_least",
        "expect_table_privacy_metric_to_be_within",
        "expect_table_reidentification_risk_to_be_at_most",
        "expect_table_share_at_risk_to_be_at_most",
        "expect_table_t_closeness_to_be_at_most",
    }
)
_FIGURE = ("metric", "qids", "sensitive", "arguments", "bound", "limit")
"""What tells one figure from another; a figure that stands alone and in the whole verdict is kept once."""


def findings_of_result(result: Any, policy_sha256: str | None = None) -> Findings:
    """Return what one validation result says, as the ledger keeps it.

    Args:
        result: A validation result of a suite.
        policy_sha256: The policy whose verdict has to be among the results; None is content with any
            expectation on privacy.

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
    ours = [one for one in result.results if _type(one) in _OURS]
    wholes = [one for one in ours if _type(one) == WHOLE]
    documents = [found for one in wholes if (found := _mapping(_details(one).get("document")))]
    blocks = list(dict.fromkeys(_blocks(result.results, documents)))
    lack = lack_of_verdict(result, policy_sha256)
    blocks += [lack] if lack else []
    is_passed = bool(result.success) and not blocks
    return Findings(
        outcome="passed" if is_passed else "blocked",
        exit_code=_exit_code(ours, is_passed=is_passed),
        source=source_of(result),
        records=_first(ours, "records"),
        entities=_first(ours, "entities"),
        policy=_policy(wholes, documents),
        figures=_figures(ours, documents),
        blocks=blocks,
        versions=_mapping(documents[0].get("versions")) if documents else load_host().versions,
    )


def lack_of_verdict(result: Any, policy_sha256: str | None) -> str:
    """Return why a validation result is no verdict on privacy; empty where it is one.

    Args:
        result: A validation result of a suite.
        policy_sha256: The policy whose verdict has to be among the results; None is content with any
            expectation on privacy.

    Returns:
        A sentence with its remedy, or nothing.

    Units:
        None.

    Raises:
        AttributeError: When it is no validation result.

    Example:
        >>> from great_expectations.core import ExpectationSuiteValidationResult
        >>> empty = ExpectationSuiteValidationResult(
        ...     success=True, results=[], suite_name="visits", statistics={}, meta={}
        ... )
        >>> lack_of_verdict(empty, "ab")[:57]
        'The suite visits was run without the verdict of its polic'
    """
    remedy = "import qidguard.interfaces.gx before the suite is loaded, or export"
    if policy_sha256 is None:
        is_judged = any(_type(one) in _OURS for one in result.results)
        lack = "No expectation of the suite is on privacy, so nothing was judged"
        return "" if is_judged else f"{lack}; {remedy} a policy to it."
    wholes = [one.expectation_config.kwargs for one in result.results if _type(one) == WHOLE]
    if any(given.get("policy_sha256") == policy_sha256 for given in wholes):
        return ""
    suite = visible(str(result.suite_name))
    return f"The suite {suite} was run without the verdict of its policy; {remedy} the policy again."


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
        details = _details(one)
        if _type(one) not in _OURS:
            # built-in expectations carry values of the table; their type is all that is kept
            yield f"{visible(_type(one))} is not met."
        elif not _mapping(details.get("threshold")) and not _mapping(details.get("document")):
            yield str(details.get("reason") or f"{_type(one)} is not met.")
        elif _mapping(details.get("threshold")) and details["threshold"].get("is_met"):
            yield str(details.get("reason") or f"{_type(one)} is in doubt.")


def _figures(ours: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    whole = [figure for said in documents for figure in said.get("thresholds", ())]
    alone = [figure for one in ours if (figure := _mapping(_details(one).get("threshold")))]
    found: dict[str, Mapping[str, Any]] = {}
    for figure in (*whole, *alone):
        found.setdefault(repr([figure.get(name) for name in _FIGURE]), figure)
    return list(found.values())


def _policy(wholes: Sequence[Any], documents: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    said = _mapping(documents[0].get("policy")) if documents else {}
    if not said:
        return None
    approved = _mapping(_mapping(wholes[0].expectation_config.meta).get("qidguard"))
    return {
        "name": said.get("name"),
        "sha256": approved.get("sha256") or said.get("sha256"),
        "preset": said.get("preset"),
    }


def _exit_code(ours: Sequence[Any], *, is_passed: bool) -> int:
    if is_passed:
        return ExitCode.PASSED
    codes = {_details(one).get("exit_code") for one in ours}
    has_raised = any(_mapping(one.exception_info).get("raised_exception") for one in ours)
    is_internal = has_raised or ExitCode.INTERNAL_ERROR in codes
    return ExitCode.INTERNAL_ERROR if is_internal else ExitCode.BLOCKED


def _first(ours: Sequence[Any], name: str) -> int | None:
    found = (_details(one).get(name) for one in ours)
    return next((number for number in found if isinstance(number, int)), None)


def _type(one: Any) -> str:
    return str(one.expectation_config.type)


def _details(one: Any) -> Mapping[str, Any]:
    return _mapping((one.result or {}).get("details"))


def _batch(result: Any) -> Mapping[str, Any]:
    return _mapping((result.meta or {}).get("active_batch_definition"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
