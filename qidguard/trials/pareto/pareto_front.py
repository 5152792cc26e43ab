"""What came of weighing solutions: a table, a document and a plot; it holds no value of the data."""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.choosing import WeighedSolutions
from qidguard.core.parameter import Arguments
from qidguard.core.result_table import Cell, ResultTable
from qidguard.rendering.figure import argument
from qidguard.rendering.printable import visible
from qidguard.rendering.result_table import A_PAGE, html_table, result_lines
from qidguard.trials.choice_document import choice_document

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.plot.plot import Plot

FORMAT = "qidguard-pareto/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


@dataclass(frozen=True, kw_only=True)
class ParetoFront:
    """The solutions of one anonymizer, measured in memory.

    Args:
        source: The table's name.
        policy: The policy's name.
        records: Records of the table.
        anonymizer: The anonymizer's name.
        arguments: All its arguments.
        seconds: How long it took for all solutions, s.
        choice: The solutions with their figures, the front, its knee and the chosen one.
        seed: The seed; it is not to be published.
        own_plots: What the anonymizer drew of them.
    """

    source: str
    policy: str
    records: int
    anonymizer: str
    arguments: Arguments
    seconds: float
    choice: WeighedSolutions
    seed: int = field(repr=False)
    own_plots: "tuple[Plot, ...]" = field(default=(), repr=False)

    @property
    def table(self) -> ResultTable:
        """One row a solution: figures as measured and claimed, whether the policy holds, and what it is."""
        weighed = self.choice
        units = [one.unit for one in weighed.solutions[0].figures]
        measured = [
            f"{name} ({unit})" if unit in _COUNTS else name
            for name, unit in zip(weighed.names, units, strict=True)
        ]
        rows: list[tuple[Cell, ...]] = []
        for at, one in enumerate(weighed.solutions):
            words = ("knee", at == weighed.knee), ("chosen", at == weighed.chosen)
            rows.append(
                (
                    one.label,
                    *(figure.value for figure in one.figures),
                    *(float(one.claims[claim.name]) for claim in weighed.claimed),
                    "-" if one.is_met is None else "holds" if one.is_met else f"misses {one.missed}",
                    at in weighed.front,
                    ", ".join(word for word, is_so in words if is_so),
                )
            )
        return ResultTable(
            name="pareto",
            title=f"Solutions of {visible(self.anonymizer)}",
            columns=(
                "solution",
                *measured,
                *(f"{claim.name} claimed" for claim in weighed.claimed),
                "policy in memory",
                "on the front",
                "which",
            ),
            rows=tuple(rows),
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return the solutions as a table: measured figures by name, claims, limits missed, front and choice.

        Example:
            >>> from qidguard.trials.pareto.example import front_example
            >>> front_example().to_frame()[["solution", "is_knee", "is_chosen"]].values.tolist()
            [['mondrian', True, True]]
        """
        import pandas as pd

        rows = [
            {
                "solution": one["label"],
                **one["measured"],
                **{f"{name}_claimed": value for name, value in one["claimed"].items()},
                **{key: one[key] for key in _TOLD},
            }
            for one in self.to_dict()["choice"]["solutions"]
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the document ``qidguard-pareto/1`` as plain values; it holds the seed, which is internal.

        Example:
            >>> from qidguard.trials.pareto.example import front_example
            >>> front_example().to_dict()["choice"]["chosen"]
            'mondrian'
        """
        return {
            "format": FORMAT,
            "source": self.source,
            "policy": self.policy,
            "records": self.records,
            "anonymizer": self.anonymizer,
            "arguments": {name: argument(given) for name, given in self.arguments.items()},
            "seconds": round(self.seconds, 6),
            "seed": self.seed,
            "choice": choice_document(self.choice),
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard anonymize --pareto --format json`` writes.

        Example:
            >>> from qidguard.trials.pareto.example import front_example
            >>> front_example().to_json().splitlines()[1]
            '  "format": "qidguard-pareto/1",'
        """
        return json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"

    def plot(self) -> "Plot":
        """Return the loss beside each figure of risk, a point a solution, with front, knee and choice.

        Raises:
            NotMeasurable: When loss or risk could be measured of no solution.
            UserError: When ``qidguard[plots]`` is not installed, once it is drawn.

        Example:
            >>> from qidguard.trials.pareto.example import front_example
            >>> front_example().plot().title
            'Solutions of mondrian'
        """
        from qidguard.trials.pareto.pareto_plot import pareto_plot

        return pareto_plot(self.anonymizer, self.choice)

    def lines(self, width: int = A_PAGE, *, is_ascii: bool = False) -> list[str]:
        """Return the front in lines of text: the table, then which one is chosen and why.

        Example:
            >>> from qidguard.trials.pareto.example import front_example
            >>> front_example().lines()[-1][:20]
            'CHOSEN  mondrian  It'
        """
        count = len(self.choice.solutions)
        chosen = self.choice.solutions[self.choice.chosen].label
        return [
            f"{visible(self.source)}: {self.records:,} records, policy {visible(self.policy)}",
            f"{self.table.title}: {count:,}, measured in memory; none is audited yet",
            "",
            *result_lines(self.table, width, is_ascii=is_ascii),
            "",
            f"CHOSEN  {visible(chosen)}  {visible(self.choice.why)}",
        ]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return html_table(self.table)


_COUNTS = {"records", "entities"}
_TOLD = ("meets_policy", "limits_missed", "is_on_front", "is_knee", "is_chosen")
