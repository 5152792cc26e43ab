"""Expect a low risk of re-identification."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.expectations.privacy import Limit
from qidguard.interfaces.gx.expectations.threshold import PopulationExpectation

_METRICS = {
    ("prosecutor", "maximum"): "prosecutor_risk_max",
    ("prosecutor", "average"): "prosecutor_risk_average",
    ("journalist", "maximum"): "journalist_risk_max",
    ("journalist", "average"): "journalist_risk_average",
    ("marketer", "average"): "marketer_risk",
}
"""Attacker and statistic → metric."""


class ExpectTableReidentificationRiskToBeAtMost(PopulationExpectation):
    """Expect the risk that an attacker re-identifies a person by the quasi-identifiers to be low.

    Args:
        quasi_identifiers: The columns that an attacker may know; or ``{"$PARAMETER": name}``, as for every
            column.
        at_most: The highest risk allowed, 0..1; or ``{"$PARAMETER": name}``.
        attacker: ``prosecutor`` knows that the person is in the table; ``journalist`` knows only that the
            person is in the population, which has to be given; ``marketer`` wants as many as possible.
        statistic: ``maximum`` over persons, or ``average``, which is the only one of a marketer.
        entity: The column whose distinct values are the persons; without it each record is one.
        population: The table of the population: a path or a URL, or a mapping as in a policy.
        population_entity: Its entity column.
        sampling_fraction: Share of the population that is in the batch, 0 < f ≤ 1.
        source: What means missing, as in a policy: ``{"missing": ["?"], "trim": True}``.

    Units:
        A risk, 0..1.

    NULL in a quasi-identifier is a group of its own. A batch without a record fails. In a batch of a single
    class the risk of a prosecutor is one over its number of persons.

    Example:
        >>> ExpectTableReidentificationRiskToBeAtMost(quasi_identifiers=["age", "sex"], at_most=0.2).attacker
        'prosecutor'
    """

    at_most: Limit = pydantic.Field(description="The highest risk allowed, 0..1.")
    attacker: Literal["prosecutor", "journalist", "marketer"] = pydantic.Field(
        default="prosecutor", description="Who attacks."
    )
    statistic: Literal["maximum", "average"] = pydantic.Field(
        default="maximum", description="Over all persons: maximum or average."
    )

    success_keys: ClassVar[tuple[str, ...]] = (
        *("quasi_identifiers", "at_most", "attacker", "statistic", "entity", "population"),
        *("population_entity", "sampling_fraction", "source"),
    )
    args_keys: ClassVar[tuple[str, ...]] = success_keys

    class Config(PopulationExpectation.Config):
        """The title of the gallery."""

        title = "Expect table re-identification risk to be at most"

    @classmethod
    def _threshold(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        attacker, statistic = given.get("attacker", "prosecutor"), given.get("statistic", "maximum")
        if (attacker, statistic) == ("marketer", "maximum"):
            raise ValueError("the risk of a marketer is an average over persons; write statistic: average")
        # an attacker or a statistic that nobody knows is refused by its own field
        metric = _METRICS.get((attacker, statistic), "prosecutor_risk_max")
        return {"metric": metric, "at_most": given.get("at_most")}
