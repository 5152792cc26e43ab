"""Expect t-closeness."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.expectations.privacy import Column, Limit
from qidguard.interfaces.gx.expectations.threshold import ThresholdExpectation


class ExpectTableTClosenessToBeAtMost(ThresholdExpectation):
    """Expect a sensitive attribute to be spread in every class nearly as it is in the whole table.

    Args:
        quasi_identifiers: The columns that an attacker may know; or ``{"$PARAMETER": name}``, as for every
            column.
        sensitive: The sensitive attribute.
        at_most: t, the largest distance allowed, 0..1; or ``{"$PARAMETER": name}``.
        ordered: Whether the values have an order, so that near ones differ less: the ordered distance in
            place of the equal one.
        entity: The column whose distinct values are the persons; without it each record is one.
        source: What means missing, as in a policy: ``{"missing": ["?"], "trim": True}``.
        order: The values of a column of texts from the first to the last, as in a policy's ``order``.

    Units:
        A distance, 0..1.

    NULL in a quasi-identifier is a group of its own. A batch without a record fails. A batch of a single
    class gives 0.

    Example:
        >>> ExpectTableTClosenessToBeAtMost(
        ...     quasi_identifiers=["age", "sex"], sensitive="illness", at_most=0.2
        ... ).ordered
        False
    """

    sensitive: Column = pydantic.Field(description="The sensitive attribute.")
    at_most: Limit = pydantic.Field(description="The largest distance allowed, 0..1.")
    ordered: pydantic.StrictBool = pydantic.Field(
        default=False, description="Whether the values have an order."
    )

    success_keys: ClassVar[tuple[str, ...]] = (
        *("quasi_identifiers", "sensitive", "at_most", "ordered", "entity", "source", "order"),
    )
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(ThresholdExpectation.Config):
        """The title of the gallery."""

        title = "Expect table t-closeness to be at most"

    @classmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        metric = "t_closeness_ordered" if given.get("ordered") else "t_closeness"
        return {"metric": metric, "at_most": given.get("at_most"), "sensitive": given.get("sensitive")}
