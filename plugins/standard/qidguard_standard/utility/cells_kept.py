"""What single cells keep, and what suppressed records cost.

Granularity: the share of their columns' detail that published cells keep, counted in values.

It is no group-by: each cell is compared with its original.

Originality: the share of quasi-identifier cells that are published as they were.

Kept share: how many of the original's records are published.

It is no group-by: it counts the original's records, too.

Discernibility as Bayardo & Agrawal define it, suppressed records charged.

It is no group-by: it charges records that are no longer in the table.

Example:
    >>> from types import SimpleNamespace
    >>> from qidguard.sdk import Grouping
    >>> from qidguard_standard.utility.shared import three_jobs
    >>> round(
    ...     GRANULARITY.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3
    ... )
    0.5
    >>> round(
    ...     ORIGINALITY.method.measure(SimpleNamespace(changes=three_jobs()), Grouping(qids=("job",)), {}), 3
    ... )
    0.333
    >>> view = SimpleNamespace(changes=three_jobs())
    >>> round(KEPT_SHARE.method.measure(view, Grouping(qids=("job",)), {}), 3)
    0.667
    >>> DISCERNIBILITY_WITH_SUPPRESSION.method.measure(view, Grouping(qids=("job",)), {})  # 1 + 1 + 3·1
    5
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    TableFunction,
    TableView,
    Unit,
    class_numbers,
)
from qidguard_standard.metrics.wording import QID_NULL, scale
from qidguard_standard.utility.cells import mean_cell_loss
from qidguard_standard.utility.changed_columns import changed_columns, original_and_published
from qidguard_standard.utility.shared import ALIGNED, BY_CELLS, CELLS, EMPTY, NO_NUMBER, SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard_standard.utility.changed_columns import ChangedColumn


def _loss(
    column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return (values covered − 1)/(values in the domain − 1), numbers counted like any other values."""
    read = column.coverage
    is_wrong = ~read.covers(published, original)
    counts = np.where(is_wrong, np.maximum(read.counts[published], 1) + 1, read.counts[published])
    losses = np.clip((counts - 1) / max(read.domain.size - 1, 1), 0.0, 1.0)
    is_mark = read.is_suppressed[published] | (is_wrong & read.is_mark[published])
    losses = np.where(is_mark, 1.0, losses)
    return np.where(read.same[published] == original, 0.0, losses)


def _granularity(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share kept; it compares cells with their originals, so it is no group-by."""
    return 1.0 - mean_cell_loss(view, grouping, _loss)


GRANULARITY = Metric(
    name="granularity",
    title="granularity",
    **SHARE,
    method=TableFunction(measure=_granularity),
    explanation=Explanation(
        meaning="How much of their columns' detail the published cells keep, counted in values: 1 means "
        "exact values, 0 that everything is suppressed. Unlike ncp it counts the numbers that an interval "
        "covers and not its width, so empty stretches between numbers cost nothing.",
        formula="1 − mean over all QID cells of the original of (values covered − 1)/(values in the domain − "
        f"1), numbers included; a suppressed cell or record loses 1. {CELLS} {ALIGNED}",
        source="Iyengar 2002, Transforming data to satisfy privacy constraints, KDD, loss metric LM, turned "
        "round so that it is what is kept, as ARX reports it",
        good_value=f"Higher keeps more. {NO_NUMBER}",
        **BY_CELLS,
        single_class="0 where it is suppressed as a whole; else what the one published combination covers.",
    ),
)


def _is_changed(
    column: "ChangedColumn", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    return np.where(column.coverage.same[published] == original, 0.0, 1.0)


def _originality(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share; it compares cells with their originals, so it is no group-by."""
    return 1.0 - mean_cell_loss(view, grouping, _is_changed)


ORIGINALITY = Metric(
    name="originality",
    title="originality",
    **SHARE,
    method=TableFunction(measure=_originality),
    explanation=Explanation(
        meaning="The share of the original's quasi-identifier cells that are published with their own value. "
        "It says nothing of how far the others moved: ncp and information_loss do.",
        formula="cells published with the original's value / (QIDs · records of the original); a number "
        f"written otherwise is the same value, a cell of a suppressed record is not published. {ALIGNED}",
        source="Majeed & Hwang 2023, Differential privacy and k-anonymity-based privacy preserving data "
        "publishing scheme with minimal loss of statistical information, IEEE TCSS, section IV, Table III",
        good_value=f"Higher keeps more. {NO_NUMBER}",
        missing="A NULL that is published as NULL is its own value.",
        empty=EMPTY,
        single_class="The share of records that have the published values themselves.",
    ),
)


def _kept_share(view: TableView, _: Grouping, __: Arguments) -> float:
    """Return the share; it counts the original's records, so it is no group-by."""
    changes = original_and_published(view)
    return changes.after.records / changes.before.records


KEPT_SHARE = Metric(
    name="kept_share",
    title="share of records kept",
    **SHARE,
    method=TableFunction(measure=_kept_share),
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


def _discernibility_with_suppression(view: TableView, grouping: Grouping, _: Arguments) -> int:
    """Return the penalty; it charges records that are no longer there, so it is no group-by."""
    columns = changed_columns(view, grouping)
    # the same values under other codes make the same classes
    classes = class_numbers(np.stack([column.after.codes for column in columns], axis=1))
    sizes = np.bincount(classes).astype(object)  # n² of a large table leaves 64 bits
    return int((sizes * sizes).sum()) + columns[0].before.records * columns[0].suppressed


DISCERNIBILITY_WITH_SUPPRESSION = Metric(
    name="discernibility_with_suppression",
    title="discernibility with suppression penalty",
    **scale(Unit.SCORE, 0, math.inf),
    method=TableFunction(measure=_discernibility_with_suppression),
    needs_original=True,
    explanation=Explanation(
        meaning="What anonymization costs in detail: every published record pays one point for each record "
        "in its class, every suppressed one a point for each record of the original. It counts records, also "
        "where persons are entities.",
        formula="C_DM = Σ size² over published classes + n·(records suppressed), n the original's records. "
        "The metric discernibility, of the published table alone, is its first part.",
        source="Bayardo & Agrawal 2005, Data privacy through optimal k-anonymization, ICDE, metric C_DM",
        good_value="Lower keeps more detail, from n (all records differ) to n² (all alike, or suppressed). "
        f"{NO_NUMBER}",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="n², the largest possible.",
    ),
)

METRICS: tuple[Metric, ...] = (GRANULARITY, ORIGINALITY, KEPT_SHARE, DISCERNIBILITY_WITH_SUPPRESSION)
