"""The solutions of one method, held against each other: a table, a document and a plot."""

import json
from typing import TYPE_CHECKING, Any

from qidguard.sdk import (
    Cell,
    PageRow,
    ResultPage,
    ResultTable,
    WeighedMethod,
    part_document,
    result_lines,
    visible,
)

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.sdk import Plot

FORMAT = "qidguard-pareto/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""
A_PAGE = 120
"""Characters a line."""


class ParetoFront(WeighedMethod):
    """The solutions of one anonymizer, measured in memory; it holds no value of the data.

    ``pareto`` makes it. Its fields are those of ``qidguard.sdk.WeighedMethod``.
    """

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
            >>> from qidguard_comparison.pareto_front import front_example
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
            >>> from qidguard_comparison.pareto_front import front_example
            >>> front_example().to_dict()["choice"]["chosen"]
            'mondrian'
        """
        return {
            "format": FORMAT,
            "source": self.source,
            "policy": self.policy,
            "records": self.records,
            "anonymizer": self.anonymizer,
            "arguments": part_document(self.arguments),
            "seconds": round(self.seconds, 6),
            "seed": self.seed,
            "choice": part_document(self.choice),
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard anonymize --pareto --format json`` writes.

        Example:
            >>> from qidguard_comparison.pareto_front import front_example
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
            >>> from qidguard_comparison.pareto_front import front_example
            >>> front_example().plot().title
            'Solutions of mondrian'
        """
        from qidguard_comparison.pareto_plot import pareto_plot

        return pareto_plot(self)

    def lines(self, width: int = A_PAGE, *, is_ascii: bool = False) -> list[str]:
        """Return the front in lines of text: the table, then which one is chosen and why.

        Example:
            >>> from qidguard_comparison.pareto_front import front_example
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
        chosen = self.choice.solutions[self.choice.chosen]
        rows = (tuple("-" if cell is None else str(cell) for cell in row) for row in self.table.rows)
        page = ResultPage(
            heading=self.table.title,
            best="" if chosen.is_met is False else chosen.label,
            columns=self.table.columns,
            rows=tuple(PageRow(cells=cells) for cells in rows),
            sentences=(self.choice.why,),
        )
        return page.html()


_COUNTS = {"records", "entities"}
_TOLD = ("meets_policy", "limits_missed", "is_on_front", "is_knee", "is_chosen")

pareto = ParetoFront.weigh


def front_example() -> ParetoFront:
    """Return what Mondrian makes of four records, for examples.

    Example:
        >>> front_example().anonymizer
        'mondrian'
    """
    import pandas as pd

    table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
    policy = {
        "qidguard": 1,
        "name": "example",
        "roles": {"quasi_identifiers": ["age", "sex"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    }
    return pareto(table, policy=policy, anonymizer="mondrian", seed=0)
