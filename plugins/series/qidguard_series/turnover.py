"""Turnover: which share of the persons of a series leaves, comes, changes, returns or is erased."""

from dataclasses import dataclass, fields

from qidguard.core.errors import UserError


@dataclass(frozen=True, kw_only=True)
class Turnover:
    """What changes from one release to the next, as shares of the persons who are present before it.

    Counts are exact: what a share leaves over of a person is carried to the next release.

    Args:
        leave: Who leaves, 0 ≤ share < 1.
        come: Who comes for the first time, ≥ 0.
        change: Who stays and has one quasi-identifier recorded anew, 0..1: of one table drawn as its records
            have it, which is often the value that it was; of earlier files another value.
        come_back: Who returns, a share of those who left and were not erased, 0..1.
        erase: Who leaves and has to be deleted at once, last values included, 0 ≤ share < 1.

    Raises:
        UserError: When a share is no number, or outside its range.

    Example:
        >>> Turnover(leave=0.02, come=0.02, change=0.01).gone
        0.02
    """

    leave: float = 0.0
    come: float = 0.0
    change: float = 0.0
    come_back: float = 0.0
    erase: float = 0.0

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            share: object = getattr(self, name)
            if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
                raise UserError(f"{name} is a share of persons, 0 to 1, not {share!r}; 0.02 is two percent")
            object.__setattr__(self, name, float(share))
        if self.gone + self.change > 1 or self.gone == 1:
            raise UserError(
                f"{self.gone:.3g} of the persons leave and {self.change:.3g} change, which is more than all;"
                " lower a share"
            )

    @property
    def gone(self) -> float:
        """The share that is not there any more, erased or not."""
        return round(self.leave + self.erase, 12)

    def __str__(self) -> str:
        said = [(self.leave, "leave"), (self.come, "come"), (self.change, "change a quasi-identifier")]
        said += [(self.come_back, "of the gone return"), (self.erase, "are erased")]
        return ", ".join(f"{share * 100:.3g} % {words}" for share, words in said if share) or "nobody moves"
