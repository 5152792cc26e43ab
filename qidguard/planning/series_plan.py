"""What planning a series found: what each way of keeping it costs, release by release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import ExitCode, NotMeasurable
from qidguard.planning.figures import KeptSeries
from qidguard.planning.turnover import Turnover

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.plot.plot import Plot


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
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().plot().title
            'What keeping the series costs'
        """
        from qidguard.planning.plan_plot import plan_plot

        if not any(way.releases for way in self.ways):
            raise NotMeasurable("no way could make a release, so there is nothing to draw")
        return plan_plot(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return the figures of every release of every way as a table.

        Returns:
            One row a way and release: the way's label, then the fields of ``ReleaseFigures``.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().to_frame()[["way", "release", "fresh", "isolated"]].values.tolist()
            [['as it is', 1, 8, 0], ['as it is', 2, 8, 1]]
        """
        import pandas as pd

        from qidguard.planning.document import release_document

        return pd.DataFrame(
            [{"way": way.label} | release_document(one) for way in self.ways for one in way.releases]
        )

    def to_dict(self) -> "dict[str, Any]":
        """Return the document ``qidguard-series-plan/1`` as plain values that JSON knows.

        Returns:
            What ``qidguard schema series-plan`` describes.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().to_dict()["format"]
            'qidguard-series-plan/1'
        """
        from qidguard.planning.document import document

        return document(self)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard series plan --format json`` writes.

        Example:
            >>> from qidguard.planning.example import small_plan
            >>> small_plan().to_json().splitlines()[1]
            '  "format": "qidguard-series-plan/1",'
        """
        from qidguard.planning.document import json_text

        return json_text(self)

    def __str__(self) -> str:
        from qidguard.planning.console import console_text

        return console_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from qidguard.planning.console import html_text

        return html_text(self)
