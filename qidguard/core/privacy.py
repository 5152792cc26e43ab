"""A guarantee of differential privacy: what is drawn, whom it protects, how it adds up, what it leaves open.

Numbers are exact. What a guarantee says of itself is checked where it is made and where it is read again:
a scale that does not give the ε that is claimed is refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from qidguard.core.exact import short_text

_ZERO = Fraction(0)

_LAPLACE = frozenset({"laplace", "discrete_laplace"})
_GAUSSIAN = frozenset({"gaussian", "discrete_gaussian"})


class ProtectedUnit(StrEnum):
    """Whose data may change without the published table telling it: the unit of protection."""

    RECORD = "record"
    PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class PrivacyCost:
    """What one run spends of a privacy budget, as exact numbers.

    Args:
        epsilon: ε of (ε, δ)-differential privacy, ≥ 0.
        delta: δ of (ε, δ)-differential privacy, 0 ≤ δ < 1.
        rho: ρ of zero-concentrated differential privacy, ≥ 0, spent beside it.
    """

    epsilon: Fraction = _ZERO
    delta: Fraction = _ZERO
    rho: Fraction = _ZERO

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta", "rho"):
            _check_exact(name, getattr(self, name), is_zero_allowed=True)

    @property
    def text(self) -> str:
        """What is spent, such as ``ε = 1/10, δ = 1/1000000``."""
        parts = (("ε", self.epsilon), ("δ", self.delta), ("ρ", self.rho))
        return ", ".join(f"{sign} = {short_text(number)}" for sign, number in parts if number) or "ε = 0"


@dataclass(frozen=True, kw_only=True)
class NoisedPart:
    """Noise of one mechanism on one attribute, or on counts over several, in one part of the table.

    Two inputs that differ by at most ``reach`` give outputs whose probabilities differ by at most the factor
    e^ε. Where ``bounds`` are given and ``reach`` is less than their distance, the value is protected by
    distance only: over the whole range it costs ε · (upper − lower) / reach, and that is what is charged.

    Args:
        columns: The noised column; several for counts over them.
        mechanism: A plain name. Of ``laplace``, ``discrete_laplace`` (ε · scale ≥ reach) and ``gaussian``,
            ``discrete_gaussian`` (2 · ρ · scale² ≥ reach²) the scale is checked; of others nothing is.
        scale: Of the noise, > 0, in the column's unit.
        reach: How far apart inputs may be, > 0, in the column's unit; the sensitivity, for counts.
        bounds: Lower and upper end of what the column may hold, declared and not read off the data; None for
            counts.
        epsilon: ε of one record, ≥ 0.
        delta: δ of one record, in [0, 1).
        rho: ρ of one record, ≥ 0.
        partition: The part of the table that it is drawn for, a plain name; empty for all records.
    """

    columns: tuple[str, ...]
    mechanism: str
    scale: Fraction
    reach: Fraction
    bounds: tuple[Fraction, Fraction] | None = None
    epsilon: Fraction = _ZERO
    delta: Fraction = _ZERO
    rho: Fraction = _ZERO
    partition: str = ""

    def __post_init__(self) -> None:
        _check_texts("columns", self.columns)
        _check_texts("mechanism and partition", (self.mechanism, self.partition or "all"))
        _check_exact("scale", self.scale)
        _check_exact("reach", self.reach)
        given = PrivacyCost(epsilon=self.epsilon, delta=self.delta, rho=self.rho)
        if given == PrivacyCost():
            raise ValueError("noise that costs nothing protects nothing; tell its epsilon or its rho")
        if self.bounds is not None:
            low, high = self.bounds
            if not (_is_exact(low) and _is_exact(high) and low < high):
                raise ValueError("bounds must be two Fractions, the lower one first")
            if self.reach > high - low:
                raise ValueError("reach must not be larger than the distance of the bounds")
            if self.is_by_distance and self.delta:
                raise ValueError("what is bounded by distance must be without delta, which does not scale")
        self._check_scale()

    def _check_scale(self) -> None:
        is_short = (self.mechanism in _LAPLACE and self.epsilon * self.scale < self.reach) or (
            self.mechanism in _GAUSSIAN and 2 * self.rho * self.scale**2 < self.reach**2
        )
        if is_short:
            raise ValueError(
                f"{self.mechanism} noise of scale {short_text(self.scale)} does not give the"
                f" {PrivacyCost(epsilon=self.epsilon, rho=self.rho).text} that is claimed for a reach of"
                f" {short_text(self.reach)}"
            )

    @property
    def is_checked(self) -> bool:
        """Whether the scale was held against what is claimed of it."""
        return self.mechanism in _LAPLACE | _GAUSSIAN

    @property
    def is_by_distance(self) -> bool:
        """Whether values are protected by distance only, and not wherever they lie between the bounds."""
        return self.bounds is not None and self.reach < self.bounds[1] - self.bounds[0]

    @property
    def cost(self) -> PrivacyCost:
        """What it costs that the value lies anywhere between the bounds; as told where there are none."""
        times = Fraction(1) if self.bounds is None else (self.bounds[1] - self.bounds[0]) / self.reach
        return PrivacyCost(epsilon=self.epsilon * times, delta=self.delta, rho=self.rho * times**2)


@dataclass(frozen=True, kw_only=True)
class PrivacyGuarantee:
    """What an anonymizer that draws noise guarantees; the host charges what it comes to before it is drawn.

    The parts of a record compose in sequence: their costs add up (Dwork and Roth 2014, Theorem 3.16). Parts
    of different partitions compose in parallel, so that the dearest counts (McSherry 2009, Theorem 4), only
    where membership rests on public values; else they add up too.

    Args:
        parts: What is drawn, at least one part.
        unit: The unit of protection.
        contributions: The most records that one person has, ≥ 1; 1 where the unit is a record. The host holds
            it against the table. The cost of a record is multiplied by it.
        are_partitions_public: Whether membership in the partitions depends on public values only.
        not_covered: Sentences on what the guarantee does not cover, without a value of the table.
    """

    parts: tuple[NoisedPart, ...]
    unit: ProtectedUnit = ProtectedUnit.RECORD
    contributions: int = 1
    are_partitions_public: bool = False
    not_covered: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if type(self.parts) is not tuple or not self.parts:
            raise ValueError("a guarantee needs a tuple of at least one NoisedPart")
        if not all(isinstance(part, NoisedPart) for part in self.parts):
            raise TypeError("the parts of a guarantee are NoisedPart")
        if not isinstance(self.unit, ProtectedUnit):
            raise TypeError("the unit of a guarantee is a ProtectedUnit")
        if type(self.contributions) is not int:
            raise TypeError("contributions is a whole number")
        if self.contributions < 1 or (self.unit is ProtectedUnit.RECORD and self.contributions > 1):
            raise ValueError("contributions must be at least 1, and 1 where the unit is a record")
        if not isinstance(self.not_covered, tuple):
            raise TypeError("not_covered is a tuple of sentences")
        if self.not_covered:
            _check_texts("not_covered", self.not_covered)
        if self.contributions > 1 and any(part.delta or part.rho for part in self.parts):
            raise ValueError("several contributions of a person are reckoned for pure epsilon only")
        _ = self.cost  # its δ must be below 1

    @property
    def partitions(self) -> tuple[str, ...]:
        """The named partitions, in order."""
        return tuple(dict.fromkeys(part.partition for part in self.parts if part.partition))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that noise is drawn for, each once, in order."""
        return tuple(dict.fromkeys(column for part in self.parts for column in part.columns))

    def cost_of(self, columns: Iterable[str]) -> PrivacyCost:
        """Return what the parts over exactly these columns cost one record, over all partitions.

        Example:
            >>> from fractions import Fraction
            >>> part = NoisedPart(
            ...     columns=("age",),
            ...     mechanism="laplace",
            ...     scale=Fraction(20),
            ...     reach=Fraction(10),
            ...     bounds=(Fraction(30), Fraction(40)),
            ...     epsilon=Fraction(1, 2),
            ... )
            >>> PrivacyGuarantee(parts=(part,)).cost_of(["age"]).epsilon
            Fraction(1, 2)
        """
        asked = set(columns)
        return self._composed([part for part in self.parts if set(part.columns) == asked])

    @property
    def cost(self) -> PrivacyCost:
        """What the unit of protection is charged, over all parts, partitions and contributions."""
        one = self._composed(self.parts)
        times = self.contributions
        return PrivacyCost(epsilon=one.epsilon * times, delta=one.delta * times, rho=one.rho * times)

    def _composed(self, parts: Iterable[NoisedPart]) -> PrivacyCost:
        totals: dict[str, list[PrivacyCost]] = {}
        for part in parts:
            totals.setdefault(part.partition, []).append(part.cost)
        everywhere = _sum(totals.pop("", []))
        each = [_sum(costs) for costs in totals.values()]
        together = _largest(each) if self.are_partitions_public else _sum(each)
        return _sum([everywhere, together])


