"""Dates that are written as texts: one reader for hierarchies, kinds and what is undone."""

from qidguard.core.dates.calendar_days import EPOCH
from qidguard.core.dates.forms import ORDERS, DateUnit
from qidguard.core.dates.orders import Doubt
from qidguard.core.dates.reading import DateReading, read_dates

__all__ = ["EPOCH", "ORDERS", "DateReading", "DateUnit", "Doubt", "read_dates"]
