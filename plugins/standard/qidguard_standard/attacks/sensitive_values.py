"""Sensitive values of published, original and withheld records as codes that can be compared."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Attacked, NotMeasurable
from qidguard_standard.attacks.column_match import same_values


@dataclass(frozen=True, kw_only=True)
class SensitiveValues:
    """One sensitive attribute; NULL is a value of its own, with the code 0.

    Args:
        name: The attribute.
        published: Shape (published records,), the original's code of each value; a value that the original
            lacks has a code of its own.
        original: Shape (records,).
        withheld: Shape (withheld records,), −1 for a value that the original lacks; None where nobody was
            withheld.
        most_frequent: The codes that the most published records have, at least one where there are records.
    """

    name: str
    published: NDArray[np.int64]
    original: NDArray[np.int64]
    withheld: NDArray[np.int64] | None
    most_frequent: tuple[int, ...]

    @classmethod
    def of(cls, attacked: Attacked, asked: str) -> "tuple[SensitiveValues, ...]":
        """Return the asked attribute, or each of the policy's; NotMeasurable where none is published."""
        names = (asked,) if asked else attacked.task.sensitive
        missing = [
            name
            for name in names
            if name not in attacked.changes.before.names or name not in attacked.changes.after.names
        ]
        if missing:
            raise NotMeasurable(
                f"The sensitive attribute {missing[0]!r} does not stand in the original and the published "
                "table; name one that does."
            )
        if not names:
            raise NotMeasurable(
                "The attack is on a sensitive attribute, and the policy names none; name one there or set "
                "the parameter sensitive."
            )
        return tuple(cls._one(attacked, name) for name in names)

    @classmethod
    def _one(cls, attacked: Attacked, name: str) -> "SensitiveValues":
        before, after = attacked.changes.before.column(name), attacked.changes.after.column(name)
        same = same_values(after, before)
        new = np.flatnonzero(same < 0)
        same[new] = len(before.texts) + np.arange(len(new))
        published = same[after.codes]
        withheld = None
        if attacked.withheld is not None:
            control = attacked.withheld.column(name)
            withheld = same_values(control, before)[control.codes]
        counts = np.bincount(published, minlength=1)
        return cls(
            name=name,
            published=published,
            original=before.codes.astype(np.int64),
            withheld=withheld,
            most_frequent=tuple(np.flatnonzero((counts == counts.max()) & (counts > 0)).tolist()),
        )

    def truth(self, record: int, *, is_withheld: bool) -> int:
        """Return the code of a target's own value."""
        if is_withheld:
            if self.withheld is None:
                raise ValueError("nobody was withheld")
            return int(self.withheld[record])
        return int(self.original[record])
