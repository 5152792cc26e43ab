"""What a checkpoint does after it has judged: it sees that there is a verdict and records it, or raises.

An expectation whose class was not imported is left out of its suite, and an action whose class was not
imported is an error. So each exported checkpoint has one of these, and it raises where the policy was not
judged.
"""

from typing import Any, Literal

from great_expectations.checkpoint.actions import ValidationAction
from great_expectations.compatibility.pydantic import validator
from great_expectations.datasource.fluent.config_str import ConfigStr

from qidguard.sdk import InternalError, QidguardError, UserError, record_verdicts
from qidguard_expectations.verdicts import (
    Required,
    data_set_of,
    left_out,
    mark_of,
    reached_verdict,
    why_no_verdict,
)


class PrivacyAction(ValidationAction):
    """Looks for the verdict of a policy in what a checkpoint found."""

    policy_sha256: str | None = None
    approved_sha256: str | None = None
    reviewed_sha256: str | None = None

    def _require(self, checkpoint_result: Any) -> None:
        for result in checkpoint_result.run_results.values():
            reason = why_no_verdict(result, self._required(checkpoint_result, result))
            if reason:
                raise UserError(reason)

    def _required(self, checkpoint_result: Any, result: Any) -> Required:
        definitions = checkpoint_result.checkpoint_config.validation_definitions
        suite = next((one.suite for one in definitions if one.suite.name == result.suite_name), None)
        return Required(
            policy_sha256=self.policy_sha256,
            approved_sha256=self.approved_sha256,
            reviewed_sha256=self.reviewed_sha256,
            mark=None if suite is None else mark_of(suite),
            left_out=() if suite is None else left_out(self._resolve_context().context, suite.name),
        )


class RequirePrivacyVerdictAction(PrivacyAction):
    """Raises where a validation result lacks the verdict of its policy.

    Args:
        policy_sha256: That of the expectation of the whole policy.
        approved_sha256: The digest that the suite's meta has to name.
        reviewed_sha256: The digest of the file, where thresholds were taken out of the policy.
    """

    type: Literal["require_privacy_verdict"] = "require_privacy_verdict"
    policy_sha256: str

    def run(self, checkpoint_result: Any, action_context: Any = None) -> dict[str, Any]:  # noqa: ARG002 - the library's signature
        """Look for the verdict in every validation result.

        Args:
            checkpoint_result: What the checkpoint found.
            action_context: What earlier actions gave; not used.

        Returns:
            Nothing.

        Raises:
            UserError: When a validation result lacks it.

        Example:
            >>> RequirePrivacyVerdictAction(name="require privacy verdict", policy_sha256="ab").type
            'require_privacy_verdict'
        """
        self._require(checkpoint_result)
        return {}


class RecordInLedgerAction(PrivacyAction):
    """Writes one entry to the ledger for each validation result of a checkpoint.

    When it cannot, the checkpoint's run raises: a verdict that leaves no trace counts for nothing.

    Args:
        policy_sha256: That of the expectation of a whole policy, which has to be among the results; None is
            content with any expectation on privacy, of a suite that comes from no policy.
        approved_sha256: The digest that the suite's meta has to name.
        reviewed_sha256: The digest of the file, where thresholds were taken out of the policy.
        data_set: The data set; None takes the names of the judged data source and asset.
        ledger: The ledger's address; ``${NAME}`` takes it from the project's configuration or the
            environment, as an address with a password must. None takes QIDGUARD_LEDGER or the home's own.
        home: The home folder; None takes QIDGUARD_HOME or the account's own.
    """

    type: Literal["record_in_ledger"] = "record_in_ledger"
    data_set: str | None = None
    ledger: ConfigStr | str | None = None
    home: str | None = None

    @validator("ledger")
    def _holds_no_password(cls, given: Any) -> Any:  # noqa: N805 - the library passes the class
        # the field is written to the checkpoint's file and shown by repr
        if isinstance(given, str) and _has_password(given):
            raise ValueError(
                "the ledger's address holds a password; write ${NAME} and set NAME in the environment"
            )
        return given

    def run(self, checkpoint_result: Any, action_context: Any = None) -> dict[str, Any]:  # noqa: ARG002 - the library's signature
        """Record every validation result.

        Args:
            checkpoint_result: What the checkpoint found.
            action_context: What earlier actions gave; not used.

        Returns:
            ``audit_ids``, the entries made, in the order of the results.

        Raises:
            QidguardError: When the ledger cannot be opened or written.
            UserError: When a validation result lacks the verdict of the policy; it is recorded as blocked.

        Example:
            >>> RecordInLedgerAction(name="record in ledger", data_set="visits").type
            'record_in_ledger'
        """
        fault = ""
        try:
            made = {"audit_ids": self._record(checkpoint_result)}
        except QidguardError:
            raise
        except Exception as error:  # noqa: BLE001 - its words may hold a password or a value of the table
            fault = type(error).__name__
        if fault:
            raise InternalError(f"The verdict could not be written to the ledger ({fault}).")
        self._require(checkpoint_result)
        return made

    def _record(self, checkpoint_result: Any) -> list[str]:
        verdicts = (
            reached_verdict(
                result, self._required(checkpoint_result, result), data_set=data_set_of(result, self.data_set)
            )
            for result in checkpoint_result.run_results.values()
        )
        ids = record_verdicts(
            verdicts,
            ledger=self._substitute_config_str_if_needed(self.ledger),
            home=self.home,
            origin={"door": "great_expectations", "checkpoint": str(checkpoint_result.name)},
        )
        return list(ids)


def _has_password(address: str) -> bool:
    from urllib.parse import parse_qs, urlsplit

    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    return parts.password is not None or "password" in parse_qs(parts.query)
