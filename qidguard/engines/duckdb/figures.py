"""What DuckDB answers as a figure: a plain number, and nothing that could carry a value."""

from decimal import Decimal
from typing import Any

from qidguard.core.errors import PluginError
from qidguard.core.statistic import Number, Statistic


def plain_number(statistic: Statistic, value: Any) -> Number | None:
    """Return a statistic's value as a plain number; anything else could carry a value of the table."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    if isinstance(value, Decimal):
        return float(value)
    raise PluginError.of_somebody(
        f"statistic {statistic.name!r} gave {type(value).__name__}, not a number; mend the plugin"
    )
