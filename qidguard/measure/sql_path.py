"""The reference way: one SQL statement a subset on the engine."""

from collections.abc import Sequence

from qidguard.core.errors import MemoryLimitError, NotMeasurable, PluginError
from qidguard.core.metric import TableFunction
from qidguard.core.statistic import Number, StatisticValues
from qidguard.engines.base import Table
from qidguard.measure.answers import Answers
from qidguard.measure.batch import batches, union
from qidguard.measure.figure import Figure
from qidguard.measure.figure_value import NO_REASON, checked, fault


class SqlPath:
    """Measures figures on one subset after the other by asking the engine.

    Args:
        table: The opened table.
        figures: The figures, each beside its position among all that are asked for.
    """

    def __init__(self, table: Table, figures: Sequence[tuple[int, Figure]]) -> None:
        self._table = table
        self._of_size: dict[tuple[int, int], Number] = {}
        named = [f.attribute for _, f in figures if f.attribute is not None]
        by_attribute: dict[str | None, list[tuple[int, Figure]]] = {}
        for j, figure in figures:
            # figures of the class sizes ride along with a column's cells over the same QIDs
            rides = named and figure.attribute is None and not isinstance(figure.metric.method, TableFunction)
            by_attribute.setdefault(named[0] if rides else figure.attribute, []).append((j, figure))
        self._batches = [
            [(j, f) for j, f in together if any(f is one for one in batch)]
            for together in by_attribute.values()
            for batch in batches([f for _, f in together])
        ]

    def measure(self, qids: tuple[str, ...], row: int, answers: Answers) -> None:
        """Fill one row of the answers; PluginError, naming the owner, where a plugin fails."""
        for batch in self._batches:
            able = [(j, f) for j, f in batch if f.attribute not in qids]
            for j, figure in batch:
                if figure.attribute in qids:
                    answers.reasons[row, j] = f"{figure.attribute!r} is in the set that it is measured beside"
            shared = self._shared(qids, [f for _, f in able])
            for j, figure in able:
                try:
                    answers.values[row, j] = self._value(j, figure, qids, shared)
                except NotMeasurable as reason:
                    answers.reasons[row, j] = str(reason) or NO_REASON

    def _value(self, j: int, figure: Figure, qids: tuple[str, ...], shared: StatisticValues | None) -> Number:
        """Return one figure; one that depends on the size only is measured once for each size."""
        if not figure.metric.is_of_size:
            return figure_value(self._table, figure, qids, shared)
        key = (j, len(qids))
        if key not in self._of_size:
            self._of_size[key] = figure_value(self._table, figure, qids, shared)
        return self._of_size[key]

    def _shared(self, qids: tuple[str, ...], figures: Sequence[Figure]) -> StatisticValues | None:
        """Return the statistics of all figures; None where they must be asked one by one."""
        attribute = next((f.attribute for f in figures if f.attribute is not None), None)
        if not figures:
            return None
        ride = next(f for f in figures if f.attribute == attribute)
        try:
            return self._table.statistics(ride.grouping(qids), union(figures))
        except (PluginError, NotMeasurable, ValueError):
            return None


def figure_value(
    table: Table, figure: Figure, qids: tuple[str, ...], shared: StatisticValues | None
) -> Number:
    """Return one figure of one subset, from shared statistics or else from its own statement.

    NotMeasurable where no number exists; PluginError, naming the owner, where the plugin fails.
    """
    method = figure.metric.method
    try:
        if isinstance(method, TableFunction):
            return checked(figure.metric, method.measure(table, figure.grouping(qids), figure.arguments))
        values = table.statistics(figure.grouping(qids), figure.statistics()) if shared is None else shared
        return checked(figure.metric, method.compute(values, figure.arguments))
    except (NotMeasurable, MemoryLimitError, MemoryError):
        raise
    except PluginError as error:
        raise PluginError(f"{figure.owner}: {error}") from None
    except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
        raise PluginError(fault(figure.metric, figure.owner, error)) from None
