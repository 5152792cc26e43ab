"""Expectations of one figure: each is a policy that says nothing else, judged as an audit judges it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.asked import Asked
from qidguard.interfaces.gx.expectations.privacy import PrivacyExpectation, check_document, settled


class ThresholdExpectation(PrivacyExpectation, ABC):
    """Expects one figure on one side of its limit."""

    quasi_identifiers: list[pydantic.StrictStr] = pydantic.Field(
        description="The columns that an attacker may know."
    )
    entity: pydantic.StrictStr | None = pydantic.Field(
        default=None,
        description="The column whose distinct values are the persons; without it each record is one.",
    )
    source: dict[str, Any] | None = pydantic.Field(
        default=None,
        description="What means missing: a policy's source section with missing, trim, suppression_mark.",
    )

    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id",)
    success_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "entity", "source")

    @classmethod
    @abstractmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the policy's threshold; ValueError where arguments contradict each other."""

    @classmethod
    def _policy(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the policy that these arguments make."""
        sensitive = given.get("sensitive")
        return {
            "qidguard": 1,
            "name": cls.__name__,
            "roles": {
                "quasi_identifiers": given.get("quasi_identifiers", ()),
                "sensitive": () if sensitive is None else (sensitive,),
                "entity": given.get("entity"),
            },
            "unnamed_columns": "insensitive",
            "thresholds": (cls._threshold(given),),
            "source": given.get("source") or {},
        }

    @pydantic.root_validator(pre=True)
    def _check(cls, values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - a validator of pydantic
        if "quasi_identifiers" in values:
            check_document(cls._policy({name: settled(value) for name, value in values.items()}))
        return values

    def _asked(self) -> Asked:
        return Asked(kind="threshold", policy=self._policy(self.__dict__))
