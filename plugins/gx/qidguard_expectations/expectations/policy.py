"""Expect a whole policy to hold, or the columns to be those that were approved under it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic
from great_expectations.core.suite_parameters import is_suite_parameter

from qidguard_expectations.expectations.checks import check_whole
from qidguard_expectations.expectations.privacy import Columns, PrivacyExpectation
from qidguard_expectations.questions import ExpectationQuestion


class ExpectTableToMeetPrivacyPolicy(PrivacyExpectation):
    """Expect the batch to pass a privacy policy, as ``qidguard audit`` judges it.

    Args:
        policy: The whole policy as a mapping.
        policy_sha256: The SHA-256 of the policy, hex; without it nothing passes, since nobody could tell
            whether the policy was changed.
        policy_text: The lines of the policy's file; the result then goes by the SHA-256 of that file, and
            nothing passes where they do not say what the policy says.

    Units:
        Every figure in the result carries its own.

    A batch without a record fails. NULL in a quasi-identifier is a group of its own.

    Example:
        >>> from qidguard.sdk import load_policy
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "visits",
        ...     "roles": {"quasi_identifiers": ["age", "sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
        ... }
        >>> digest = load_policy(policy).digest
        >>> ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=digest).policy["name"]
        'visits'
    """

    policy: dict[str, Any] = pydantic.Field(description="The whole policy.")
    policy_sha256: pydantic.StrictStr = pydantic.Field(description="The SHA-256 of the policy, hex.")
    policy_text: list[pydantic.StrictStr] | None = pydantic.Field(
        None, description="The lines of the policy's file, by whose SHA-256 the result goes."
    )

    success_keys: ClassVar[tuple[str, ...]] = ("policy", "policy_sha256", "policy_text")
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(PrivacyExpectation.Config):
        """The title of the gallery."""

        title = "Expect table to meet privacy policy"

    @classmethod
    def _check(cls, stated: Mapping[str, Any]) -> None:
        check_whole(stated["policy"])

    def _asked(self) -> ExpectationQuestion:
        text = None if self.policy_text is None else "\n".join(self.policy_text)
        return ExpectationQuestion(kind="policy", policy=self.policy, digest=self.policy_sha256, written=text)


class ExpectTableColumnsToBeAsApproved(PrivacyExpectation):
    """Expect the batch to have the columns that were approved, and no other.

    Args:
        columns: The approved columns; their order does not matter, upper and lower case does; or
            ``{"$PARAMETER": name}``.
        policy_name: The policy under which they were approved, for reports.
        policy_sha256: Its SHA-256, hex, for reports.

    Units:
        Columns.

    No record is read, so a batch without one passes.

    Example:
        >>> ExpectTableColumnsToBeAsApproved(columns=["age", "sex"]).columns
        ['age', 'sex']
    """

    columns: Columns = pydantic.Field(description="The approved columns.")
    policy_name: pydantic.StrictStr | None = pydantic.Field(
        default=None, description="The policy under which they were approved."
    )
    policy_sha256: pydantic.StrictStr | None = pydantic.Field(
        default=None, description="The SHA-256 of the policy, hex."
    )

    success_keys: ClassVar[tuple[str, ...]] = ("columns", "policy_name", "policy_sha256")
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(PrivacyExpectation.Config):
        """The title of the gallery."""

        title = "Expect table columns to be as approved"

    @classmethod
    def _check(cls, stated: Mapping[str, Any]) -> None:
        columns = stated["columns"]
        if is_suite_parameter(columns):
            return
        if isinstance(columns, Mapping) or not columns:
            raise ValueError("columns must name at least one column")
        twice = next((name for at, name in enumerate(columns) if name in columns[:at]), None)
        if twice is not None:
            raise ValueError(f"columns names {twice!r} twice; keep one of them")

    def _asked(self) -> ExpectationQuestion:
        return ExpectationQuestion(kind="columns", policy={}, columns=tuple(self.columns))
