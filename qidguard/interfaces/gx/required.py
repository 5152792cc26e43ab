"""Which policy's verdict a checkpoint asks for, and why a validation result is not that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qidguard.interfaces.gx.kind import argument, is_ours, is_whole
from qidguard.interfaces.suite.suite import MARK
from qidguard.rendering.printable import visible


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
    remedy = "import qidguard.interfaces.gx before the suite is loaded, or export"
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
