"""The privacy budget: what differentially private releases spend together, in exact numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any

from qidguard.core.errors import ExitCode, QidguardError
from qidguard.core.exact import exact_text, read_exact, short_text

_NOTHING = Fraction(0)


def _check(value: "Spend | SpentTogether | Budget") -> None:
    for field in fields(value):
        number = getattr(value, field.name)
        if not isinstance(number, Fraction):
            raise TypeError(f"{field.name} must be a Fraction, not {type(number).__name__}")
        if number < 0:
            raise ValueError(f"{field.name} must be at least 0, not {number}")
    if not isinstance(value, SpentTogether) and value.delta >= 1:
        raise ValueError(f"delta must be below 1, not {value.delta}")


@dataclass(frozen=True, kw_only=True)
class Spend:
    """What one release spends: an (ε, δ)-differentially private part and a ρ-zero-concentrated one.

    A mechanism has one of the two as a rule, Laplace noise ε, Gaussian noise ρ; what is 0 is not spent.

    Args:
        epsilon: ε ≥ 0, in nats.
        delta: δ in [0, 1), a probability.
        rho: ρ ≥ 0, of zero-concentrated differential privacy (Bun and Steinke 2016, Definition 1.1).
    """

    epsilon: Fraction = _NOTHING
    delta: Fraction = _NOTHING
    rho: Fraction = _NOTHING

    def __post_init__(self) -> None:
        _check(self)

    @property
    def text(self) -> str:
        """What is spent, such as ``ε = 1/10, δ = 1/1000000``."""
        parts = (("ε", self.epsilon), ("δ", self.delta), ("ρ", self.rho))
        return ", ".join(f"{sign} = {short_text(number)}" for sign, number in parts if number) or "ε = 0"


@dataclass(frozen=True, kw_only=True)
class SpentTogether:
    """What several releases spent together; the sum of their δ may reach 1, which protects nobody.

    Args:
        epsilon: Σε ≥ 0, in nats.
        delta: Σδ ≥ 0.
        rho: Σρ ≥ 0.
    """

    epsilon: Fraction = _NOTHING
    delta: Fraction = _NOTHING
    rho: Fraction = _NOTHING

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What all releases of a data set or population may spend together.

    Args:
        epsilon: ε > 0, in nats.
        delta: δ in [0, 1), a probability.
    """

    epsilon: Fraction
    delta: Fraction = _NOTHING

    def __post_init__(self) -> None:
        _check(self)
        if not self.epsilon:
            raise ValueError("a budget's epsilon must be above 0")


def total(spends: Iterable[Spend]) -> SpentTogether:
    """Return what the releases spend together: Σε, Σδ and Σρ, in exact numbers.

    (ε, δ) adds up by basic composition (Dwork and Roth 2014, Theorem 3.16), ρ by that of concentrated
    differential privacy (Bun and Steinke 2016, Lemma 1.7), also where a release depends on what earlier
    ones gave. OpenDP composes by the same sums (``make_composition``), and its privacy filter by floats:
    there 0.1 + 0.1 + 0.1 exceeds 0.3, so that the third of three releases is refused, and one release too
    many exhausts the filter for good. Here the sums are fractions.

    Args:
        spends: One for each release, in any order.

    Returns:
        The sums; zeros where there is no release.

    Units:
        ε in nats; δ a probability; ρ in nats.

    Raises:
        AttributeError: When one of ``spends`` is no Spend.

    Example:
        >>> tenth = Spend(epsilon=Fraction(1, 10))
        >>> total([tenth, tenth, tenth]).epsilon
        Fraction(3, 10)
    """
    each = tuple(spends)
    return SpentTogether(
        epsilon=sum((spend.epsilon for spend in each), _NOTHING),
        delta=sum((spend.delta for spend in each), _NOTHING),
        rho=sum((spend.rho for spend in each), _NOTHING),
    )


__all__ = [
    "Budget",
    "BudgetError",
    "Spend",
    "SpentTogether",
    "check_spend",
    "exact_text",
    "read_exact",
    "remaining",
    "total",
]


class BudgetError(QidguardError):
    """A release would spend more than its budget bears, so nothing is drawn or published."""

    exit_code = ExitCode.BLOCKED


def remaining(budget: Budget, spends: Iterable[Spend]) -> Spend:
    """Return the (ε, δ) that one more release may spend.

    Args:
        budget: What may be spent.
        spends: What was spent, in any order.

    Returns:
        ε and δ that ``check_spend`` lets through together; both are 0 where the budget is used up. Where
        concentrated releases are among ``spends``, converting their ρ takes all the δ that is left.

    Units:
        ε in nats; δ a probability.

    Raises:
        AttributeError: When one of ``spends`` is no Spend.

    Example:
        >>> tenth = Spend(epsilon=Fraction(1, 10))
        >>> remaining(Budget(epsilon=Fraction(1)), [tenth] * 7).epsilon
        Fraction(3, 10)
    """
    spent = total(spends)
    used = _epsilon(budget, spent)
    if used is None or used > budget.epsilon or spent.delta > budget.delta:
        return Spend()
    return Spend(epsilon=budget.epsilon - used, delta=_NOTHING if spent.rho else budget.delta - spent.delta)


