"""Expectations of one figure, against a population or not: each is a policy that says nothing else."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from great_expectations.compatibility import pydantic

from qidguard_expectations.expectations.checks import check_any, check_measurable, check_source
from qidguard_expectations.expectations.privacy import Column, Columns, Limit, PrivacyExpectation
from qidguard_expectations.questions import ExpectationQuestion


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

    def _asked(self) -> ExpectationQuestion:
        return ExpectationQuestion(kind="threshold", policy=self._policy(self.__dict__))


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
