"""Solutions that were weighed, as plain values: their figures, which is chosen, and why."""

from typing import TYPE_CHECKING, Any

from qidguard.core.metric import Direction
from qidguard.rendering.figure import finite

if TYPE_CHECKING:
    from qidguard.anonymizing.choosing import WeighedSolution, WeighedSolutions

_BETTER = {
    Direction.LOWER_IS_SAFER: "lower",
    Direction.HIGHER_IS_SAFER: "higher",
    Direction.NEITHER: None,
}


def choice_document(weighed: "WeighedSolutions") -> dict[str, Any]:
    """Return what was weighed as plain values; no value of the table.

    Figures that were measured stand beside what the anonymizer claims, each in its metric's unit.
    """
    first = weighed.solutions[0].figures
    return {
        "rule": weighed.rule,
        "why": weighed.why,
        "chosen": weighed.solutions[weighed.chosen].label,
        "knee": None if weighed.knee is None else weighed.solutions[weighed.knee].label,
        "measured": [
            {"name": name, "title": one.title, "unit": one.unit, "better": "lower" if sign > 0 else "higher"}
            for name, one, sign in zip(weighed.names, first, weighed.signs, strict=True)
        ],
        "claimed": [
            {"name": one.name, "title": one.title, "better": _BETTER[one.direction]}
            for one in weighed.claimed
        ],
        "solutions": [_solution(weighed, at, one) for at, one in enumerate(weighed.solutions)],
    }


def _solution(weighed: "WeighedSolutions", at: int, one: "WeighedSolution") -> dict[str, Any]:
    return {
        "label": one.label,
        "is_chosen": at == weighed.chosen,
        "is_knee": at == weighed.knee,
        "is_on_front": at in weighed.front,
        "meets_policy": one.is_met,
        "limits_missed": one.missed,
        "measured": {n: finite(m.value)[0] for n, m in zip(weighed.names, one.figures, strict=True)},
        "claimed": {name: finite(float(value))[0] for name, value in one.claims.items()},
    }
