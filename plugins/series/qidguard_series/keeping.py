"""Ways of keeping a series: by what, how long leavers stay, how long newcomers wait, how large groups are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from qidguard.sdk import AnonymizationTask, Bound, Choice, UserError
from qidguard_series.stream import Turnover

if TYPE_CHECKING:
    from qidguard.sdk import Anonymizer, PolicyRehearsal

_CLASS_SIZES = ("k_anonymity", "intersection_k_anonymity", "differencing_k_anonymity")
"""Metrics whose limit is the persons of the smallest class, of one release or of all together."""
LEAVERS_STAY, NEWCOMERS_WAIT = "leavers_stay", "newcomers_wait"
FIRST_GROUPS, TURNOVER = "first_groups", "turnover"
"""The parameters that an anonymizer for a series has."""
UNTIL_K = "until_k"
DEFAULT_STAYS: tuple[int | str, ...] = (0, 6, 12, UNTIL_K)
_MARGIN = 1.3


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """One way of keeping a series.

    Args:
        method: The anonymizer with all its parameters.
        leavers_stay: For how many releases the last values of a leaver may stay, or ``until_k``; None where
            the anonymizer has no such parameter.
        label: What tells it from the other ways.
        is_exit_known: Whether the anonymizer is told when each person will leave.
    """

    method: Choice
    leavers_stay: int | str | None
    label: str
    is_exit_known: bool = False

    def needed(self, k: int, turnover: Turnover) -> float | None:
        """Return about how many persons a group needs for k of them to leave in time; None for any number."""
        if self.is_exit_known or not turnover.gone or not isinstance(self.leavers_stay, int):
            return None
        if self.leavers_stay == 0:
            return k / turnover.gone
        return _MARGIN * k / (1 - (1 - turnover.gone) ** self.leavers_stay)

    def foreseen(self, k: int, turnover: Turnover, persons: int) -> str:
        """Return what it asks of the groups, before anything is tried; empty where that is little."""
        needed = self.needed(k, turnover)
        if needed is None or (self.leavers_stay != 0 and needed <= persons):
            return ""
        stay = (
            "leavers go at once" if self.leavers_stay == 0 else f"leavers stay {self.leavers_stay} releases"
        )
        told = (
            f"{self.label}: where {stay}, {k} of one group have to leave in that time, so that at"
            f" {turnover.gone * 100:.3g} % a release a group needs about {needed:,.0f} persons"
        )
        if needed > persons:
            return f"{told}, and there are {persons:,}: it cannot be had with classes at all."
        return f"{told}: narrow classes cannot be had, only {persons / needed:,.0f} groups of all persons."


def keepings(
    method: Choice,
    anonymizer: "Anonymizer",
    turnover: Turnover,
    *,
    leavers_stay: Sequence[int | str] | None,
    newcomers_wait: Sequence[int] | None,
    first_groups: Sequence[float] | None,
    exits: Sequence[bool] = (False,),
    is_of_policy: bool = False,
) -> tuple[Keeping, ...]:
    """Return every combination of what is to be tried, in order.

    What nobody says is as the method has it: its brackets, else its defaults; leavers stay 0, 6 or 12
    releases or until k of a group left. What a policy says gives way to what is tried.

    Raises:
        UserError: When the anonymizer has no parameter that is to be tried, or its brackets say it, too.
    """
    has = {parameter.name: parameter.type for parameter in anonymizer.parameters}
    asked: dict[str, Sequence[int | float | str] | None] = {
        LEAVERS_STAY: leavers_stay,
        NEWCOMERS_WAIT: newcomers_wait,
        FIRST_GROUPS: first_groups,
    }
    for name, values in asked.items():
        if values is not None and name not in has:
            raise UserError(
                f"{method.name} has no parameter {name}, so nothing can be tried of it; leave it out, or name"
                " an anonymizer for a series"
            )
        if values is not None and name in method.parameters and not is_of_policy:
            raise UserError(f"{name} stands in brackets after {method.name} and beside it; keep one")
    if leavers_stay is None and LEAVERS_STAY in has and LEAVERS_STAY not in method.parameters:
        asked[LEAVERS_STAY] = DEFAULT_STAYS
    tried = {name: tuple(values) for name, values in asked.items() if values}
    varied = {name for name, values in tried.items() if name == LEAVERS_STAY or len(values) > 1}
    fixed = dict(method.parameters)
    if TURNOVER in has:
        fixed.setdefault(TURNOVER, turnover.gone)
    found = []
    for combination, is_exit_known in product(product(*tried.values()), exits):
        given = dict(zip(tried, combination, strict=True))
        typed = {name: str(value) if has[name] is str else value for name, value in given.items()}
        stay = given.get(LEAVERS_STAY, fixed.get(LEAVERS_STAY))
        said = _label(given, varied)
        found.append(
            Keeping(
                method=Choice(name=method.name, parameters={**fixed, **typed}),
                leavers_stay=_stay(stay),
                label=f"{said}, exit known" if is_exit_known else said,
                is_exit_known=is_exit_known,
            )
        )
    if len({one.label for one in found}) < len(found):
        raise UserError("a value that is to be tried stands twice; keep one of them")
    return tuple(found)


def _stay(value: object) -> int | str | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, (int, str)) else None


_WORDS = {LEAVERS_STAY: "stay", NEWCOMERS_WAIT: "wait", FIRST_GROUPS: "groups"}


def _label(given: dict[str, int | float | str], varied: set[str]) -> str:
    said = [f"{_WORDS[name]} {_shown(name, value)}" for name, value in given.items() if name in varied]
    return ", ".join(said) or "as it is"


def _shown(name: str, value: float | str) -> str:
    return f"{value:g}k" if name == FIRST_GROUPS and not isinstance(value, str) else str(value)


def series_method(rehearsal: "PolicyRehearsal", asked: str | None) -> tuple[Choice, bool]:
    """Return the anonymizer that keeps the series: asked for, the policy's remedy, or the one that there is.

    Returns:
        It, and whether the policy names it.

    Raises:
        UserError: When there is no such anonymizer, or nobody says which of several is meant.
        PluginError: When a plugin that is broken or missing may offer it.
    """
    host, written = rehearsal.host, rehearsal.policy.remedy
    if asked is not None:
        chosen = Choice.read(asked, "anonymizer")
        host.anonymizer(chosen.name)
        return chosen, False
    if written is not None and written.anonymizer is not None:
        named = Choice.read(written.anonymizer, "remedy")
        if _keeps_series(rehearsal, named.name):
            parameters = named.parameters_with(written.parameters, "remedy")
            return Choice(name=named.name, parameters=parameters), True
    found = [name for name in host.anonymizers if _keeps_series(rehearsal, name)]
    if len(found) == 1:
        return Choice(name=found[0]), False
    if found:
        raise UserError(f"several anonymizers keep a series ({', '.join(found)}); name one of them")
    raise UserError(
        "no installed anonymizer keeps a series; install a plugin that offers one, or name an anonymizer"
    )


def _keeps_series(rehearsal: "PolicyRehearsal", name: str) -> bool:
    return bool(getattr(rehearsal.host.anonymizer(name), "needs_last_values", False))


def smallest_class(task: AnonymizationTask, method: Choice) -> int:
    """Return k, the persons of the smallest class: the strictest limit of the policy, and of the method.

    Raises:
        UserError: When nobody says any.
    """
    limits = [
        target.limit.value
        for target in task.targets
        if target.metric.name in _CLASS_SIZES and target.limit.bound is Bound.AT_LEAST
    ]
    given = method.parameters.get("k")
    if isinstance(given, int) and not isinstance(given, bool):
        limits.append(given)
    k = math.ceil(max(limits, default=0))
    if k < 1:
        raise UserError(
            "a plan needs k, the persons of the smallest class, and the policy has no limit on k_anonymity;"
            " write one under thresholds"
        )
    return k
