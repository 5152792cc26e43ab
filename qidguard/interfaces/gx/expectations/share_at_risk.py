"""Expect few persons at risk."""

from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.expectations.privacy import Limit
from qidguard.interfaces.gx.expectations.threshold import ThresholdExpectation


class ExpectTableShareAtRiskToBeAtMost(ThresholdExpectation):
    """Expect few persons to stand in small classes, or to have a high risk of re-identification.

    Args:
        quasi_identifiers: The columns that an attacker may know; or ``{"$PARAMETER": name}``, as for every
            column.
        at_most: The largest share of persons allowed, 0..1; or ``{"$PARAMETER": name}``.
        k: A person is at risk in a class of fewer than this many, ≥ 2; give this or ``risk``.
        risk: A person is at risk whose risk, one over the size of the class, is above this, 0..1.
        entity: The column whose distinct values are the persons; without it each record is one.
        source: What means missing, as in a policy: ``{"missing": ["?"], "trim": True}``.

    Units:
        A share of persons, 0..1.

    NULL in a quasi-identifier is a group of its own. A batch without a record fails. In a batch of a single
    class all persons are at risk, or none.

    Example:
        >>> ExpectTableShareAtRiskToBeAtMost(quasi_identifiers=["age", "sex"], at_most=0.05, k=5).k
        5
    """

    at_most: Limit = pydantic.Field(description="The largest share of persons allowed, 0..1.")
    k: pydantic.StrictInt | dict[str, Any] | None = pydantic.Field(
        default=None, description="A person is at risk in a class of fewer than this many."
    )
    risk: Limit | None = pydantic.Field(
        default=None, description="A person is at risk whose risk is above this."
    )

    success_keys: ClassVar[tuple[str, ...]] = (
        *("quasi_identifiers", "at_most", "k", "risk", "entity", "source"),
    )
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(ThresholdExpectation.Config):
        """The title of the gallery."""

        title = "Expect table share at risk to be at most"

    @classmethod
    def _check(cls, stated: Mapping[str, Any]) -> None:
        try:
            super()._check(stated)
        except ValueError as error:
            own = str(error).replace("parameter 'threshold'", "risk").replace("parameter 'k'", "k")
            raise ValueError(own) from None

    @classmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        k, risk, at_most = given.get("k"), given.get("risk"), given.get("at_most")
        if (k is None) == (risk is None):
            raise ValueError("a person is at risk by k or by risk; write exactly one of them, such as k: 5")
        if k is not None:
            return {"metric": "share_below_k", "at_most": at_most, "parameters": {"k": k}}
        return {"metric": "prosecutor_share_above", "at_most": at_most, "parameters": {"threshold": risk}}
