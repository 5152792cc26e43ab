"""The change of a metric since the last set of a search, which only a search can know."""

from qidguard.sdk import (
    Arguments,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_qidlearning.metrics.distinction import DISTINCTION
from qidguard_qidlearning.metrics.separation import SEPARATION
from qidguard_qidlearning.metrics.wording import PAPER


def change_of(metric: Metric) -> Metric:
    """Return the metric M(x) − M(x_prev), −1..1, x_prev the current set of a search (Simões et al. 2025).

    M is a share; the host's search measures ``delta_<name>`` from two figures of it.
    """
    if metric.change_of:
        raise ValueError(f"{metric.name!r} is a change already")

    def measure(_view: TableView, _grouping: Grouping, _arguments: Arguments) -> float:
        """Say that a change needs two sets, which no single table has: so it is no group-by."""
        raise NotMeasurable(
            f"It is the change of {metric.name} within a search, and there is no search here; "
            f"ask for {metric.name}."
        )

    return Metric(
        name=f"delta_{metric.name}",
        title=f"change of {metric.title} in a search",
        unit=Unit.RATIO,
        minimum=-1.0,
        maximum=1.0,
        direction=metric.direction,
        method=TableFunction(measure=measure),
        change_of=metric.name,
        explanation=Explanation(
            meaning=f"By how much a candidate's {metric.name} differs from that of the search's current set: "
            "above 0 where the step raises it. It rewards a search for steps that still gain.",
            formula=f"M(x) − M(x_prev), M the {metric.name}, x_prev the current set of the search; 0 where "
            "there is none yet",
            source=f"{PAPER}, section 5.2",
            good_value="None: it steers a search and has no figure outside one.",
            missing=metric.explanation.missing,
            empty=metric.explanation.empty,
            single_class="0 where both sets leave everyone in one class.",
        ),
    )


DELTA_DISTINCTION = change_of(DISTINCTION)
"""The change of the distinction."""


DELTA_SEPARATION = change_of(SEPARATION)
"""The change of the separation."""
