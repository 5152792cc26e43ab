"""What anonymizers that keep a series would do for a table that misses a threshold over time."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from qidguard.advising.advice import ForSeries
from qidguard.auditing.remedy import find_remedy

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy

TrySeries = Callable[[], ForSeries]
"""Runs the policy's remedy on the table, as a release would."""


def series_keeper(policy: "Policy", host: "Host") -> str | None:
    """Return the policy's remedy where it keeps a series; None for any other and for none."""
    remedy = find_remedy(policy, host)
    return None if remedy is None or not remedy.needs_last_values else remedy.anonymizer.name


def installed_for_series(host: "Host") -> ForSeries | None:
    """Return the anonymizers that say that they keep a series; None where there is none."""
    names = [name for name, one in host.anonymizers.items() if getattr(one, "needs_last_values", False)]
    return ForSeries(anonymizers=tuple(names)) if names else None