def example_guarantee() -> PrivacyGuarantee:
    """Return ε = 1/2 on ages from 17 to 90: Laplace noise of the scale 73 / ε."""
    age = NoisedPart(
        columns=("age",),
        mechanism="laplace",
        scale=Fraction(146),
        reach=Fraction(73),
        bounds=(Fraction(17), Fraction(90)),
        epsilon=Fraction(1, 2),
    )
    return PrivacyGuarantee(parts=(age,), not_covered=("Every other column is published as it is.",))


def _sum(costs: Iterable[PrivacyCost]) -> PrivacyCost:
    each = list(costs)
    return PrivacyCost(
        epsilon=sum((cost.epsilon for cost in each), _ZERO),
        delta=sum((cost.delta for cost in each), _ZERO),
        rho=sum((cost.rho for cost in each), _ZERO),
    )


def _largest(costs: Iterable[PrivacyCost]) -> PrivacyCost:
    each = list(costs)
    return PrivacyCost(
        epsilon=max((cost.epsilon for cost in each), default=_ZERO),
        delta=max((cost.delta for cost in each), default=_ZERO),
        rho=max((cost.rho for cost in each), default=_ZERO),
    )


def _check_exact(name: str, number: object, *, is_zero_allowed: bool = False) -> None:
    if not isinstance(number, Fraction):
        raise TypeError(f"{name} must be a Fraction, not {type(number).__name__}")
    if number < 0 or not (number or is_zero_allowed):
        raise ValueError(f"{name} must be {'at least' if is_zero_allowed else 'above'} 0, not {number}")
    if name == "delta" and number >= 1:
        raise ValueError(f"delta must be below 1, not {number}")


def _check_texts(name: str, texts: tuple[object, ...]) -> None:
    if type(texts) is not tuple or not texts or not all(map(_is_line, texts)):
        raise ValueError(f"{name} must be a line of text each")


def _is_exact(number: object) -> bool:
    return isinstance(number, Fraction)


def _is_line(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.isprintable()
