"""Expect l-diversity."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.expectations.privacy import Column, Limit
from qidguard.interfaces.gx.expectations.threshold import ThresholdExpectation


class ExpectTableLDiversityToBeAtLeast(ThresholdExpectation):
    """Expect every class over the quasi-identifiers to hold at least l values of a sensitive attribute.

    Args:
        quasi_identifiers: The columns that an attacker may know; or ``{"$PARAMETER": name}``, as for every
            column.
        sensitive: The sensitive attribute.
        at_least: l, the smallest number of values allowed, ≥ 1; or ``{"$PARAMETER": name}``.
        model: ``distinct`` counts different values; ``entropy`` counts them by their entropy, so that a
            class in which one value prevails has few.
        entity: The column whose distinct values are the persons; without it each record is one.
        source: What means missing, as in a policy: ``{"missing": ["?"], "trim": True}``.

    Units:
        Values of the sensitive attribute.

    NULL in a quasi-identifier is a group of its own. A batch without a record fails. A batch of a single
    class gives the diversity of the whole table.

    Example:
        >>> ExpectTableLDiversityToBeAtLeast(
        ...     quasi_identifiers=["age", "sex"], sensitive="illness", at_least=3
        ... ).model
        'distinct'
    """

    sensitive: Column = pydantic.Field(description="The sensitive attribute.")
    at_least: Limit = pydantic.Field(description="The smallest number of values allowed.")
    model: Literal["distinct", "entropy"] = pydantic.Field(
        default="distinct", description="How values are counted: distinct or entropy."
    )

    success_keys: ClassVar[tuple[str, ...]] = (
        *("quasi_identifiers", "sensitive", "at_least", "model", "entity", "source"),
    )
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(ThresholdExpectation.Config):
        """The title of the gallery."""

        title = "Expect table l-diversity to be at least"

    @classmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        metric = f"{given.get('model', 'distinct')}_l_diversity"
        return {"metric": metric, "at_least": given.get("at_least"), "sensitive": given.get("sensitive")}
