"""What all our expectations share: they ask one question of the batch, and pass only when its answer does.

Great Expectations computes what others depend on first. So every question of a suite has reached the batch
before the first one is answered, and one opened table answers them all.
"""

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic
from great_expectations.execution_engine import (
    ExecutionEngine,
    PandasExecutionEngine,
    SparkDFExecutionEngine,
    SqlAlchemyExecutionEngine,
)
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from great_expectations.validator.metric_configuration import MetricConfiguration

from qidguard.sdk import ExitCode, InternalError
from qidguard_expectations.answers import AskedBatch, ExpectationAnswer, of_fault
from qidguard_expectations.batches.readers import DuckDBBatch, PandasBatch, SparkBatch, SqlBatch
from qidguard_expectations.data_docs import SentenceRenderer
from qidguard_expectations.datasources.duckdb_execution_engine import DuckDBExecutionEngine
from qidguard_expectations.expectations.checks import check_conditions
from qidguard_expectations.questions import ExpectationQuestion

BATCH = "qidguard.batch"
ASKED = "qidguard.asked"
ANSWER = "qidguard.answer"

Given = dict[str, Any]


class QidguardBatch(TableMetricProvider):
    """The batch as our engines read it. Nothing is read yet, so nothing can fail."""

    metric_name = BATCH
    domain_keys = ("batch_id",)

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(cls, execution_engine: Any, metric_domain_kwargs: Given, **_: Any) -> AskedBatch:  # noqa: N805 - GX passes the class
        return AskedBatch(PandasBatch(execution_engine=execution_engine, domain=metric_domain_kwargs))

    @metric_value(engine=SparkDFExecutionEngine)
    def _spark(cls, execution_engine: Any, metric_domain_kwargs: Given, **_: Any) -> AskedBatch:  # noqa: N805 - the same
        return AskedBatch(SparkBatch(execution_engine=execution_engine, domain=metric_domain_kwargs))

    @metric_value(engine=SqlAlchemyExecutionEngine)
    def _sql(cls, execution_engine: Any, metric_domain_kwargs: Given, **_: Any) -> AskedBatch:  # noqa: N805 - the same
        return AskedBatch(SqlBatch(execution_engine=execution_engine, domain=metric_domain_kwargs))

    @metric_value(engine=DuckDBExecutionEngine)
    def _duckdb(cls, execution_engine: Any, metric_domain_kwargs: Given, **_: Any) -> AskedBatch:  # noqa: N805 - the same
        return AskedBatch(DuckDBBatch(execution_engine=execution_engine, domain=metric_domain_kwargs))


class QidguardAsked(TableMetricProvider):
    """One question about the batch, handed over to it."""

    metric_name = ASKED
    domain_keys = ("batch_id",)
    value_keys = ("asked",)

    @metric_value(engine=ExecutionEngine)
    def _asked(cls, metrics: Given, metric_value_kwargs: Given, **_: Any) -> bool:  # noqa: N805 - the same
        metrics[BATCH].ask(metric_value_kwargs["asked"])
        return True

    @classmethod
    def _get_evaluation_dependencies(cls, metric: Any, **_: Any) -> dict[str, MetricConfiguration]:
        return {BATCH: MetricConfiguration(BATCH, metric.metric_domain_kwargs)}


class QidguardAnswer(TableMetricProvider):
    """The answer to one question."""

    metric_name = ANSWER
    domain_keys = ("batch_id",)
    value_keys = ("asked",)

    @metric_value(engine=ExecutionEngine)
    def _answer(cls, metrics: Given, metric_value_kwargs: Given, **_: Any) -> ExpectationAnswer:  # noqa: N805 - the same
        batch: AskedBatch = metrics[BATCH]
        return batch.answer(metric_value_kwargs["asked"])

    @classmethod
    def _get_evaluation_dependencies(cls, metric: Any, **_: Any) -> dict[str, MetricConfiguration]:
        domain = metric.metric_domain_kwargs
        return {
            BATCH: MetricConfiguration(BATCH, domain),
            ASKED: MetricConfiguration(ASKED, domain, metric.metric_value_kwargs),
        }


SUPPORTED = ["Pandas", "Spark", "SQLite", "PostgreSQL", "DuckDB"]
"""The kinds of batches that our tests hold against each other."""

Parameter = dict[str, Any]
"""``{"$PARAMETER": name}``, for what is given when the suite runs."""

