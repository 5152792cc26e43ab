"""What planning a series found: what each way of keeping it costs, release by release, and as a document."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from qidguard.sdk import ExitCode, NotMeasurable
from qidguard_series.keeping import Keeping
from qidguard_series.stream import Turnover

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.sdk import Plot, ResultPage

FORMAT = "qidguard-series-plan/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""
_DIGITS = 6


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

    keeping: Keeping
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


@dataclass(frozen=True, kw_only=True)
class SeriesPlan:
    """What each way of keeping a series costs, simulated; it holds no value of the table.

    Args:
        source: The table, as the user named it.
        policy: The policy's name.
        qids: The quasi-identifiers.
        persons: Persons of the first release.
        k: Persons in the smallest class, of one release and of all together.
        turnover: Who moves from one release to the next.
        releases: Number of releases, ≥ 2.
        true_releases: How many of them are files; 0 where all are simulated.
        ways: One series a way, in the order in which they were asked for.
        plain_method: The anonymizer that made each release without a look at the others.
        alone: What each release loses so, 0..1; empty where it could not be made.
        remarks: What cannot be had, told before it is tried, and what else is worth knowing.
        seed: Seeds the persons who move, and the anonymizer.
        is_interrupted: Whether ways are missing because somebody stopped it.
        versions: Distribution → version of what took part.
    """

    source: str
    policy: str
    qids: tuple[str, ...]
    persons: int
    k: int
    turnover: Turnover
    releases: int
    true_releases: int = 0
    ways: tuple[KeptSeries, ...]
    plain_method: str
    alone: tuple[float, ...] = ()
    remarks: tuple[str, ...] = ()
    seed: int = 0
    is_interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[KeptSeries, ...]:
        """The ways that can be had, those first that lose least; who is not shown counts as lost."""
        return tuple(sorted((way for way in self.ways if way.is_had), key=lambda way: way.loss_mean))

    @property
    def alone_mean(self) -> float | None:
        """The mean loss of the releases where nobody looks at the others, 0..1."""
        return fmean(self.alone) if self.alone else None

    @property
    def exit_code(self) -> ExitCode:
        """0 where a way can be had, else 1."""
        return ExitCode.PASSED if self.ranked else ExitCode.BLOCKED

    def plot(self) -> "Plot":
        """Return the loss and the share of stale records over the releases, a line a way.

        Returns:
            Two panels.

        Units:
            Shares, 0..1.

        Raises:
            NotMeasurable: When no way could make a release.

        Example:
            >>> from qidguard_series.example import small_plan
            >>> small_plan().plot().title
            'What keeping the series costs'
        """
        if not any(way.releases for way in self.ways):
            raise NotMeasurable("no way could make a release, so there is nothing to draw")
        from qidguard_series.plot import plan_plot

        return plan_plot(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return the figures of every release of every way as a table.

        Returns:
            One row a way and release: the way's label, then the fields of ``ReleaseFigures``.

        Example:
            >>> from qidguard_series.example import small_plan
            >>> small_plan().to_frame()[["way", "release", "fresh", "isolated"]].values.tolist()
            [['as it is', 1, 8, 0], ['as it is', 2, 8, 1]]
        """
        import pandas as pd

        return pd.DataFrame([{"way": way.label} | _release(one) for way in self.ways for one in way.releases])

    def to_dict(self) -> "dict[str, Any]":
        """Return the document ``qidguard-series-plan/1`` as plain values that JSON knows.

        Returns:
            What ``qidguard schema series-plan`` describes.

        Example:
            >>> from qidguard_series.example import small_plan
            >>> small_plan().to_dict()["format"]
            'qidguard-series-plan/1'
        """
        return _document(self)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard series plan --format json`` writes.

        Example:
            >>> from qidguard_series.example import small_plan
            >>> small_plan().to_json().splitlines()[1]
            '  "format": "qidguard-series-plan/1",'
        """
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def page(self) -> "ResultPage":
        """Return the plan on one page: a row a way, which to take, and what cannot be had.

        Example:
            >>> from qidguard_series.example import small_plan
            >>> small_plan().page().sentences
            ('No way that was tried keeps the series.',)
        """
        from qidguard_series.page import plan_page

        return plan_page(self)

    def __str__(self) -> str:
        return self.page().text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.page().html()


def _document(plan: "SeriesPlan") -> dict[str, Any]:
    """Return a plan as plain values that JSON knows, in a fixed order; shares are 0..1."""
    best = plan.ranked[0].label if plan.ranked else None
    return {
        "format": FORMAT,
        "source": plan.source,
        "policy": plan.policy,
        "quasi_identifiers": list(plan.qids),
        "persons": plan.persons,
        "k": plan.k,
        "turnover": asdict(plan.turnover),
        "releases": plan.releases,
        "true_releases": plan.true_releases,
        "exit_code": int(plan.exit_code),
        "best": best,
        "ranked": [way.label for way in plan.ranked],
        "ways": [_way(way) for way in plan.ways],
        "plain_method": plan.plain_method,
        "alone": [round(loss, _DIGITS) for loss in plan.alone],
        "remarks": list(plan.remarks),
        "seed": plan.seed,
        "is_interrupted": plan.is_interrupted,
        "versions": dict(sorted(plan.versions.items())),
    }


def _way(way: "KeptSeries") -> dict[str, Any]:
    keeping = way.keeping
    return {
        "label": way.label,
        "anonymizer": keeping.method.name,
        "parameters": keeping.method.plain_parameters,
        "is_exit_known": keeping.is_exit_known,
        "is_had": way.is_had,
        "reason": way.reason or None,
        "ncp_mean": round(way.ncp_mean, _DIGITS) if way.releases else None,
        "loss_mean": round(way.loss_mean, _DIGITS) if way.releases else None,
        "releases": [_release(one) for one in way.releases],
    }


def _release(one: "ReleaseFigures") -> dict[str, Any]:
    """Return the figures of a release, in the order of their fields; the loss is 0..1, time in seconds."""
    return asdict(one) | {"ncp": round(one.ncp, _DIGITS), "seconds": round(one.seconds, _DIGITS)}
