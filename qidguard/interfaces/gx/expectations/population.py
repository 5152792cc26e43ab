"""Expectations of figures that may be measured against the population that the batch is a sample of."""

from abc import ABC
from collections.abc import Mapping
from typing import Any

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.expectations.threshold import ThresholdExpectation


class PopulationExpectation(ThresholdExpectation, ABC):
    """Expects one figure, given a population or not."""

    population: pydantic.StrictStr | dict[str, Any] | None = pydantic.Field(
        default=None, description="The table of the population: a path or a URL, or as in a policy."
    )
    population_entity: pydantic.StrictStr | None = pydantic.Field(
        default=None, description="The column of the population whose distinct values are the persons."
    )
    sampling_fraction: pydantic.StrictInt | pydantic.StrictFloat | None = pydantic.Field(
        default=None, description="Share of the population that is in the batch."
    )

    @classmethod
    def _policy(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        policy = super()._policy(given)
        population, entity = given.get("population"), given.get("population_entity")
        if isinstance(population, Mapping):
            if entity is not None:
                population = {**population, "entity": entity}
        elif population is not None:
            population = {"path": population, "entity": entity}
        elif entity is not None:
            raise ValueError("population_entity names a column of a population, and population names none")
        return policy | {"population": population, "sampling_fraction": given.get("sampling_fraction")}
