"""The checks of one run, each a function of a trial that yields what is wrong."""

from collections.abc import Callable, Iterator

from qidguard.testing.checks.direct_identifiers import direct_identifiers
from qidguard.testing.checks.outcome import outcome
from qidguard.testing.checks.progress import progress
from qidguard.testing.checks.proven_claims import proven_claims
from qidguard.testing.checks.row_accounting import row_accounting
from qidguard.testing.checks.silence import silence
from qidguard.testing.checks.truth import truth
from qidguard.testing.checks.untouched_columns import untouched_columns
from qidguard.testing.checks.value_types import value_types
from qidguard.testing.trial import Trial

Check = Callable[[Trial], Iterator[str]]

CHECKS: tuple[Check, ...] = (
    outcome,
    row_accounting,
    untouched_columns,
    direct_identifiers,
    value_types,
    truth,
    proven_claims,
    progress,
    silence,
)
"""Every check of one run."""

__all__ = ["CHECKS", "Check"]
