"""What an anonymiser is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from qidguard.core.parameter import Arguments, Parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Records(Protocol):
    """The records of a table in codes, in one fixed order."""

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in the source's order."""

    @property
    def records(self) -> int:
        """Number of records, ≥ 1."""

    def codes(self, columns: Sequence[str]) -> "NDArray[np.int32]":
        """Return codes of the columns, shape (records, columns): equal values have equal codes, NULL is 0."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What an anonymiser is asked to reach.

    Args:
        combinations: The QID combinations; the attacker may know all columns of any one of them.
        entity: The column whose distinct values are the persons; None where each record is one.
        sensitive: The sensitive attributes.
        seed: Seeds whatever is random; the same seed gives the same result.
    """

    combinations: tuple[tuple[str, ...], ...]
    entity: str | None
    sensitive: tuple[str, ...]
    seed: int


@dataclass(frozen=True, kw_only=True)
class Anonymised:
    """What an anonymiser did.

    Args:
        kept: Shape (records,), False for each record that is suppressed.
        suppressed_by: Combination as text → records suppressed on its behalf (a record may count twice).
    """

    kept: "NDArray[np.bool_]"
    suppressed_by: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PrivacyCost:
    """What one run spends of a privacy budget, as exact numbers.

    Args:
        epsilon: ε of (ε, δ)-differential privacy, ≥ 0.
        delta: δ of (ε, δ)-differential privacy, 0 ≤ δ < 1.
        rho: ρ of zero-concentrated differential privacy, ≥ 0, spent beside it.
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)


class Anonymiser(Protocol):
    """Transforms a table. Its own claims count for nothing: the host audits the result from scratch.

    An anonymiser that draws noise also has ``privacy_cost(arguments: Arguments) -> PrivacyCost``; the host
    charges the budget before ``anonymize`` is called.
    """

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a policy may set."""

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return what becomes of each record; NotMeasurable with the reason where it cannot be done."""
