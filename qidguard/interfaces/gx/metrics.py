"""The metrics behind our expectations: the batch, the questions about it, and each question's answer.

Great Expectations computes what others depend on first. So every question of a suite has reached the batch
before the first one is answered, and one opened table answers them all.
"""

from typing import Any

from great_expectations.execution_engine import (
    ExecutionEngine,
    PandasExecutionEngine,
    SparkDFExecutionEngine,
    SqlAlchemyExecutionEngine,
)
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from great_expectations.validator.metric_configuration import MetricConfiguration

from qidguard.interfaces.gx.answer import Answer
from qidguard.interfaces.gx.answering import AskedBatch
from qidguard.interfaces.gx.batches.readers import DuckDBBatch, PandasBatch, SparkBatch, SqlBatch
from qidguard.interfaces.gx.duckdb.execution_engine import DuckDBExecutionEngine

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
    def _answer(cls, metrics: Given, metric_value_kwargs: Given, **_: Any) -> Answer:  # noqa: N805 - the same
        batch: AskedBatch = metrics[BATCH]
        return batch.answer(metric_value_kwargs["asked"])

    @classmethod
    def _get_evaluation_dependencies(cls, metric: Any, **_: Any) -> dict[str, MetricConfiguration]:
        domain = metric.metric_domain_kwargs
        return {
            BATCH: MetricConfiguration(BATCH, domain),
            ASKED: MetricConfiguration(ASKED, domain, metric.metric_value_kwargs),
        }
