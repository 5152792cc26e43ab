"""What an anonymiser claims of its table, beside what is measured on that table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymize.protocol import Guarantee
from qidguard.core.errors import QidguardError
from qidguard.core.measurement import Measurement
from qidguard.core.parameter import bind
from qidguard.core.progress import SILENT
from qidguard.measure.evaluator import measure
from qidguard.measure.question import Question

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.host import Host

MOST_CLAIMS = 1_000
"""Claims that are measured; of an attacker who knows some of many QIDs there may be more."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim and what was measured.

    Args:
        guarantee: What the anonymiser claims.
        measurement: What was measured on the published table.
    """

    guarantee: Guarantee
    measurement: Measurement

    @property
    def is_kept(self) -> bool:
        """Whether the figure keeps the limit that was claimed; not where there is no figure."""
        return self.guarantee.limit.is_met_by(self.measurement.value)


def claimed_columns(guarantees: Sequence[Guarantee]) -> tuple[str, ...]:
    """Return every column that a claim speaks of, each once."""
    named = (n for g in guarantees for n in (*g.qids, *(() if g.sensitive is None else (g.sensitive,))))
    return tuple(dict.fromkeys(named))


def measured_claims(table: "Table", guarantees: Sequence[Guarantee], host: "Host") -> tuple[Claim, ...]:
    """Return each claim beside the figure; a claim of what nobody can measure has a reason in its place.

    Args:
        table: The published table, opened with the columns of the claims.
        guarantees: The claims.
        host: The plugins whose metrics are named.
    """
    asked = [
        _question(guarantee, host)
        if at < MOST_CLAIMS
        else _unmeasured(guarantee, f"only the first {MOST_CLAIMS:,} claims are measured")
        for at, guarantee in enumerate(guarantees)
    ]
    questions = [question for question in asked if isinstance(question, Question)]
    figures = iter(measure(table, questions, SILENT))
    return tuple(
        Claim(guarantee=g, measurement=next(figures) if isinstance(q, Question) else q)
        for g, q in zip(guarantees, asked, strict=True)
    )


def _question(guarantee: Guarantee, host: "Host") -> Question | Measurement:
    try:
        metric = host.metric(guarantee.metric)
        arguments = bind(metric.parameters, guarantee.parameters)
    except QidguardError as error:
        return _unmeasured(guarantee, str(error))
    return Question(
        metric=metric,
        arguments=arguments,
        qids=guarantee.qids,
        sensitive=guarantee.sensitive,
        bound=guarantee.limit.bound,
        owner=host.owner("metrics", metric.name),
    )


def _unmeasured(guarantee: Guarantee, reason: str) -> Measurement:
    return Measurement(metric=guarantee.metric, value=None, unit="", qids=guarantee.qids, reason=reason)
