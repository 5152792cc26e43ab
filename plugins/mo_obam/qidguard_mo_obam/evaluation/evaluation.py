"""Methods beside one another on one table: the paper's Tables IV and V."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.sdk import Progress, ResultTable, UserError
from qidguard_mo_obam.evaluation.beside import PrintedBeside, beside_printed
from qidguard_mo_obam.evaluation.case import MethodTrial, StudyCase
from qidguard_mo_obam.evaluation.printed import PrintedTable

if TYPE_CHECKING:
    import pandas as pd

SMALLEST_CLASSES = (5, 10, 15, 20)
"""The k of the paper's tables."""
WEIGHTS = (0.0,)
"""λ where nobody says: the loss alone. Tables IVa and Va have .0001, which weighs next to nothing."""
WORK = "trying methods"
"""What the progress calls it."""


@dataclass(frozen=True, kw_only=True)
class StudyEvaluation:
    """What methods come to on one table; it holds names and figures, no value of the table.

    Args:
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        trials: The baseline first, then each method, in the order of k.
        asked: Trials that were asked for; more than there are where it was stopped early.
        printed: What the paper prints of the table; None where nobody asked.
    """

    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    trials: tuple[MethodTrial, ...] = field(repr=False)
    asked: int
    printed: PrintedTable | None = field(default=None, repr=False)

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.trials) < self.asked

    @property
    def beside(self) -> tuple[PrintedBeside, ...]:
        """For each printed row the solution of ours that is not worse in any of the five figures."""
        if self.printed is None:
            return ()
        ours = [one for one in self.trials if one.method == MO_OBAM]
        return tuple(beside_printed(row, ours) for row in self.printed.rows)

    @property
    def headline(self) -> str:
        """What was tried, and how many of the paper's rows are dominated."""
        from qidguard_mo_obam.evaluation.text import evaluation_lines

        return "\n".join(evaluation_lines(self))

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the methods as a table, and beside the paper's rows a second one.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import evaluated
            >>> [table.name for table in evaluated().tables()]
            ['figures']
        """
        from qidguard_mo_obam.evaluation.text import beside_table, figures_table

        first = figures_table(self.trials)
        return (first,) if self.printed is None else (first, beside_table(self.printed, self.beside))

    def to_frame(self) -> "pd.DataFrame":
        """Return each trial as a row.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import evaluated
            >>> evaluated().to_frame()["method"].tolist()
            ['baseline', 'mdav[k=3]', 'zheng_l_diversity[k=3, l=2]']
        """
        import pandas as pd

        table = self.tables()[0]
        return pd.DataFrame(list(table.rows), columns=list(table.columns))


MO_OBAM = "mo_obam"
"""The name of the plugin's own anonymizer."""
METHODS = ("mdav", "zheng_l_diversity", MO_OBAM)
"""The paper's methods."""
Plan = tuple[tuple[str, int, str], ...]
"""Anonymizer, k, and further settings as they stand in brackets, of each trial."""


def mo_obam_settings(n_c: int | None, weight: float) -> str:
    """Return the parameters of a run of MO-OBAM beside k, as they stand in brackets.

    Example:
        >>> mo_obam_settings(30, 1e-4), mo_obam_settings(None, 1.0)
        ('n_c=30, lambda=0.0001', 'lambda=1')
    """
    told = f"lambda={weight:.10g}"
    return told if n_c is None else f"n_c={n_c}, {told}"


def evaluate_in(
    case: StudyCase,
    plan: Plan,
    *,
    printed: PrintedTable | None = None,
    budget_seconds: float | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> StudyEvaluation:
    """Return what methods come to at several k; a method that cannot is a row with its reason.

    Args:
        case: The table.
        plan: What is tried beside the table as it is, from ``plan_of``.
        printed: What the paper prints of this table.
        budget_seconds: After how many seconds a method is interrupted; None sets no limit.
        progress: Hears of finished trials.
        is_stopped: Asked before each trial whether to stop; Ctrl-C does the same once something is done.

    Raises:
        UserError: When a method is unknown, or the table is not the paper's.
        PluginError: When a method fails.
    """
    trials = [case.baseline()]
    if printed is not None:
        _check_baseline(trials[0], printed)
    try:
        for done, (method, smallest, settings) in enumerate(plan):
            if progress is not None:
                progress.step(WORK, done, len(plan))
            if is_stopped():
                break
            trials.append(case.tried(method, smallest, settings, budget_seconds=budget_seconds))
    except KeyboardInterrupt:
        if len(trials) == 1:
            raise
    if progress is not None:
        progress.step(WORK, len(plan), len(plan))
    return StudyEvaluation(
        qids=case.qids,
        sensitive=case.sensitive,
        trials=tuple(trials),
        asked=len(plan) + 1,
        printed=printed,
    )


def plan_of(
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    l: int = 2,  # noqa: E741 - the field's own name of it
    n_c: Sequence[int | None] = (None,),
    weights: Sequence[float] = WEIGHTS,
    methods: Sequence[str] = METHODS,
) -> Plan:
    """Return anonymizer, k and further settings of each trial.

    Args:
        k: Persons in the smallest class, each ≥ 2.
        l: Distinct sensitive values in a class for ``zheng_l_diversity``, ≥ 2.
        n_c: Numbers of clusters for MO-OBAM, each ≥ 1; None leaves the number to it.
        weights: λ for MO-OBAM, each ≥ 0.
        methods: Anonymizers by name; all get k.

    Raises:
        UserError: When a number is out of its range.

    Example:
        >>> plan_of(k=[5], methods=["mdav", "mo_obam"])
        (('mdav', 5, ''), ('mo_obam', 5, 'lambda=0'))
    """
    check_numbers(k, l, n_c, weights)
    ours = [mo_obam_settings(number, weight) for number in n_c for weight in weights]
    settings = {MO_OBAM: ours, "zheng_l_diversity": [f"l={l}"]}
    return tuple(
        dict.fromkeys(
            (method, smallest, told)
            for smallest in k
            for method in methods
            for told in settings.get(method, [""])
        )
    )


def check_numbers(
    k: Sequence[int],
    l: int,  # noqa: E741 - the field's own name of it
    n_c: Sequence[int | None],
    weights: Sequence[float],
) -> None:
    """Raise UserError where a number is out of its range."""
    for one in k:
        if one < 2:  # noqa: PLR2004 - a class of one is no anonymity
            raise UserError(f"k must be at least 2, not {one}")
    if l < 2:  # noqa: PLR2004 - one value is no diversity
        raise UserError(f"l must be at least 2, not {l}")
    for number in n_c:
        if number is not None and number < 1:
            raise UserError(f"n_C must be at least 1, not {number}")
    for weight in weights:
        if not weight >= 0:
            raise UserError(f"λ must be at least 0, not {weight}")


def _check_baseline(baseline: MethodTrial, printed: PrintedTable) -> None:
    found = baseline.figures
    if found is not None and (found.clusters, found.at_risk) != (printed.clusters, printed.at_risk):
        raise UserError(
            f"this is not the table of {printed.title}: it has {found.clusters:,} combinations of the"
            f" quasi-identifiers and {found.at_risk} persons at risk, the paper's {printed.clusters:,} and"
            f" {printed.at_risk}; leave the printed rows out, or read the table as the paper did"
        )
