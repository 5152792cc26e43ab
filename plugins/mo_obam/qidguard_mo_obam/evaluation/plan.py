"""What is tried on a table: anonymizers with their k and further settings, and settings of MO-OBAM."""

from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.sdk import UserError

SMALLEST_CLASSES = (5, 10, 15, 20)
"""The k of the paper's tables."""
WEIGHTS = (0.0,)
"""λ where nobody says: the loss alone. Tables IVa and Va have .0001, which weighs next to nothing."""
MO_OBAM = "mo_obam"
"""The name of the plugin's own anonymizer."""
METHODS = ("mdav", "zheng_l_diversity", MO_OBAM)
"""The paper's methods."""
Plan = tuple[tuple[str, int, str], ...]
"""Anonymizer, k, and further settings as they stand in brackets, of each trial."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting of MO-OBAM: k, n_C (None where it is free), and λ."""

    k: int
    n_c: int | None
    weight: float

    @property
    def told(self) -> str:
        """The parameters beside k, as they stand in brackets.

        Example:
            >>> Setting(k=5, n_c=30, weight=1e-4).told, Setting(k=5, n_c=None, weight=1.0).told
            ('n_c=30, lambda=0.0001', 'lambda=1')
        """
        told = f"lambda={self.weight:.10g}"
        return told if self.n_c is None else f"n_c={self.n_c}, {told}"


def settings_of(k: Sequence[int], n_c: Sequence[int | None], weights: Sequence[float]) -> tuple[Setting, ...]:
    """Return every setting of a grid once, λ changing fastest."""
    every = (
        Setting(k=smallest, n_c=number, weight=weight)
        for smallest in k
        for number in n_c
        for weight in weights
    )
    return tuple(dict.fromkeys(every))


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
    check_numbers(k, n_c, weights, l)

    def settings(method: str, smallest: int) -> list[str]:
        if method == MO_OBAM:
            return [one.told for one in settings_of([smallest], n_c, weights)]
        return [f"l={l}"] if method == "zheng_l_diversity" else [""]

    return tuple(
        dict.fromkeys(
            (method, smallest, told)
            for smallest in k
            for method in methods
            for told in settings(method, smallest)
        )
    )


def check_numbers(
    k: Sequence[int],
    n_c: Sequence[int | None],
    weights: Sequence[float],
    l: int = 2,  # noqa: E741 - the field's own name of it
) -> None:
    """Raise UserError where a number is out of its range."""
    for name, given, least in (("k", k, 2), ("l", [l], 2), ("n_C", n_c, 1), ("λ", weights, 0)):
        for one in given:
            if one is not None and not one >= least:
                raise UserError(f"{name} must be at least {least}, not {one}")
