"""The result of an attack, from the successes on people in the table and on those withheld."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard import Arguments, AttackResult, Rate
from qidguard_standard.attacks.confidence import excess_over, success_rate


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How the sentence of an attack goes.

    Args:
        trials: What was tried, as in ``of 1,000 {trials}``.
        said: What succeeded.
        control: What the control group is, as in ``of {control} 3 %``; its number goes before it.
        beside: Further clauses.
    """

    said: str
    trials: str = "persons attacked"
    control: str = "withheld persons"
    beside: Sequence[str] = ()


def finding(
    *,
    attack: str,
    arguments: Arguments,
    published: NDArray[np.float64],
    control: NDArray[np.float64] | None,
    persons: int,
    wording: Wording,
    people: float | None = None,
) -> AttackResult:
    """Return the result of an attack.

    Args:
        attack: Its name.
        arguments: Its arguments.
        published: For each trial on the table's people 0..1.
        control: The same of withheld people, or None.
        persons: The people whom the table holds.
        wording: The words of the sentence.
        people: How many of them fall to the attack; None takes the rate for all of them.
    """
    rate = success_rate(published)
    withheld = None if control is None else success_rate(control)
    excess, low, high = excess_over(rate, withheld)
    expected = rate.share * persons if people is None else people
    clauses = [
        f"Of {rate.trials:,} {wording.trials} {_share(rate)} {wording.said}",
        f"which is about {expected:,.0f} of {persons:,} persons",
    ]
    if withheld is not None:
        clauses.append(f"of {withheld.trials:,} {wording.control} {_share(withheld)}")
        clauses.append(f"being in the table adds {_percent(excess)} ({_percent(low)} to {_percent(high)})")
    return AttackResult(
        attack=attack,
        arguments=arguments,
        published=rate,
        control=withheld,
        excess=excess,
        excess_low=low,
        excess_high=high,
        people=expected,
        sentence="; ".join([*clauses, *wording.beside]) + ".",
    )


def _share(rate: Rate) -> str:
    return f"{rate.share:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def _percent(share: float) -> str:
    # rounded first, so that no -0.0 % is printed
    return f"{round(share, 3) + 0.0:.1%}"
