"""What Algorithm 2 found: every rehearsal, and the choice with its stability."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.sdk import Plot, ResultTable
from qidguard_qir.gain import Gain

if TYPE_CHECKING:
    import pandas as pd

Size = float | int | None
"""A share of the persons (a float), a number of them (an int), or all (None)."""


@dataclass(frozen=True, kw_only=True)
class DimensionRun:
    """One rehearsal: a sample, k, and the first so many quasi-identifiers.

    Args:
        size: The size of the sample.
        seed: The seed that drew it.
        k: The smallest class that was asked for, persons.
        dimension: Number of quasi-identifiers, ≥ 1.
        gain: What was won and lost; None where there is no figure.
        reason: Why there is none.
    """

    size: Size
    seed: int
    k: int
    dimension: int
    gain: Gain | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class DimensionChoice:
    """The chosen dimension.

    Args:
        dimension: The number of quasi-identifiers.
        reason: Why, one phrase.
        tied: The other dimensions that the rule holds equally good, rising; the smallest was taken.
    """

    dimension: int
    reason: str
    tied: tuple[int, ...] = ()


def choose(offers: Mapping[int, tuple[float, float]]) -> DimensionChoice | None:
    """Return the dimension that the rule chooses.

    A dimension that has both the largest PG and the largest NUE wins (Mansour et al. 2021, Algorithm 2, line
    13). Where none has both, which is the rule, the one with the largest min(PG, NUE) wins: that much it
    offers for sure. Of equals the smallest is taken, since it makes fewer columns vague, and the others are
    told.

    Args:
        offers: Dimension → its PG and NUE, for those that were measured.

    Returns:
        The choice; None where there is no offer.

    Units:
        PG and NUE in percent; the dimension in quasi-identifiers.

    Example:
        >>> choose({1: (33.8, 30.41), 2: (55.34, 44.65), 3: (77.94, 22.05)}).dimension  # Table 3, k = 5
        2
    """
    if not offers:
        return None
    best = tuple(max(figures) for figures in zip(*offers.values(), strict=True))
    equal = [dimension for dimension, figures in offers.items() if figures == best]
    reason = "it has the largest privacy gain and keeps the most information"
    if not equal:
        lesser = max(map(min, offers.values()))
        equal = [dimension for dimension, figures in offers.items() if min(figures) == lesser]
        reason = f"no dimension leads in both; the lesser of its two figures is the largest, {lesser:.4g} %"
    first, *others = sorted(equal)
    return DimensionChoice(dimension=first, reason=reason, tied=tuple(others))


@dataclass(frozen=True, kw_only=True)
class ChosenDimension:
    """The choice for one k and one size of sample.

    Args:
        size: The size of the samples.
        k: The smallest class, persons.
        dimension: What the most samples choose, of equals the smallest; None where none has a figure.
        shares: Dimension → the share of the samples that choose it, 0..1.
        choices: Seed → the choice on its sample, with its reason and ties.
        missing: Dimensions without a figure in some sample, rising: nothing was chosen among those.
    """

    size: Size
    k: int
    dimension: int | None
    shares: Mapping[int, float]
    choices: Mapping[int, DimensionChoice]
    missing: tuple[int, ...] = ()

    @property
    def stability(self) -> float:
        """The share of the samples that choose the dimension, 0..1; 0 where there is none."""
        return 0.0 if self.dimension is None else self.shares[self.dimension]


@dataclass(frozen=True, kw_only=True)
class Dimensions:
    """What Algorithm 2 found; it prints well, and holds names and figures, no value of the table.

    Args:
        qids: The quasi-identifiers in the order of falling risk, of equals in the table's order.
        risks: The mean prosecutor risk of each alone over all records, shares 0..1, in the same order.
        anonymizer: The anonymizer inside, parameters in brackets.
        records: Records of the table that samples were drawn from.
        runs: Every rehearsal.
        chosen: The choice for each size and k.
        asked: Rehearsals that were asked for; more than there are runs where it was stopped early.
    """

    qids: tuple[str, ...]
    risks: tuple[float, ...]
    anonymizer: str
    records: int
    runs: tuple[DimensionRun, ...] = field(repr=False)
    chosen: tuple[ChosenDimension, ...]
    asked: int

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end; unfinished samples choose nothing."""
        return len(self.runs) < self.asked

    @property
    def dimension(self) -> int | None:
        """The dimension that the most samples choose over all k and sizes; of equals the smallest."""
        votes = Counter(c.dimension for one in self.chosen for c in one.choices.values())
        return min(votes, key=lambda d: (-votes[d], d)) if votes else None

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers of the chosen dimension, those of the highest risk; none where there is none.

        Example:
            >>> from qidguard_qir.example import dimensions
            >>> dimensions().dimension, dimensions().quasi_identifiers
            (2, ('age', 'ward'))
        """
        return self.qids[: self.dimension or 0]

    @property
    def headline(self) -> str:
        """What was chosen, by which anonymizer, and how far it came, in two or three lines."""
        from qidguard_qir.dimension_text import headline

        return "\n".join(headline(self))

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the choices, the means of each dimension, and every rehearsal, to be shown and saved.

        Example:
            >>> from qidguard_qir.example import dimensions
            >>> [table.name for table in dimensions().tables()]
            ['choices', 'means', 'rehearsals']
        """
        from qidguard_qir.dimension_text import tables

        return tables(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return every rehearsal as a row.

        Returns:
            Size, seed, k, dimension, the quasi-identifier that joined, PG in percent of the mean risk, PG in
            persons, NUE in percent kept and in bits lost, the share of records suppressed, and the reason
            where there is no figure.

        Units:
            Percent, persons, bits and shares, as the headings say.

        Example:
            >>> from qidguard_qir.example import dimensions
            >>> dimensions().to_frame()[["k", "dimension", "pg_percent", "nue_percent"]].values.tolist()[:2]
            [[5.0, 1.0, 40.0, 90.0], [5.0, 2.0, 80.0, 70.0]]
        """
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(COLUMNS))

    def rows(self) -> list[tuple[str | int | float | None, ...]]:
        """Return every rehearsal as a row of ``COLUMNS``."""
        return [self._row(run) for run in self.runs]

    def _row(self, run: DimensionRun) -> tuple[str | int | float | None, ...]:
        gain = run.gain
        figures: tuple[int | float | None, ...] = (None,) * 5
        if gain is not None:
            figures = gain.privacy_gain, gain.anonymity_gain, gain.kept, gain.bits_lost, gain.suppressed
        return (
            size_text(run.size), run.seed, run.k, run.dimension, self.qids[run.dimension - 1],
            *figures, run.reason,
        )  # fmt: skip

    def of(self, size: Size, k: int, dimension: int) -> tuple[Gain, ...]:
        """Return what was won and lost in each sample of a size, for one k and dimension."""
        return tuple(
            run.gain
            for run in self.runs
            if (run.size, run.k, run.dimension) == (size, k, dimension) and run.gain is not None
        )

    def plots(self) -> tuple[Plot, ...]:
        """Return PG and NUE by dimension for each k (the paper's Figures 4 and 6), and the stability.

        Raises:
            NotMeasurable: When no rehearsal has a figure.

        Example:
            >>> from qidguard_qir.example import dimensions
            >>> [plot.title for plot in dimensions().plots()][1]
            'Share of the samples that choose a dimension'
        """
        from qidguard_qir.gain_plots import gain_by_dimension, stability_of_choice

        return gain_by_dimension(self), stability_of_choice(self)

    def __str__(self) -> str:
        from qidguard_qir.dimension_text import lines

        return "\n".join(lines(self))


COLUMNS = (
    *("size", "seed", "k", "dimension", "joined", "pg_percent", "pg_persons", "nue_percent", "bits_lost"),
    *("suppressed", "reason"),
)
"""The headings of ``Dimensions.rows``."""


def size_text(size: Size) -> str:
    """Return a size of a sample in words.

    Example:
        >>> size_text(0.1), size_text(500), size_text(None)
        ('10 %', '500', 'all')
    """
    if size is None:
        return "all"
    return f"{size:,}" if isinstance(size, int) else f"{100 * size:.4g} %"
