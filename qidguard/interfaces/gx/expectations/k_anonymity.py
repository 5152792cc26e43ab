"""Expect k-anonymity."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.expectations.privacy import Limit
from qidguard.interfaces.gx.expectations.threshold import ThresholdExpectation


class ExpectTableKAnonymityToBeAtLeast(ThresholdExpectation):
    """Expect every class over the quasi-identifiers to hold at least k persons.

    Args:
        quasi_identifiers: The columns that an attacker may know; or ``{"$PARAMETER": name}``, as for every
            column.
        at_least: k, the smallest class size allowed, ≥ 1; or ``{"$PARAMETER": name}``.
        entity: The column whose distinct values are the persons; without it each record is one.
        source: What means missing, as in a policy: ``{"missing": ["?"], "trim": True}``.

    Units:
        Records, or entities where ``entity`` is given.

    NULL in a quasi-identifier is a group of its own. A batch without a record fails, and so does one whose
    entity column is missing in a record. A batch of a single class gives its number of persons.

    Example:
        >>> ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age", "sex"], at_least=5).at_least
        5
    """

    at_least: Limit = pydantic.Field(description="The smallest class size allowed, in persons.")

    success_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "at_least", "entity", "source")
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(ThresholdExpectation.Config):
        """The title of the gallery."""

        title = "Expect table k-anonymity to be at least"

    @classmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"metric": "k_anonymity", "at_least": given.get("at_least")}
