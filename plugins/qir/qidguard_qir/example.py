"""Small tables for the examples of this package."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, MemoryRecords, ValueType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qidguard_qir.compared_choices import ChoiceComparison
    from qidguard_qir.dimensions import Dimensions


def small(**columns: "Sequence[str | None]") -> MemoryRecords:
    """Return a table of columns of texts, in memory."""
    return MemoryRecords.of_columns(_column(name, values) for name, values in columns.items())


def _column(name: str, values: "Sequence[str | None]") -> ColumnValues:
    texts: tuple[str | None, ...] = (None, *sorted({value for value in values if value is not None}))
    codes = np.array([texts.index(value) for value in values], dtype=np.int32)
    return ColumnValues(name=name, value_type=ValueType.TEXT, codes=codes, texts=texts)


def halves() -> "tuple[MemoryRecords, MemoryRecords, NDArray[np.bool_]]":
    """Return four ages, what is published of them (two intervals), and which records are kept: all."""
    before = small(age=["31", "35", "42", "47"])
    return before, small(age=["{31, 35}", "{31, 35}", "{42, 47}", "{42, 47}"]), np.ones(4, dtype=np.bool_)


def dimensions() -> "Dimensions":
    """Return what Algorithm 2 found of three quasi-identifiers on one sample, k = 5."""
    from qidguard_qir.dimensions import ChosenDimension, DimensionChoice, DimensionRun, Dimensions
    from qidguard_qir.gain import Gain

    figures = ((0.5, 0.3, 10.0), (0.5, 0.1, 30.0), (1.0, 0.1, 60.0))
    runs = tuple(
        DimensionRun(
            size=0.1,
            seed=0,
            k=5,
            dimension=at,
            gain=Gain(
                persons=80,
                smallest_before=1,
                smallest_after=5,
                risk_before=before,
                risk_after=after,
                bits_lost=lost,
                bits_whole=100.0,
            ),
        )
        for at, (before, after, lost) in enumerate(figures, start=1)
    )
    chosen = ChosenDimension(
        size=0.1, k=5, dimension=2, shares={2: 1.0}, choices={0: DimensionChoice(dimension=2, reason="")}
    )
    return Dimensions(
        qids=("age", "ward", "sex"),
        risks=(0.1, 0.05, 0.01),
        anonymizer="full_domain",
        records=800,
        runs=runs,
        chosen=(chosen,),
        asked=3,
    )


def compared() -> "ChoiceComparison":
    """Return a comparison of two choices at k = 5 and 15."""
    from qidguard_qir.compared_choices import ChoiceComparison, ComparedRun
    from qidguard_qir.gain import Gain

    def gain(removed: float) -> Gain:
        return Gain(
            persons=80,
            smallest_before=1,
            smallest_after=15,
            risk_before=1.0,
            risk_after=1 - removed,
            bits_lost=30.0,
            bits_whole=100.0,
        )

    figures = (("QIR", 5, 0.8), ("SQI", 5, 0.4), ("QIR", 15, 0.6), ("SQI", 15, 0.4))
    return ChoiceComparison(
        choices={"QIR": ("age", "ward"), "SQI": ("age",)},
        qids=("age", "ward", "sex"),
        anonymizer="full_domain",
        records=80,
        by_k=tuple(
            ComparedRun(choice=name, size=None, k=k, gain=gain(removed), gain_over_all=gain(removed / 2))
            for name, k, removed in figures
        ),
        by_size=(),
        asked=4,
    )
