"""An original table beside a published one, both written by hand, and a view that metrics are measured on."""

from dataclasses import dataclass, field

import numpy as np

from columns import column
from qidguard.sdk import Changes, Grouping, ValueType


@dataclass(frozen=True)
class Columns:
    """A table of columns."""

    by_name: dict
    records: int

    @property
    def names(self):
        """The names."""
        return tuple(self.by_name)

    def column(self, name):
        """Return one column."""
        return self.by_name[name]


@dataclass(frozen=True)
class View:
    """What a metric sees of a published table."""

    changes: Changes | None
    is_interrupted: bool = False
    grouping: Grouping = field(default_factory=lambda: Grouping(qids=("a",)))


def table(columns, types=None):
    """Return a table of name → values."""
    types = types or {}
    made = {name: column(v, name=name, value_type=types.get(name)) for name, v in columns.items()}
    return Columns(made, len(next(iter(columns.values()))))


def view(before, after, kept=None, *, aligned=True, types=None, **given):
    """Return a view of a published table; without ``kept`` all records are, in their order.

    A published column of other than numbers is of text.
    """
    original = table(before, types)
    published = table(
        {n: _texts(v) for n, v in after.items()},
        {n: _type(v, original.column(n).value_type if n in before else None) for n, v in after.items()},
    )
    mask = np.ones(original.records, dtype=np.bool_) if kept is None else np.array(kept, dtype=np.bool_)
    changes = Changes(before=original, after=published, kept=mask if aligned else None, **given)
    return View(changes, grouping=Grouping(qids=tuple(before)))


def _texts(values):
    if any(isinstance(value, str) for value in values):
        return [None if value is None else str(value) for value in values]
    return values


def _type(values, own):
    if any(isinstance(value, str) for value in values):
        return ValueType.TEXT
    return own if all(value is None for value in values) else None


def measured(metric, seen, **arguments):
    """Return a metric's figure on a view."""
    from qidguard.core.parameter import bind

    return metric.method.measure(seen, seen.grouping, bind(metric.parameters, arguments))
