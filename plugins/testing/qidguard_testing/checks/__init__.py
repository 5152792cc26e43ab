"""The checks of one run, each a function of a trial that yields what is wrong."""

from collections.abc import Callable, Iterator

from qidguard_testing.checks.guaranteed import guaranteed
from qidguard_testing.checks.published import (
    direct_identifiers,
    proven_claims,
    row_accounting,
    truth,
    untouched_columns,
    value_types,
)
from qidguard_testing.checks.told import outcome, plots, progress, silence
from qidguard_testing.trial import KitTrial

Check = Callable[[KitTrial], Iterator[str]]

CHECKS: tuple[Check, ...] = (
    outcome,
    row_accounting,
    untouched_columns,
    direct_identifiers,
    value_types,
    truth,
    proven_claims,
    guaranteed,
    plots,
    progress,
    silence,
)
"""Every check of one run."""

__all__ = ["CHECKS", "Check"]
