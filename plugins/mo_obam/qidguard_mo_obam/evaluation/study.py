"""Many settings of MO-OBAM weighed in memory: what each comes to, the front among them, and its knee."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Cell, Plot, ResultTable, front_of, knee_of, shown_name
from qidguard_learning import LearningDesign
from qidguard_mo_obam.evaluation.case import MethodTrial, figure_columns, frame_of
from qidguard_mo_obam.evaluation.models import model_words
from qidguard_mo_obam.evaluation.plan import Setting

if TYPE_CHECKING:
    import pandas as pd

FREE = "free"
"""What stands for a number of clusters that MO-OBAM finds itself."""


@dataclass(frozen=True, kw_only=True)
class WeighedSetting:
    """What one setting comes to.

    Args:
        setting: The setting.
        trial: Its trial; without figures where it cannot be done.
        f1: Mean F1 of the models that learned from it, 0..1; None where no model was asked for.
    """

    setting: Setting
    trial: MethodTrial = field(repr=False)
    f1: float | None = None

    @property
    def costs(self) -> tuple[float, ...] | None:
        """IL, persons at risk at the first τ, homogeneous persons, and 1 − F1: lower is better."""
        found = self.trial.figures
        if found is None:
            return None
        three = found.information_loss, float(found.at_risk[0]), float(found.homogeneous)
        return three if self.f1 is None else (*three, 1.0 - self.f1)

    @property
    def said(self) -> str:
        """What it comes to, in words."""
        figures = self.trial.figures
        if figures is None:
            return self.trial.reason
        f1 = "" if self.f1 is None else f", F1 {self.f1:.4f}"
        return (
            f"IL {figures.information_loss:.4g}, {figures.at_risk[0]:,} at risk at"
            f" τ={figures.thresholds[0]:g}, {figures.homogeneous:,} homogeneous{f1}"
        )


@dataclass(frozen=True, kw_only=True)
class Study:
    """Settings weighed on one table; it holds names and figures, no value of the table.

    Args:
        title: What was done, such as ``grid``.
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        target: What the models predict; None where none was tried.
        weighed: Each setting once, in the order in which it was tried.
        asked: Settings that were asked for; more than there are where it was stopped early.
        models: The models behind F1.
        design: How they were tried; None where none was.
    """

    title: str
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None
    weighed: tuple[WeighedSetting, ...] = field(repr=False)
    asked: int
    models: tuple[str, ...] = ()
    design: LearningDesign | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.weighed) < self.asked

    @cached_property
    def measured(self) -> tuple[WeighedSetting, ...]:
        """The settings that could be done."""
        return tuple(one for one in self.weighed if one.costs is not None)

    @cached_property
    def front(self) -> tuple[WeighedSetting, ...]:
        """The settings that no other beats, the least loss first; of equal ones the one tried first."""
        if not self.measured:
            return ()
        costs = np.array([one.costs for one in self.measured])
        found = {self.measured[row].costs: self.measured[row] for row in reversed(front_of(costs))}
        return tuple(sorted(found.values(), key=lambda one: one.costs or ()))

    @cached_property
    def knee(self) -> WeighedSetting | None:
        """The knee of the front, as ``qidguard.sdk.knee_of`` finds it (Das 1999); None without a front."""
        if not self.front:
            return None
        return self.front[knee_of(np.array([one.costs for one in self.front]))]

    @property
    def headline(self) -> str:
        """What was weighed, the front's size, and its knee."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.title.upper()}  {len(self.weighed):,} settings of MO-OBAM weighed in memory"
        yield f"  quasi-identifiers     {', '.join(map(shown_name, self.qids))}"
        yield f"  sensitive attributes  {', '.join(map(shown_name, self.sensitive))}"
        if self.design is not None and self.target is not None:
            words = ", ".join(map(model_words, self.models))
            yield f"  F1                    {words}, predicting {shown_name(self.target)}; {self.design}"
        if self.is_interrupted:
            yield f"  stopped               after {len(self.weighed):,} of {self.asked:,} settings"
        failed = [one for one in self.weighed if one.costs is None]
        if failed:
            yield f"  no figures            {len(failed)} settings, such as {failed[0].trial.label}:"
            yield f"                        {failed[0].trial.reason}"
        yield f"  front                 {len(self.front)} settings that no other beats"
        if self.knee is not None:
            yield f"  knee                  {self.knee.trial.label}: {self.knee.said}"

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the front, and every setting.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import studied
            >>> [table.name for table in studied().tables()]
            ['front', 'settings']
        """
        columns = figure_columns(one.trial for one in self.weighed)
        scores = () if self.design is None else ("F1",)
        headings = "k", "n_c", "lambda", *columns, *scores

        def row(one: WeighedSetting) -> tuple[Cell, ...]:
            free = FREE if one.setting.n_c is None else one.setting.n_c
            f1 = () if self.design is None else (one.f1,)
            return one.setting.k, free, one.setting.weight, *one.trial.cells(columns), *f1

        front = ResultTable(
            name="front",
            title="Front: settings that no other beats in every objective",
            columns=(*headings, "knee"),
            rows=tuple((*row(one), "knee" if one is self.knee else "") for one in self.front),
            note="The knee lies farthest from the plane through the best of each objective (Das 1999).",
        )
        every = ResultTable(
            name="settings",
            title="Every setting",
            columns=(*headings, "reason"),
            rows=tuple((*row(one), one.trial.reason) for one in self.weighed),
            is_detail=True,
        )
        return front, every

    def to_frame(self) -> "pd.DataFrame":
        """Return each setting as a row.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import studied
            >>> studied().to_frame()[["n_c", "IL", "HA"]].values.tolist()
            [[4.0, 0.2, 0.0], [8.0, 0.1, 3.0]]
        """
        return frame_of(self.tables()[1])

    def plots(self) -> Mapping[str, Plot]:
        """Return the heat maps of Fig. 2 for each k that has several settings, and the front, by name.

        Raises:
            NotMeasurable: When no setting could be done.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import studied
            >>> list(studied().plots())
            ['heat_maps', 'front']
        """
        from qidguard_mo_obam.evaluation.plots import plots_of

        return plots_of(self)
