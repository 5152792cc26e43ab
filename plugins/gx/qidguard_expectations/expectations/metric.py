"""Expect any metric that is installed."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from great_expectations.compatibility import pydantic

from qidguard_expectations.expectations.privacy import Column, Limit
from qidguard_expectations.expectations.threshold import PopulationExpectation
from qidguard_expectations.questions import ExpectationQuestion


class ExpectTablePrivacyMetricToBeWithin(PopulationExpectation):
    """Expect the figure of any metric to be at least, or at most, a limit.

    Args:
        metric: The name of a metric, as ``qidguard plugins`` lists them.
        quasi_identifiers: The columns that an attacker may know; or ``{"$PARAMETER": name}``, as for every
            column.
        sensitive: The sensitive attribute, for a metric that is measured per attribute.
        parameters: The metric's own parameters, by name.
        at_least: The smallest figure allowed; give this or ``at_most``, or ``{"$PARAMETER": name}``.
        at_most: The largest figure allowed.
        attacker: ``all``, or ``{"knows_any": m}`` for the worst of all sets of m quasi-identifiers.
        entity: The column whose distinct values are the persons; without it each record is one.
        combination: What results call these quasi-identifiers.
        on_miss: ``block``, or ``warn`` for a figure that is only reported when it is beyond its limit.
        population: The table of the population, for a metric that is measured against it: a path or a URL,
            or a mapping as in a policy.
        population_entity: Its entity column.
        sampling_fraction: Share of the population that is in the batch, 0 < f ≤ 1.
        weight: The sampling-weight column.
        source: What means missing, as in a policy: ``{"missing": ["?"], "trim": True}``.
        order: The values of a column of texts from the first to the last, as in a policy's ``order``.

    Units:
        The metric's own; shares and risks 0..1.

    NULL in a quasi-identifier is a group of its own. A batch without a record fails, and so does a metric
    for which no number exists.

    Example:
        >>> ExpectTablePrivacyMetricToBeWithin(
        ...     metric="share_unique", quasi_identifiers=["age", "sex"], at_most=0.01
        ... ).at_most
        0.01
    """

    metric: pydantic.StrictStr = pydantic.Field(description="The name of a metric.")
    sensitive: Column | None = pydantic.Field(
        default=None, description="The sensitive attribute it is measured for."
    )
    parameters: dict[str, Any] = pydantic.Field(
        default={}, description="The metric's own parameters, by name."
    )
    at_least: Limit | None = pydantic.Field(default=None, description="The smallest figure allowed.")
    at_most: Limit | None = pydantic.Field(default=None, description="The largest figure allowed.")
    attacker: Literal["all"] | dict[str, Any] = pydantic.Field(
        default="all", description="Which of the quasi-identifiers the attacker knows."
    )
    combination: pydantic.StrictStr = pydantic.Field(
        default="default", description="What results call these quasi-identifiers."
    )
    on_miss: Literal["block", "warn"] = pydantic.Field(
        default="block", description="Whether a figure beyond the limit fails, or is only reported."
    )
    weight: Column | None = pydantic.Field(default=None, description="The sampling-weight column.")

    success_keys: ClassVar[tuple[str, ...]] = (
        *("metric", "quasi_identifiers", "sensitive", "parameters", "at_least", "at_most", "attacker"),
        *("entity", "combination", "on_miss", "population", "population_entity", "sampling_fraction"),
        *("weight", "source", "order"),
    )
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(PopulationExpectation.Config):
        """The title of the gallery."""

        title = "Expect table privacy metric to be within"

    @classmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        # what only warns is judged as if it blocked: a policy in which nothing blocks is none
        fields = ("metric", "at_least", "at_most", "sensitive", "parameters")
        return {name: given[name] for name in fields if given.get(name) is not None}

    @classmethod
    def _policy(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        policy = super()._policy(given)
        policy["roles"]["weight"] = given.get("weight")
        policy["attacker"] = given.get("attacker", "all")
        return policy

    def _asked(self) -> ExpectationQuestion:
        return ExpectationQuestion(
            kind="threshold",
            policy=self._policy(self.__dict__),
            combination=self.combination,
            is_blocking=self.on_miss != "warn",
        )