def check_spend(budget: Budget, spends: Iterable[Spend], wanted: Spend, *, of: str) -> None:
    """Let one more release through, or raise.

    The parts that are (ε, δ)-private add up exactly. The ρ of concentrated releases adds up exactly too and
    is converted once, with the δ of the budget that the other releases leave free; the two together are
    (Σε + ε(Σρ), δ)-private, also where a release depends on earlier ones of either kind (Vadhan and Zhang
    2023, Concurrent Composition Theorems for Differential Privacy; Whitehouse, Ramdas, Rogers and Wu 2023,
    Fully-Adaptive Composition in Differential Privacy).

    Args:
        budget: What may be spent.
        spends: What was spent, in any order.
        wanted: What the release would spend.
        of: What the budget is of: a data set or a population. It stands in the error.

    Raises:
        BudgetError: When the budget does not bear it; exit code 1.

    Example:
        >>> tenth = Spend(epsilon=Fraction(1, 10))
        >>> check_spend(Budget(epsilon=Fraction(1)), [tenth] * 10, tenth, of="patients")
        Traceback (most recent call last):
        ...
        qidguard.budget.BudgetError: a release of ε = 1/10 would bring what is spent of 'patients' \
to ε = 11/10, above its budget of 1; have it spend less, or have the policy's privacy_budget reviewed
    """
    spent = total([*spends, wanted])
    used = _epsilon(budget, spent)
    would = f"a release of {wanted.text} would bring what is spent of {of!r} to"
    remedy = "have it spend less, or have the policy's privacy_budget reviewed"
    if used is None and spent.delta <= budget.delta:
        left = short_text(budget.delta - spent.delta)
        raise BudgetError(
            f"{would} ρ = {short_text(spent.rho)}, which cannot be turned into an ε at the δ of {left} that"
            f" is left of its budget; {remedy}"
        )
    above = []
    if used is not None and used > budget.epsilon:
        above.append(f"ε = {short_text(used)}, above its budget of {short_text(budget.epsilon)}")
    if spent.delta > budget.delta:
        above.append(f"δ = {short_text(spent.delta)}, above its budget of {short_text(budget.delta)}")
    if above:
        raise BudgetError(f"{would} {', and '.join(above)}; {remedy}")


def _epsilon(budget: Budget, spent: SpentTogether) -> Fraction | None:
    """Return the ε that was spent, the ρ converted with the δ that is free; None where none is finite."""
    converted = epsilon_of(spent.rho, max(_NOTHING, budget.delta - spent.delta))
    return None if converted is None else spent.epsilon + converted


_STEP = 10**9
"""ε is rounded up to a whole number of these parts."""

_SMALLEST = Fraction(1, 10**100)
"""A ρ below it counts as it: floats have no room for its square root."""


@lru_cache(maxsize=256)
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction | None:
    """Return an ε such that whatever is ρ-zero-concentrated differentially private is (ε, δ)-private too.

    OpenDP converts (``make_zCDP_to_approxDP``), after Canonne, Kamath and Steinke (2020), The Discrete
    Gaussian for Differential Privacy, section 2.3; it is never above the ρ + 2√(ρ ln(1/δ)) of Bun and
    Steinke (2016, Proposition 1.3). ρ is rounded up and δ down to floats before, ε up after.

    Args:
        rho: ρ ≥ 0, in nats.
        delta: The δ that the conversion may use, in [0, 1).

    Returns:
        ε ≥ 0, a multiple of 10⁻⁹; None where there is no finite one (δ = 0), or none that floats can hold.

    Units:
        Nats.

    Raises:
        ImportError: When OpenDP is not installed.

    Example:
        >>> epsilon_of(Fraction(0), Fraction(0))
        Fraction(0, 1)
    """
    if rho == 0:
        return Fraction(0)
    allowed = _rounded_down(delta)
    if allowed <= 0:
        return None
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussian: Any = dp.m.make_gaussian(*space, scale=1.0)
    try:
        converted: Any = dp.c.make_zCDP_to_approxDP(gaussian)
        epsilon = converted.map(_distance(gaussian, rho)).epsilon(allowed)
    except (dp.OpenDPException, OverflowError):
        # a ρ so large that its ε is beyond floats is beyond every budget
        return None
    if not math.isfinite(epsilon):
        return None
    return Fraction(math.ceil(Fraction(epsilon) * _STEP), _STEP)


def _distance(gaussian: Any, rho: Fraction) -> float:
    """Return how far apart inputs are that cost at least ρ under noise of scale 1: d²/2 ≥ ρ."""
    distance = math.sqrt(2 * max(rho, _SMALLEST))
    while Fraction(gaussian.map(distance)) < rho:
        distance = math.nextafter(distance, math.inf)
    return distance


def _rounded_down(number: Fraction) -> float:
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
