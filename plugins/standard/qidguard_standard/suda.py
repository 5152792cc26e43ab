"""SUDA by column, value and record: where special uniques come from. Values and records are internal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard_standard.metrics.suda import USUAL_FRACTION, suda_scores

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.sdk import ReadOptions


@dataclass(frozen=True, kw_only=True)
class SudaContributions:
    """Where the SUDA scores of a table come from.

    Args:
        by_column: One row a column: ``column`` and ``contribution``, percent of all scores that come from
            minimal sample uniques with it, 0..100. They add up to more than 100, since sets share columns.
            Names and shares only, so that it may be shown.
        by_value: Internal, since it names values of small classes: ``column``, ``value`` (None for NULL),
            ``records``, and ``contribution``, the percent of all scores that comes from records with the
            value by sets with its column.
        by_record: Internal as well: the QIDs of each record that something singles out, ``records`` (equal
            ones), ``score`` ≥ 0, ``dis`` 0..1, and one ``contribution of …`` a column, percent of the
            record's score. The highest score first.
    """

    by_column: "pd.DataFrame"
    by_value: "pd.DataFrame" = field(repr=False)
    by_record: "pd.DataFrame" = field(repr=False)


def suda_contributions(
    source: Any,
    qids: Sequence[str],
    *,
    max_size: int = 1000,
    sampling_fraction: float = USUAL_FRACTION,
    entity: str | None = None,
    read: "ReadOptions | None" = None,
) -> SudaContributions:
    """Return which columns, values and records the SUDA scores of a table come from.

    A minimal sample unique of k of M QIDs counts (M−k)!, and the score of a record is the sum over its own
    (Elliot, Manning & Ford 2002). A column's part in it is that of the sets that hold the column.

    Args:
        source: The table, as ``qidguard.audit`` takes it.
        qids: The quasi-identifiers, 1 to 27.
        max_size: The largest number of columns in a minimal sample unique, ≥ 1.
        sampling_fraction: For the DIS-SUDA scores, 0 < f ≤ 1.
        entity: The column of persons; None counts each record as one.
        read: How the source is read; None finds it out.

    Returns:
        The contributions. ``by_value`` and ``by_record`` hold the table's values and never belong into a
        report.

    Units:
        Contributions in percent, 0..100; scores have none.

    Raises:
        DataError: When there is no such column, or the source cannot be read without guessing.
        NotMeasurable: When the table has no records, or there are 28 QIDs or more.

    NULL is a value of its own. A table of a single class of several persons has no contributions: 0 for each
    column, and no records.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [30, 31, 30, 40]})
        >>> suda_contributions(table, ["sex", "age"]).by_column.round(1).to_numpy().tolist()
        [['age', 100.0], ['sex', 50.0]]
    """
    # what opens tables is imported late: a plugin is loaded wherever qidguard is
    import pandas as pd

    from qidguard.sdk import Needs, open_table

    names = tuple(qids)
    needs = Needs(columns=names, entity=entity)
    with open_table(source, needs, read=read) as table:
        scores = suda_scores(table, names, max_size, sampling_fraction)
        codes = table.codes(names).codes
        of_values: Any = table  # one whose records may be held in memory
        texts: list[Any] = [np.array(of_values.texts(name), dtype=np.object_) for name in names]
    total = float(scores.score.sum()) or 1.0
    parts = scores.score[:, np.newaxis] * scores.contribution / total
    columns = pd.DataFrame({"column": names, "contribution": scores.column_contribution})
    values = []
    for position, name in enumerate(names):
        by_code = np.bincount(codes[:, position], weights=parts[:, position], minlength=len(texts[position]))
        counted = np.bincount(codes[:, position], weights=scores.records, minlength=len(texts[position]))
        used = np.flatnonzero(by_code > 0)
        values.append(
            pd.DataFrame(
                {
                    "column": name,
                    "value": texts[position][used],
                    "records": counted[used].astype(np.int64),
                    "contribution": by_code[used],
                }
            )
        )
    found = np.flatnonzero(scores.score > 0)
    found = found[np.argsort(-scores.score[found], kind="stable")]
    records = pd.DataFrame({name: texts[i][codes[found, i]] for i, name in enumerate(names)})
    records["records"], records["score"], records["dis"] = (
        scores.records[found],
        scores.score[found],
        scores.dis[found],
    )
    for i, name in enumerate(names):
        records[f"contribution of {name}"] = scores.contribution[found, i]
    by_contribution = {"by": ["contribution", "column"], "ascending": [False, True]}
    return SudaContributions(
        by_column=columns.sort_values(**by_contribution).reset_index(drop=True),
        by_value=pd.concat(values).sort_values(**by_contribution).reset_index(drop=True),
        by_record=records,
    )
