"""Choices of columns beside one another: every run, and the means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.sdk import Plot, ResultTable, result_lines, shown_name
from qidguard_qir.dimensions import Size, size_text
from qidguard_qir.gain import Gain

if TYPE_CHECKING:
    import pandas as pd


NOTE = (
    "PG and NUE are of the anonymized columns alone, as in the paper. PG over all is the share of the mean"
    " prosecutor risk that was removed for an attacker who knows all quasi-identifiers."
)
AVERAGE_HEADINGS = ("choice", "columns", "over", "runs", "PG %", "NUE %", "PG over all %")
RUN_HEADINGS = ("choice", "size", "k", "PG %", "NUE %", "PG over all %", "PG persons")


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """One choice of columns, anonymized with one k on data of one size.

    Args:
        choice: The name of the choice, such as ``QIR``.
        size: The size of the data; None for all.
        k: The smallest class that was asked for, persons.
        gain: What was won and lost over the chosen columns alone, as in the paper; None without a figure.
        gain_over_all: The same for an attacker who knows all quasi-identifiers, the others as they are.
        reason: Why there is no figure.
    """

    choice: str
    size: Size
    k: int
    gain: Gain | None
    gain_over_all: Gain | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Average:
    """What a choice comes to over several runs.

    Args:
        choice: Its name.
        columns: The columns that it anonymizes.
        over: Which runs: ``all k`` on all records, or ``all sizes``.
        privacy_gain: Mean PG over the chosen columns, percent; None where no run has a figure.
        kept: Mean NUE over the chosen columns, percent; None as above.
        gain_over_all: Mean PG for an attacker who knows all quasi-identifiers, percent; None as above.
        runs: Number of runs with a figure.
    """

    choice: str
    columns: tuple[str, ...]
    over: str
    privacy_gain: float | None
    kept: float | None
    gain_over_all: float | None
    runs: int


@dataclass(frozen=True, kw_only=True)
class ChoiceComparison:
    """Choices of columns beside one another; it holds names and figures, no value of the table.

    Args:
        choices: Name → the chosen columns.
        qids: All quasi-identifiers: what the strongest attacker knows.
        anonymizer: The anonymizer inside, parameters in brackets.
        records: Records of the table.
        by_k: The runs on all records, over k.
        by_size: The runs over the sizes of the data.
        asked: Runs that were asked for; more than there are where it was stopped early.
    """

    choices: Mapping[str, tuple[str, ...]]
    qids: tuple[str, ...]
    anonymizer: str
    records: int
    by_k: tuple[ComparedRun, ...] = field(repr=False)
    by_size: tuple[ComparedRun, ...] = field(repr=False)
    asked: int

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.by_k) + len(self.by_size) < self.asked

    @property
    def headline(self) -> str:
        """Among which columns was chosen, by which anonymizer, and how far it came."""
        said = [
            f"CHOICES  of {len(self.qids)} quasi-identifiers: {', '.join(map(shown_name, self.qids))}",
            f"  anonymizer  {self.anonymizer}, on {self.records:,} records",
        ]
        if self.is_interrupted:
            done = len(self.by_k) + len(self.by_size)
            said.append(f"  stopped     after {done:,} of {self.asked:,} runs")
        for run in (*self.by_k, *self.by_size):
            if run.reason:
                where = f"{shown_name(run.choice)}, k = {run.k}, size {size_text(run.size)}"
                said.append(f"  no figure   {where}: {run.reason}")
        return "\n".join((*said, f"  {NOTE}"))

    def averages(self) -> tuple[Average, ...]:
        """Return the means of each choice over all k, and over all sizes.

        Returns:
            First those over k, then those over sizes where there are any, in the order of the choices.

        Units:
            Percent.

        Example:
            >>> from qidguard_qir.example import compared
            >>> [(one.choice, one.over, one.privacy_gain) for one in compared().averages()]
            [('QIR', 'all k', 70.0), ('SQI', 'all k', 40.0)]
        """
        groups = (("all k", self.by_k), ("all sizes", self.by_size))
        return tuple(
            _average(name, columns, over, [run for run in runs if run.choice == name])
            for over, runs in groups
            if runs
            for name, columns in self.choices.items()
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return every run as a row.

        Returns:
            The choice and its columns, size, k, PG in percent and in persons, NUE in percent, PG where all
            quasi-identifiers are known, the share of suppressed records, and the reason without a figure.

        Units:
            As the headings say.

        Example:
            >>> from qidguard_qir.example import compared
            >>> compared().to_frame()[["choice", "k", "pg_percent"]].values.tolist()
            [['QIR', 5, 80.0], ['SQI', 5, 40.0], ['QIR', 15, 60.0], ['SQI', 15, 40.0]]
        """
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(COLUMNS))

    def rows(self) -> list[tuple[str | int | float | None, ...]]:
        """Return every run as a row of ``COLUMNS``."""
        return [self._row(run) for run in (*self.by_k, *self.by_size)]

    def _row(self, run: ComparedRun) -> tuple[str | int | float | None, ...]:
        gain, wide = run.gain, run.gain_over_all
        figures: tuple[int | float | None, ...] = (None,) * 5
        if gain is not None:
            known = None if wide is None else wide.privacy_gain
            figures = gain.privacy_gain, gain.anonymity_gain, gain.kept, known, gain.suppressed
        columns = ", ".join(self.choices[run.choice])
        return run.choice, columns, size_text(run.size), run.k, *figures, run.reason

    def tables(self) -> tuple[ResultTable, ResultTable]:
        """Return the means of each choice, and every run, as tables to be shown and saved.

        Example:
            >>> from qidguard_qir.example import compared
            >>> [table.name for table in compared().tables()]
            ['averages', 'runs']
        """
        averages = ResultTable(
            name="averages",
            title="Means of each choice",
            columns=("choice", "columns", "over", "runs", *FIGURES),
            rows=tuple(
                (
                    *(one.choice, ", ".join(one.columns), one.over, one.runs),
                    *(one.privacy_gain, one.kept, one.gain_over_all),
                )
                for one in self.averages()
            ),
        )
        runs = ResultTable(
            name="runs", title="Every run", columns=COLUMNS, rows=tuple(self.rows()), is_detail=True
        )
        return averages, runs

    def plots(self) -> dict[str, Plot]:
        """Return PG and NUE over k and over sizes, by name (the paper's Figures 7 to 10).

        Raises:
            NotMeasurable: When no run has a figure.

        Example:
            >>> from qidguard_qir.example import compared
            >>> list(compared().plots())
            ['pg_by_k', 'nue_by_k']
        """
        from qidguard_qir.gain_plots import plots_of_choices

        return plots_of_choices(self)

    def __str__(self) -> str:
        averages = tuple(
            (
                shown_name(one.choice), ", ".join(map(shown_name, one.columns)), one.over, one.runs,
                one.privacy_gain, one.kept, one.gain_over_all,
            )
            for one in self.averages()
        )  # fmt: skip
        runs = tuple(
            (choice, size, k, pg, nue, wide, persons)
            for choice, _, size, k, pg, persons, nue, wide, *_ in self.rows()
        )
        tables = (
            ResultTable(name="averages", title="Means over runs", columns=AVERAGE_HEADINGS, rows=averages),
            ResultTable(name="runs", title="Every run", columns=RUN_HEADINGS, rows=runs),
        )
        drawn = ("\n".join("  " + line for line in result_lines(table)) for table in tables)
        return "\n\n".join((self.headline, *drawn))


COLUMNS = (
    *("choice", "columns", "size", "k", "pg_percent", "pg_persons", "nue_percent", "pg_over_all_percent"),
    *("suppressed", "reason"),
)
"""The headings of ``ChoiceComparison.rows``."""
FIGURES = ("pg_percent", "nue_percent", "pg_over_all_percent")
"""The headings of means."""


def _average(name: str, columns: tuple[str, ...], over: str, runs: Sequence[ComparedRun]) -> Average:
    pairs = [(r.gain, r.gain_over_all) for r in runs if r.gain is not None]
    wide = [all_.privacy_gain for _, all_ in pairs if all_ is not None]
    return Average(
        choice=name,
        columns=columns,
        over=over,
        privacy_gain=_mean([gain.privacy_gain for gain, _ in pairs]),
        kept=_mean([gain.kept for gain, _ in pairs]),
        gain_over_all=_mean(wide),
        runs=len(pairs),
    )


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None
