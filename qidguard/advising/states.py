"""States of a lattice of levels: what was counted of one, and which are not asked for."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

State = tuple[int, ...]
"""For each column the place of its option."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What a state leaves in too small classes, and what it costs if that is left out."""

    state: State
    persons: int
    records: int
    loss: float


@dataclass(kw_only=True)
class Excluded:
    """States that are not asked for: those that failed, and those coarser than what is told already.

    Args:
        places: Places of columns with the options that an audit has refused.
        states: States that an audit has refused.
        told: States that are told; what is coarser costs more and says nothing new, unless it leaves
            nobody out where they do.
    """

    places: dict[tuple[int, int], None] = field(default_factory=dict)
    states: set[State] = field(default_factory=set)
    told: list[Counted] = field(default_factory=list)

    def has(self, one: Counted) -> bool:
        """Return whether a counted state is excluded."""
        if one.state in self.states or any(one.state[at] == place for at, place in self.places):
            return True
        return any(
            all(a <= b for a, b in zip(told.state, one.state, strict=True))
            and (one.persons > 0 or told.persons == 0)
            for told in self.told
        )

    def mask(self, states: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Return which states are excluded whatever they leave out; shape (states,)."""
        found = np.zeros(len(states), dtype=np.bool_)
        for at, place in self.places:
            found |= states[:, at] == place
        for state in self.states:
            found |= (states == np.array(state)).all(axis=1)
        for told in self.told:
            if told.persons == 0:
                found |= (states >= np.array(told.state)).all(axis=1)
        return found
