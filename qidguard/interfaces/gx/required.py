"""Which policy's verdict a checkpoint asks for, and why a validation result is not that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qidguard.interfaces.gx.one_result import OURS, WHOLE, details_of, has_raised, mapping, mark_of, type_of
from qidguard.report.printable import visible


@dataclass(frozen=True, kw_only=True)
class Required:
    """What a checkpoint names.

    Args:
        policy_sha256: That of the expectation of the whole policy; None is content with any expectation on
            privacy, of a suite that comes from no policy.
        approved_sha256: The digest that the suite's meta has to name.
        reviewed_sha256: The digest of the file, where thresholds were taken out of the policy.
        mark: What the suite's own meta says of its policy, empty for nothing; None where that is not known.
    """

    policy_sha256: str | None = None
    approved_sha256: str | None = None
    reviewed_sha256: str | None = None
    mark: Mapping[str, Any] | None = None

    def is_met_by(self, one: Any) -> bool:
        """Whether a result is that of the whole policy that is asked for."""
        given = one.expectation_config.kwargs.get("policy_sha256")
        return type_of(one) == WHOLE and self.policy_sha256 in {None, given}

    def agrees_with(self, mark: Mapping[str, Any]) -> bool:
        """Whether a meta names the same digests."""
        return (mark.get("sha256"), mark.get("reviewed_sha256")) == (
            self.approved_sha256,
            self.reviewed_sha256,
        )


ANY = Required()
"""Any expectation on privacy."""


def lack_of_verdict(result: Any, required: Required) -> str:
    """Return why a validation result is no verdict on privacy; empty where it is one.

    Args:
        result: A validation result of a suite.
        required: The policy whose verdict has to be among the results.

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
        >>> lack_of_verdict(empty, Required(policy_sha256="ab"))[:57]
        'The suite visits was run without the verdict of its polic'
    """
    suite = f"The suite {visible(str(result.suite_name))}"
    remedy = "import qidguard.interfaces.gx before the suite is loaded, or export"
    wholes = [one for one in result.results if required.is_met_by(one)]
    marks = [mark_of(one.expectation_config) for one in wholes]
    marks += [] if required.mark is None else [required.mark]
    if required.policy_sha256 is None:
        if any(marks) or required.approved_sha256 is not None:
            return (
                f"{suite} comes from a policy, but its checkpoint names none, so nobody could tell which one"
                " was judged; export the policy again."
            )
        is_judged = any(type_of(one) in OURS for one in result.results)
        lack = "No expectation of the suite is on privacy, so nothing was judged"
        return "" if is_judged else f"{lack}; {remedy} a policy to it."
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


def _has_evidence(one: Any) -> bool:
    """Return whether it says what was found, or why nothing could be; a pass needs what was found."""
    details = details_of(one)
    if mapping(details.get("document")):
        return True
    return not one.success and (bool(details.get("reason")) or has_raised(one))
