"""Expect the columns that were approved."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic
from great_expectations.core.suite_parameters import is_suite_parameter

from qidguard.interfaces.gx.asked import Asked
from qidguard.interfaces.gx.expectations.privacy import Columns, PrivacyExpectation


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

    def _asked(self) -> Asked:
        return Asked(kind="columns", policy={}, columns=tuple(self.columns))
