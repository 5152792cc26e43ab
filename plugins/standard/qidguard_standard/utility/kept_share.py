"""Kept share: how many of the original's records are published.

It is no group-by: it counts the original's records, too.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.example import three_jobs
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> round(KEPT_SHARE.method.measure(view, Grouping(qids=("job",)), {}), 3)
    0.667
"""

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.utility.changed_columns import original_and_published
from qidguard_standard.utility.wording import EMPTY, NO_NUMBER


def _measure(view: TableView, _: Grouping, __: Arguments) -> float:
    """Return the share; it counts the original's records, so it is no group-by."""
    changes = original_and_published(view)
    return changes.after.records / changes.before.records


KEPT_SHARE = Metric(
    name="kept_share",
    title="share of records kept",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.NEITHER,
    method=TableFunction(measure=_measure),
    needs_original=True,
    explanation=Explanation(
        meaning="The share of the original's records that are published at all; the rest was suppressed as a "
        "whole. It counts records, also where persons are entities.",
        formula="records of the published table / records of the original",
        source="Samarati 2001, Protecting respondents' identities in microdata release, IEEE TKDE: the "
        "suppression that MaxSup limits",
        good_value=f"1 keeps everybody; studies allow 1 to 5 % of suppressed records. {NO_NUMBER}",
        missing="A record with NULL is a record.",
        empty=EMPTY,
        single_class="As for any table: classes do not matter.",
    ),
)
"""The share of records that are published."""
