"""Many settings of MO-OBAM weighed in memory: what each comes to, the front among them, and its knee."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Plot, ResultTable, front_of, knee_of
from qidguard_learning import LearningDesign
from qidguard_mo_obam.evaluation.case import MethodTrial

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting of MO-OBAM: k, n_C (None where it is free), and λ."""

    k: int
    n_c: int | None
    weight: float


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
        return tuple(sorted(found.values(), key=_loss))

    @cached_property
    def knee(self) -> WeighedSetting | None:
        """The knee of the front, as ``qidguard.sdk.knee_of`` finds it (Das 1999); None without a front."""
        if not self.front:
            return None
        return self.front[knee_of(np.array([one.costs for one in self.front]))]

    @property
    def headline(self) -> str:
        """What was weighed, and the knee of the front."""
        from qidguard_mo_obam.evaluation.study_text import headline

        return "\n".join(headline(self))

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the front, and every setting.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import studied
            >>> [table.name for table in studied().tables()]
            ['front', 'settings']
        """
        from qidguard_mo_obam.evaluation.study_text import front_table, settings_table

        return front_table(self), settings_table(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return each setting as a row.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import studied
            >>> studied().to_frame()[["n_c", "IL", "HA"]].values.tolist()
            [[4.0, 0.2, 0.0], [8.0, 0.1, 3.0]]
        """
        import pandas as pd

        table = self.tables()[1]
        return pd.DataFrame(list(table.rows), columns=list(table.columns))

    def plots(self) -> Mapping[str, Plot]:
        """Return the heat maps of Fig. 2 for each k that has several settings, and the front, by name.

        Raises:
            NotMeasurable: When no setting could be done.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import studied
            >>> list(studied().plots())
            ['heat_maps', 'front']
        """
        from qidguard_mo_obam.evaluation.study_plots import plots_of

        return plots_of(self)


def _loss(one: WeighedSetting) -> tuple[float, ...]:
    return one.costs or ()


def with_f1(weighed: Sequence[WeighedSetting], f1: Mapping[str, float]) -> tuple[WeighedSetting, ...]:
    """Return settings with the mean F1 of their trials, by the trial's label."""
    return tuple(
        WeighedSetting(setting=one.setting, trial=one.trial, f1=f1.get(one.trial.label)) for one in weighed
    )
