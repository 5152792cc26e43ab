"""The distribution of a metric over the classes of a table."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

import numpy as np

from qidguard import GroupBy, Grouping, Metric, UserError
from qidguard_qidlearning.distribution.distribution import Distribution
from qidguard_qidlearning.metrics.class_function import ClassFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard import Audit, Table


def distribution_of(
    source: "Audit | Table", metric: Metric | str, qids: "Sequence[str]", attribute: str | None = None
) -> Distribution:
    """Return a metric's value in every class.

    Args:
        source: An audit, or an opened table; it is only read.
        metric: A metric that has a value in every class: the name of one of this plugin, or any metric.
        qids: The columns that make the classes, at least one.
        attribute: The sensitive attribute, target or treatment, for a metric that is measured beside one.

    Returns:
        The values and sizes, sorted by value; empty for a table without records. NULL in a QID makes a class.

    Units:
        The metric's own, and persons.

    Raises:
        UserError: When the name is unknown, the metric has no value per class, or the attribute is lacking or
            out of place.
        NotMeasurable: When the metric takes numbers and the attribute holds text.

    Example:
        >>> import pandas as pd, qidguard
        >>> frame = pd.DataFrame({"sex": ["f", "f", "m"], "job": ["a", "b", "a"]})
        >>> with qidguard.audit(frame) as audit:
        ...     distribution_of(audit, "l_diversity", ["sex"], "job").values.tolist()
        [1.0, 2.0]
    """
    from qidguard import Audit

    metric = _named(metric) if isinstance(metric, str) else metric
    if metric.attribute is not None and attribute is None:
        raise UserError(f"metric {metric.name!r} is measured beside a {metric.attribute} column; name one")
    if metric.attribute is None and attribute is not None:
        raise UserError(f"metric {metric.name!r} is measured on the QIDs alone; leave {attribute!r} out")
    # an audit shows its table as a view; the table itself has the class values
    table = cast("Table", source.table) if isinstance(source, Audit) else source
    grouping = Grouping(qids=tuple(qids), sensitive=attribute)
    method = metric.method
    if isinstance(method, GroupBy):
        if method.distribution is None:
            raise UserError(f"metric {metric.name!r} has no value per class")
        found = table.class_values(grouping, method.distribution)
        values, sizes = found[:, 0], found[:, 1].astype(np.int64)
    elif isinstance(method.measure, ClassFunction):
        values, sizes = method.measure.class_values(table, grouping)
    else:
        raise UserError(f"metric {metric.name!r} has no value per class")
    order = np.lexsort((sizes, values))
    label = f"{metric.title}, {metric.unit.value}"
    return Distribution(values=values[order], sizes=sizes[order], label=label)


def _named(name: str) -> Metric:
    from qidguard_qidlearning.metrics import METRICS

    known = {metric.name: metric for metric in METRICS}
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "give the metric itself"
        raise UserError(f"this plugin has no metric {name!r}; {hint}")
    return known[name]
