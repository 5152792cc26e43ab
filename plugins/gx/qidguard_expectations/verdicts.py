"""What a validation result says of privacy: whether there is a verdict, and what the ledger is told of it.

Great Expectations leaves out of a suite, with a line in the log alone, every expectation whose class was not
imported; what is left passes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from great_expectations.exceptions import ExpectationNotFoundError
from great_expectations.expectations.registry import (
    get_expectation_impl,
    list_registered_expectation_implementations,
)

from qidguard.sdk import ExitCode, PolicyUsed, ReachedVerdict, value_digest, visible
from qidguard_expectations.expectations.policy import ExpectTableToMeetPrivacyPolicy
from qidguard_expectations.expectations.privacy import PrivacyExpectation
from qidguard_suites.suite import MARK


def type_of(result: Any) -> str:
    """Return the type of the expectation, in snake_case."""
    return str(result.expectation_config.type)


def is_ours(result: Any) -> bool:
    """Return whether a result is of an expectation on privacy."""
    return _is_a(result, PrivacyExpectation)


def is_whole(result: Any) -> bool:
    """Return whether a result is of the expectation of a whole policy."""
    return _is_a(result, ExpectTableToMeetPrivacyPolicy)


def argument(result: Any, name: str) -> Any:
    """Return an argument of one of our expectations, also where its class says it; None for no such."""
    given: Mapping[str, Any] = result.expectation_config.kwargs
    if name in given:
        return given[name]
    return get_expectation_impl(type_of(result)).stated({}).get(name)


def left_out(context: Any, suite: str) -> tuple[str, ...]:
    """Return the types of a stored suite's expectations that nobody imported.

    Great Expectations leaves them out, with a line in the log alone, and what is left passes.
    """
    store = context.expectations_store
    key = store.get_key(name=suite, id=None)
    stored = store.get(key)["expectations"] if store.has_key(key) else ()
    known = set(list_registered_expectation_implementations())
    return tuple(sorted({str(one["type"]) for one in stored} - known))


def _is_a(result: Any, kind: type) -> bool:
    try:
        return issubclass(get_expectation_impl(type_of(result)), kind)
    except ExpectationNotFoundError:  # a result of another process, whose class nobody imported here
        return False


def details_of(result: Any) -> Mapping[str, Any]:
    """Return the details; none where the result was cut down to a boolean."""
    return mapping((result.result or {}).get("details"))


def has_raised(result: Any) -> bool:
    """Return whether the library caught an exception, of the expectation or of one of its metrics."""
    caught = mapping(result.exception_info)
    return any(mapping(info).get("raised_exception") for info in (caught, *caught.values()))


def has_failed(result: Any) -> bool:
    """Return whether the library caught what none of our answers explains."""
    return has_raised(result) and details_of(result).get("exit_code") is None


def mark_of(holder: Any) -> Mapping[str, Any]:
    """Return what the ``meta`` of a suite or an expectation says of the policy it comes from."""
    return mapping(mapping(holder.meta).get(MARK))


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, kw_only=True)
class Required:
    """What a checkpoint names.

    Args:
        policy_sha256: That of the expectation of the whole policy; None is content with any expectation on
            privacy, of a suite that comes from no policy.
        approved_sha256: The digest that the suite's meta has to name.
        reviewed_sha256: The digest of the file, where thresholds were taken out of the policy.
        mark: What the suite's own meta says of its policy, empty for nothing; None where that is not known.
        left_out: The types of expectations that the suite holds and that could not be run.
    """

    policy_sha256: str | None = None
    approved_sha256: str | None = None
    reviewed_sha256: str | None = None
    mark: Mapping[str, Any] | None = None
    left_out: tuple[str, ...] = ()

    def is_met_by(self, result: Any) -> bool:
        """Whether a result is that of the whole policy that is asked for."""
        return is_whole(result) and self.policy_sha256 in {None, argument(result, "policy_sha256")}

    def agrees_with(self, mark: Mapping[str, Any]) -> bool:
        """Whether a meta names the same digests."""
        return (mark.get("sha256"), mark.get("reviewed_sha256")) == (
            self.approved_sha256,
            self.reviewed_sha256,
        )


ANY = Required()
"""Any expectation on privacy."""


def why_no_verdict(result: Any, required: Required) -> str:
    """Return why a validation result is no verdict on privacy; empty where it is one.

    Example:
        >>> from great_expectations.core import ExpectationSuiteValidationResult
        >>> empty = ExpectationSuiteValidationResult(
        ...     success=True, results=[], suite_name="visits", statistics={}, meta={}
        ... )
        >>> why_no_verdict(empty, Required(policy_sha256="ab"))[:57]
        'The suite visits was run without the verdict of its polic'
    """
    suite = f"The suite {visible(str(result.suite_name))}"
    reason = _why_not_of_policy(result, required, suite)
    if reason or not required.left_out:
        return reason
    names = ", ".join(map(visible, required.left_out))
    return (
        f"{suite} was run without {names}, since nobody imported what defines it; import that before the"
        " suite is loaded."
    )


def _why_not_of_policy(result: Any, required: Required, suite: str) -> str:
    remedy = "import qidguard_expectations before the suite is loaded, or export"
    wholes = [item for item in result.results if required.is_met_by(item)]
    marks = [mark_of(item.expectation_config) for item in wholes]
    marks += [] if required.mark is None else [required.mark]
    if required.policy_sha256 is None:
        if any(marks) or required.approved_sha256 is not None:
            return (
                f"{suite} comes from a policy, but its checkpoint names none, so nobody could tell which one"
                " was judged; export the policy again."
            )
        is_judged = any(map(is_ours, result.results))
        reason = "No expectation of the suite is on privacy, so nothing was judged"
        return "" if is_judged else f"{reason}; {remedy} a policy to it."
    if not wholes:
        return f"{suite} was run without the verdict of its policy; {remedy} the policy again."
    if not all(map(required.agrees_with, marks)):
        return (
            f"{suite} and its checkpoint name different approved policies, so one of them was changed since"
            " it was exported; export the policy again."
        )
    if not any(map(_has_evidence, wholes)):
        return f"{suite} was run without the figures of its verdict; run with result_format SUMMARY."
    return ""


def _has_evidence(result: Any) -> bool:
    """Return whether it says what was found, or why nothing could be; a pass needs what was found."""
    details = details_of(result)
    if mapping(details.get("document")):
        return True
    return not result.success and (bool(details.get("reason")) or has_raised(result))


_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Names without a dot, so that one dot tells where the asset's begins."""

