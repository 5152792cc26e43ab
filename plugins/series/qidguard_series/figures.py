"""What one release of a simulated series came to, and what all releases of one way of keeping it did."""

from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.planning.keeping import Keeping


@dataclass(frozen=True, kw_only=True)
class ReleaseFigures:
    """What one release of a simulated series came to.

    Args:
        release: Its number, ≥ 1.
        present: Persons who are there.
        published: Persons whom it shows, last values of who left among them.
        fresh: Persons who are there and are shown, with the values of today.
        stale: Persons who are gone and are shown with their last values.
        oldest: Releases for which the longest of these is gone, this one counted; 0 where there is none.
        waiting: Persons who are there, and whom no release has shown.
        longest: Releases for which the longest of these waits, this one counted; 0 where there is none.
        companions: Persons who are there and were shown by the last release, and are left out so that who
            left has company.
        dissolved: Persons who are there and whose group is shown no more.
        ncp: The loss of what is published, 0..1.
        smallest: Persons in the smallest joint class over all releases so far, absence being a class.
        intersection: Intersection k-anonymity, persons.
        differencing: Differencing k-anonymity, persons.
        isolated: Persons in joint classes below k.
        seconds: The anonymizer's own time, s.
    """

    release: int
    present: int
    published: int
    fresh: int
    stale: int
    oldest: int
    waiting: int
    longest: int
    companions: int
    dissolved: int
    ncp: float
    smallest: int
    intersection: int
    differencing: int
    isolated: int
    seconds: float = field(compare=False)

    @property
    def fresh_share(self) -> float:
        """The share of who is there that is shown, 0..1."""
        return self.fresh / self.present if self.present else 1.0

    @property
    def stale_share(self) -> float:
        """The share of who is shown that is gone, 0..1."""
        return self.stale / self.published if self.published else 0.0

    @property
    def loss(self) -> float:
        """NCP over who is there, who is not shown being lost as a whole, 0..1."""
        return self.fresh_share * self.ncp + 1 - self.fresh_share


@dataclass(frozen=True, kw_only=True)
class KeptSeries:
    """All releases of one way of keeping a series.

    Args:
        keeping: The way.
        releases: Its releases, as far as they could be made.
        reason: Why the next could not be made; empty where all were.
    """

    keeping: "Keeping"
    releases: tuple[ReleaseFigures, ...]
    reason: str = ""

    @property
    def label(self) -> str:
        """How it is called."""
        return self.keeping.label

    @property
    def is_had(self) -> bool:
        """Whether every release could be made, and all together isolate nobody."""
        return not self.reason and not self.isolated

    @property
    def ncp_mean(self) -> float:
        """The mean loss of its releases, 0..1; it has at least one."""
        return fmean(one.ncp for one in self.releases)

    @property
    def loss_mean(self) -> float:
        """The mean of ``ReleaseFigures.loss``, 0..1."""
        return fmean(one.loss for one in self.releases)

    @property
    def fresh_share(self) -> float:
        """The smallest share of who is there that a release shows, 0..1."""
        return min((one.fresh_share for one in self.releases), default=0.0)

    @property
    def stale_share(self) -> float:
        """The largest share of who is shown that is gone, 0..1."""
        return max((one.stale_share for one in self.releases), default=0.0)

    @property
    def isolated(self) -> int:
        """The most persons in joint classes below k after any release."""
        return max((one.isolated for one in self.releases), default=0)

    def most(self, figure: str) -> int:
        """Return the largest of a count over the releases."""
        return max((int(getattr(one, figure)) for one in self.releases), default=0)

    def total(self, figure: str) -> int:
        """Return a count summed over the releases."""
        return sum(int(getattr(one, figure)) for one in self.releases)
