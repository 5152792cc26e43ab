"""Several solutions of one task, each with its own figures: a front among which is chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.core.metric import Direction

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import Anonymized
    from qidguard.plot.plot import Plot


@dataclass(frozen=True, kw_only=True)
class SolutionFigure:
    """A figure by which the solutions of an anonymizer are weighed.

    Args:
        name: A plain identifier, such as ``information_loss``. One that is also the name of a metric should
            mean what the metric means: the host then measures it and shows both.
        title: One phrase, such as "information loss".
        direction: Which way it gets better; ``Direction.NEITHER`` for what only tells solutions apart.

    Example:
        >>> lower = Direction.LOWER_IS_SAFER
        >>> SolutionFigure(name="information_loss", title="information loss", direction=lower).name
        'information_loss'
    """

    name: str
    title: str
    direction: Direction


@dataclass(frozen=True, kw_only=True)
class Solution:
    """One way in which a task may be met.

    Args:
        label: What tells it from the others, such as ``n_c=30, lambda=0.001``: settings, one line, no value
            of the table. No two solutions of one answer have the same.
        anonymized: What becomes of each record.
        figures: The name of each ``SolutionFigure`` of the answer → what the anonymizer says that it comes
            to, finite. They are claims: the host measures for itself.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import Anonymized
        >>> everyone = Anonymized(kept=np.ones(4, dtype=np.bool_))
        >>> Solution(label="nothing done", anonymized=everyone, figures={"information_loss": 0.0}).label
        'nothing done'
    """

    label: str
    anonymized: "Anonymized"
    figures: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Solutions:
    """Several solutions of one task; what ``anonymize`` may return where it has more than one.

    The host measures each in memory, chooses as the policy says, and publishes and audits the chosen one
    only. Where nobody says how to choose, ``chosen`` is taken.

    Args:
        solutions: At least one.
        chosen: The position of the one that the anonymizer itself would take, 0..solutions − 1.
        figures: What the solutions are weighed by; every solution tells each of them and no other.
        plots: What the anonymizer draws of them.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import Anonymized
        >>> loss = SolutionFigure(
        ...     name="information_loss", title="information loss", direction=Direction.LOWER_IS_SAFER
        ... )
        >>> everyone = Anonymized(kept=np.ones(4, dtype=np.bool_))
        >>> only = Solution(label="nothing done", anonymized=everyone, figures={"information_loss": 0.0})
        >>> Solutions(solutions=(only,), chosen=0, figures=(loss,)).solutions[0].label
        'nothing done'
    """

    solutions: tuple[Solution, ...]
    chosen: int
    figures: tuple[SolutionFigure, ...]
    plots: "tuple[Plot, ...]" = ()