_MOST_LETTERS = 100

_FIGURE = ("metric", "qids", "sensitive", "arguments", "bound", "limit")
"""What tells one figure from another; a figure that stands alone and in the whole verdict is kept once."""


def reached_verdict(result: Any, required: Required = ANY, *, data_set: str) -> ReachedVerdict:
    """Return the verdict of one validation result, as the ledger is told it.

    Example:
        >>> from great_expectations.core import ExpectationSuiteValidationResult
        >>> empty = ExpectationSuiteValidationResult(
        ...     success=True, results=[], suite_name="s", statistics={}, meta={}
        ... )
        >>> reached_verdict(empty, data_set="visits").blocks
        ('No expectation of the suite is on privacy, so nothing was judged; import qidguard_expectations \
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
    return ReachedVerdict(
        data_set=data_set,
        source=source_of(result),
        exit_code=int(_exit_code(judged, is_passed=bool(result.success) and not blocks)),
        records=_first(judged, "records"),
        entities=_first(judged, "entities"),
        policy=_policy(wholes, required),
        figures=tuple(_figures(judged, documents)),
        blocks=tuple(blocks),
        advice=_advice(wholes),
        versions=mapping(documents[0].get("versions")) if documents else None,
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
        return given
    source, asset = (str(_batch(result).get(name) or "") for name in ("datasource_name", "data_asset_name"))
    if len(source + asset) < _MOST_LETTERS and _PLAIN.fullmatch(source) and _PLAIN.fullmatch(asset):
        return f"{source}.{asset}"
    alike = re.sub(r"[^A-Za-z0-9_]+", "-", f"{source}.{asset}").strip("-")[:80]
    return "-".join(filter(None, (alike, value_digest({"source": source, "asset": asset})[:12])))


def _advice(wholes: Sequence[Any]) -> tuple[str, ...]:
    """Return what would make a blocked batch pass, as its whole verdict says, in lines."""
    told = (details_of(expected).get("advice") for expected in wholes)
    return next((tuple(map(str, some)) for some in told if some), ())


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