Limit = pydantic.StrictInt | pydantic.StrictFloat | Parameter
Column = pydantic.StrictStr | Parameter
Columns = list[pydantic.StrictStr] | Parameter


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
                "short_description": (
                    "Short Description",
                    "string",
                    (inspect.getdoc(model) or "").split("\n")[0],
                ),
                "supported_data_sources": ("Supported Data Sources", "array", SUPPORTED),
            }
            schema["properties"]["metadata"]["properties"].update(
                {name: {"title": t, "type": k, "const": v} for name, (t, k, v) in described.items()}
            )

    @classmethod
    def stated(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments together with those that the class says, as subclasses do."""
        said = {name: field.get_default() for name, field in cls.__fields__.items() if not field.required}
        return said | dict(given)

    _refusal: str = pydantic.PrivateAttr(default="")
    """Why what a run gave in the place of parameters cannot be judged; empty where it can."""

    def __init__(self, **given: Any) -> None:
        try:
            self._check_and_set(given)
        except pydantic.ValidationError as error:
            # the library makes an expectation once more when a suite runs, with what is given in the place of
            # parameters and with the batch; an error then would end the whole run, and leave no verdict
            if given.get("batch_id") is None:
                raise
            self._set_refused(given, _sentence(error))

    def _set_refused(self, given: Mapping[str, Any], reason: str) -> None:
        defaults = {name: field.get_default() for name, field in self.__fields__.items()}
        object.__setattr__(self, "__dict__", {**defaults, **given})
        object.__setattr__(self, "__fields_set__", set(given))
        self._init_private_attributes()
        self._refusal = reason

    def _check_and_set(self, given: Mapping[str, Any]) -> None:
        stated = self.stated(given)
        is_whole = all(name in stated for name, field in self.__fields__.items() if field.required)
        try:
            check_conditions(stated)
            if is_whole:  # what is missing is named by the library itself
                self._check(stated)
        except ValueError as error:
            # a validator of the whole model would name no argument, but an internal of that library
            named = re.match(r"\w*", str(error))
            place = named[0] if named and named[0] in self.__fields__ else "arguments"
            raise pydantic.ValidationError([pydantic.ErrorWrapper(error, loc=place)], type(self)) from None
        super().__init__(**given)

    @classmethod
    def _check(cls, stated: Mapping[str, Any]) -> None:
        """Raise ValueError where no batch could make these arguments right."""

    @abstractmethod
    def _asked(self) -> ExpectationQuestion:
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
                metric_value_kwargs={"asked": self._question().text},
            ),
        )
        return dependencies

    def _question(self) -> ExpectationQuestion:
        """Return what is asked, or why nothing can be."""
        return (
            ExpectationQuestion(kind="refused", policy={}, reason=self._refusal)
            if self._refusal
            else self._asked()
        )

    def _validate(
        self,
        metrics: Mapping[str, Any],
        runtime_configuration: dict[str, Any] | None = None,  # noqa: ARG002 - an expectation is asked so
        execution_engine: Any = None,  # noqa: ARG002 - the same
    ) -> dict[str, Any]:
        answer = metrics.get(ANSWER)
        if not isinstance(answer, ExpectationAnswer):
            answer = of_fault(InternalError("The batch gave no answer to this expectation; run it again."))
        return {
            "success": answer.is_passed is True,
            "result": {"observed_value": answer.observed, "details": dict(answer.details)},
            "exception_info": _exception_info(answer),
        }


def _sentence(error: pydantic.ValidationError) -> str:
    """Return the first fault of arguments as one sentence, without the names of that library."""
    fault = error.errors()[0]
    words = str(fault["msg"])
    if fault["type"] == "value_error":  # a sentence of ours
        return words
    return f"{fault['loc'][0]} does not fit ({words}); correct what the run gives for it"


def _exception_info(answer: ExpectationAnswer) -> dict[str, Any]:
    """Return what Great Expectations says where nothing could be judged; a missed limit is no exception."""
    is_judged = answer.details.get("exit_code") in {ExitCode.PASSED, ExitCode.BLOCKED}
    reason = None if is_judged else str(answer.details.get("reason"))
    return {
        "raised_exception": not is_judged,
        "exception_message": reason,
        # Data Docs show both as they are
        "exception_traceback": None if is_judged else "None is kept, since it may show values of the table.",
    }
