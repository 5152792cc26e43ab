"""What all our expectations share: they ask one question of the batch, and pass only when its answer does."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic
from great_expectations.core.suite_parameters import is_suite_parameter
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.validator.metric_configuration import MetricConfiguration

from qidguard.core.errors import InternalError, PolicyError
from qidguard.core.policy import load_policy
from qidguard.interfaces.gx.answer import Answer, of_fault
from qidguard.interfaces.gx.asked import Asked
from qidguard.interfaces.gx.metrics import ANSWER
from qidguard.interfaces.gx.rendering import SentenceRenderer

SUPPORTED = ["Pandas", "Spark", "SQLite", "PostgreSQL", "DuckDB"]
"""The kinds of batches that our tests hold against each other."""

STAND_IN = 1
"""Stands for a limit that is given when the suite runs, while everything else is checked."""

Limit = pydantic.StrictInt | pydantic.StrictFloat | dict[str, Any]
"""A number, or ``{"$PARAMETER": name}`` for one that is given when the suite runs."""


class PrivacyExpectation(SentenceRenderer, BatchExpectation, ABC):
    """Asks one question of a batch."""

    library_metadata: ClassVar[dict[str, Any]] = {
        "maturity": "production",
        "tags": ["privacy", "disclosure control", "table expectation"],
        "contributors": ["@qidguard"],
        "requirements": ["qidguard"],
        "has_full_test_suite": True,
        "manually_reviewed_code": False,
    }
    _library_metadata = library_metadata

    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id",)
    metric_dependencies: ClassVar[tuple[str, ...]] = (ANSWER,)

    class Config:
        """How Great Expectations describes the arguments."""

        @staticmethod
        def schema_extra(schema: dict[str, Any], model: Any) -> None:
            """Add what a gallery shows."""
            BatchExpectation.Config.schema_extra(schema, model)
            described = {
                "data_quality_issues": ("Data Quality Issues", "array", ["Privacy"]),
                "library_metadata": ("Library Metadata", "object", model.library_metadata),
                "short_description": ("Short Description", "string", model.__doc__.split("\n")[0]),
                "supported_data_sources": ("Supported Data Sources", "array", SUPPORTED),
            }
            schema["properties"]["metadata"]["properties"].update(
                {name: {"title": t, "type": k, "const": v} for name, (t, k, v) in described.items()}
            )

    @abstractmethod
    def _asked(self) -> Asked:
        """Return the question that these arguments make."""

    def get_validation_dependencies(
        self, execution_engine: Any = None, runtime_configuration: dict[str, Any] | None = None
    ) -> Any:
        """Return the one metric that is needed: the answer."""
        dependencies = super(BatchExpectation, self).get_validation_dependencies(
            execution_engine=execution_engine, runtime_configuration=runtime_configuration
        )
        dependencies.set_metric_configuration(
            metric_name=ANSWER,
            metric_configuration=MetricConfiguration(
                metric_name=ANSWER,
                metric_domain_kwargs={"batch_id": self.batch_id},
                metric_value_kwargs={"asked": self._asked().text},
            ),
        )
        return dependencies

    def _validate(
        self,
        metrics: Mapping[str, Any],
        runtime_configuration: dict[str, Any] | None = None,  # noqa: ARG002 - an expectation is asked so
        execution_engine: Any = None,  # noqa: ARG002 - the same
    ) -> dict[str, Any]:
        answer = metrics.get(ANSWER)
        if not isinstance(answer, Answer):
            answer = of_fault(InternalError("The batch gave no answer to this expectation; run it again."))
        return {
            "success": answer.is_passed is True,
            "result": {"observed_value": answer.observed, "details": dict(answer.details)},
        }


def check_document(policy: Mapping[str, Any]) -> None:
    """Refuse arguments that no policy could hold.

    Args:
        policy: The policy that the arguments make, as a mapping.

    Raises:
        ValueError: When they are wrong, in the sentences with which a policy refuses them.

    Example:
        >>> roles = {"quasi_identifiers": []}
        >>> check_document({"qidguard": 1, "name": "p", "roles": roles, "thresholds": []})
        Traceback (most recent call last):
        ...
        ValueError: roles.quasi_identifiers must name at least one column; write for example \
quasi_identifiers: [age, sex, postcode]
    """
    try:
        load_policy(policy)
    except PolicyError as error:
        raise ValueError(str(error).replace("policy: ", "")) from None


def settled(value: Any) -> Any:
    """Return a value as it is, or a stand-in for one that is given when the suite runs.

    Args:
        value: An argument of an expectation.

    Returns:
        The value, or 1.

    Example:
        >>> settled(5), settled({"$PARAMETER": "k"})
        (5, 1)
    """
    return STAND_IN if is_suite_parameter(value) else value
