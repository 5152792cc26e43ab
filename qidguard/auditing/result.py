"""The result of an audit, as a Python caller holds it."""

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from qidguard.core.errors import ExitCode, UserError
from qidguard.core.metric import GroupBy
from qidguard.core.report import AuditReport
from qidguard.core.verdict import ThresholdResult, Verdict
from qidguard.core.view import Grouping, TableView
from qidguard.engines.base import Table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from qidguard.host import Host


class Audit:
    """One finished audit; it prints well in a terminal and a notebook.

    The table stays open, locked, for ``distribution`` until ``close`` is called or the audit is forgotten.
    """

    def __init__(self, report: AuditReport, table: Table, host: "Host") -> None:
        self.report = report
        self._table = table
        self._host = host
        # also runs when the interpreter ends, so that nobody has to remember to close an audit
        self._closing = weakref.finalize(self, table.close)
        self._closings: list[Callable[[], object]] = []

    @property
    def verdict(self) -> Verdict | None:
        """The judgment, or None without a policy."""
        return self.report.verdict

    @property
    def thresholds(self) -> tuple[ThresholdResult, ...]:
        """The judged thresholds with their figures; UserError without a policy, since nothing was judged."""
        if self.verdict is None:
            raise UserError("The audit was given no policy, so there are no thresholds; give it one.")
        return self.verdict.thresholds

    @property
    def is_passed(self) -> bool:
        """Whether a policy was given and holds."""
        return self.report.is_passed

    @property
    def exit_code(self) -> ExitCode:
        """0 passed or described, 1 blocked, 3 blocked by a fault of a plugin or of qidguard."""
        return self.report.exit_code

    @property
    def table(self) -> TableView:
        """The table in codes and counts, for functions that plugins offer beside their metrics."""
        return self._table

    @property
    def opened(self) -> Table:
        """The opened table itself, for the host's own further questions."""
        return self._table

    def distribution(
        self, metric: str, *, qids: tuple[str, ...], sensitive: str | None = None
    ) -> "NDArray[np.float64]":
        """Return a metric's value in every class beside the class's size.

        Args:
            metric: The name of a metric that has a value in every class.
            qids: The columns that make the classes, at least one.
            sensitive: The sensitive attribute, target or treatment, where the metric is measured beside one.

        Returns:
            Shape (classes, 2): the value in the metric's unit, and the size in persons. No order.

        Units:
            The metric's own, and persons.

        Raises:
            UserError: When the metric has no value per class, or needs a sensitive attribute.

        Example:
            >>> import pandas as pd, qidguard
            >>> found = qidguard.audit(pd.DataFrame({"sex": ["f", "f", "m"]}))
            >>> sorted(map(tuple, found.distribution("k_anonymity", qids=("sex",)).tolist()))
            [(1.0, 1.0), (2.0, 2.0)]
            >>> found.close()
        """
        chosen = self._host.metric(metric)
        value = chosen.method.distribution if isinstance(chosen.method, GroupBy) else None
        if value is None:
            raise UserError(f"metric {metric!r} has no value per class")
        if chosen.attribute is not None and sensitive is None:
            of = "per sensitive attribute" if chosen.is_sensitive else f"beside a {chosen.attribute} column"
            raise UserError(f"metric {metric!r} is measured {of}; name one")
        return self._table.class_values(Grouping(qids=tuple(qids), sensitive=sensitive), value)

    def to_frame(self) -> "pd.DataFrame":
        """Return the judged thresholds as a table; without a policy, the columns.

        Returns:
            One row a threshold, with its figure and limit in the metric's ``unit``; or one row a column, with
            its role and its ``risk``, the mean of 1/class size, 0..1.

        Example:
            >>> import pandas as pd, qidguard
            >>> with qidguard.audit(pd.DataFrame({"sex": ["f", "f", "m"]})) as found:
            ...     found.to_frame()[["name", "role", "distinct"]].to_dict("records")
            [{'name': 'sex', 'role': 'quasi_identifier', 'distinct': 2}]
        """
        from qidguard.rendering.frame import columns_frame, thresholds_frame

        return columns_frame(self.report) if self.verdict is None else thresholds_frame(self.report)

    def to_dict(self) -> "dict[str, Any]":
        """Return the document ``qidguard-audit/1``, which ``qidguard schema audit`` describes.

        Returns:
            Counts, shares and column names; no value of the table, no infinity and no NaN.

        Example:
            >>> import pandas as pd, qidguard
            >>> with qidguard.audit(pd.DataFrame({"sex": ["f", "f", "m"]})) as found:
            ...     found.to_dict()["table"]
            {'records': 3, 'entities': None, 'columns': 1, 'person': 'records'}
        """
        from qidguard.rendering.document import document

        return document(self.report)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard audit --format json`` writes.

        Example:
            >>> import pandas as pd, qidguard
            >>> with qidguard.audit(pd.DataFrame({"sex": ["f", "f", "m"]})) as found:
            ...     found.to_json().splitlines()[1]
            '  "format": "qidguard-audit/1",'
        """
        from qidguard.rendering.document import json_text

        return json_text(self.report)

    def close_with(self, also: Callable[[], None]) -> None:
        """Close something beside the table, when the audit is closed or forgotten.

        Args:
            also: Closes it.

        Example:
            >>> import pandas as pd, qidguard
            >>> with qidguard.audit(pd.DataFrame({"sex": ["f", "m"]})) as found:
            ...     found.close_with(lambda: print("closed"))
            closed
        """
        self._closings.append(weakref.finalize(self, also))

    def close(self) -> None:
        """Give back the table's memory and spilled files."""
        self._closing()
        for closing in self._closings:
            closing()

    def __bool__(self) -> bool:
        """Return whether the policy holds; UserError without a policy."""
        return bool(self.report)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from qidguard.rendering.console import console_text

        return console_text(self.report)

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from qidguard.rendering.console import render

        yield render(self.report, options.max_width)

    def _repr_html_(self) -> str:
        from qidguard.rendering.notebook import to_html_fragment

        return to_html_fragment(self.report)
