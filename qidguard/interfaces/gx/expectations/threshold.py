"""Expectations of one figure, against a population or not: each is a policy that says nothing else."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from qidguard.interfaces.gx.asked import Asked
from qidguard.interfaces.gx.expectations.checks import check_any, check_measurable, check_source
from qidguard.interfaces.gx.expectations.privacy import Column, Columns, Limit, PrivacyExpectation


class ThresholdExpectation(PrivacyExpectation, ABC):
    """Expects one figure on one side of its limit."""

    quasi_identifiers: Columns = pydantic.Field(description="The columns that an attacker may know.")
    entity: Column | None = pydantic.Field(
        default=None,
        description="The column whose distinct values are the persons; without it each record is one.",
    )
    source: dict[str, Any] | None = pydantic.Field(
        default=None,
        description="What means missing: a policy's source section with missing, trim, suppression_mark.",
    )
    order: dict[str, Any] | None = pydantic.Field(
        default=None,
        description="The values of a column of texts from the first to the last, as in a policy's order.",
    )

    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id",)
    success_keys: ClassVar[tuple[str, ...]] = ("quasi_identifiers", "entity", "source", "order")

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
            "name": "threshold",
            "roles": {
                "quasi_identifiers": given.get("quasi_identifiers", ()),
                "sensitive": () if sensitive is None else (sensitive,),
                "entity": given.get("entity"),
            },
            "unnamed_columns": "insensitive",
            "thresholds": (cls._threshold(given),),
            "source": given.get("source") or {},
            "order": given.get("order") or {},
        }

    @classmethod
    def _check(cls, stated: Mapping[str, Any]) -> None:
        check_source(stated.get("source"))
        check_any(stated, lambda settled: check_measurable(cls._policy(settled)))

    def _asked(self) -> Asked:
        return Asked(kind="threshold", policy=self._policy(self.__dict__))


class PopulationExpectation(ThresholdExpectation, ABC):
    """Expects one figure, given a population or not."""

    population: pydantic.StrictStr | dict[str, Any] | None = pydantic.Field(
        default=None, description="The table of the population: a path or a URL, or as in a policy."
    )
    population_entity: Column | None = pydantic.Field(
        default=None, description="The column of the population whose distinct values are the persons."
    )
    sampling_fraction: Limit | None = pydantic.Field(
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
