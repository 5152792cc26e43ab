"""How a page writes moments, and where the marks of a trend and the bars of a figure stand."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from qidguard.sdk import RunStatus, threshold_words, visible

if TYPE_CHECKING:
    from qidguard.sdk import Judgment

_SPANS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))

STEP: Final = 8
HALF_HEIGHT: Final = 18
EDGE: Final = 6
"""Room around the outermost marks."""

BAR_WIDTH: Final = 200

_LOOKS = {
    RunStatus.BLOCKED: "blocked",
    RunStatus.FAILED: "failed",
    RunStatus.PASSED: "good",
    RunStatus.PUBLISHED: "good",
    RunStatus.PUBLISHED_BY_EXCEPTION: "excepted",
}


def moment(at: datetime) -> str:
    """Return a moment to the minute, in UTC.

    Example:
        >>> moment(datetime(2026, 11, 21, 13, 45, 59, tzinfo=UTC))
        '2026-11-21 13:45'
    """
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def apart(at: datetime, now: datetime) -> str:
    """Return how long ago a moment is, or how long it is until then, in its largest unit.

    Example:
        >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
        >>> (
        ...     apart(noon - timedelta(hours=30), noon),
        ...     apart(noon + timedelta(minutes=2), noon),
        ...     apart(noon, noon),
        ... )
        ('1 day ago', 'in 2 minutes', 'just now')
    """
    span = abs(at - now)
    for unit, word in _SPANS:
        if span >= unit:
            number = span // unit
            text = f"{number:,} {word}{'' if number == 1 else 's'}"
            return f"{text} ago" if at < now else f"in {text}"
    return "just now" if at <= now else "now"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One verdict in a trend.

    Args:
        x: From the left.
        y: From the top; the line of limits is in the middle.
        look: ``good``, ``excepted``, ``blocked``, ``failed`` or ``open``: each has a shape and a color.
        words: What it says to somebody who cannot see it.
    """

    x: float
    y: float
    look: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Trend:
    """The verdicts of a data set, drawn.

    Args:
        marks: The verdicts, oldest first.
        line: The points that a line joins, as SVG writes them.
        width: Of the drawing.
        height: Of the drawing.
        words: What it says to somebody who cannot see it.
    """

    marks: tuple[Mark, ...]
    line: str
    width: float
    height: float
    words: str


def trend(judgments: "Sequence[Judgment]", longest: int) -> Trend:
    """Return the drawing of verdicts: above the middle a policy held with room, below it it did not.

    The height of a mark is the room of the tightest figure; a verdict without one stands at the bottom where
    it is bad and on the middle where it is good. The last verdict is at the right.
    """
    first = longest - len(judgments)
    marks = tuple(_mark(judgment, first + place) for place, judgment in enumerate(judgments))
    joined = [mark for mark, judgment in zip(marks, judgments, strict=True) if judgment.tightest is not None]
    return Trend(
        marks=marks,
        line=" ".join(f"{mark.x:g},{mark.y:g}" for mark in joined),
        width=2 * EDGE + STEP * (longest - 1),
        height=2 * (EDGE + HALF_HEIGHT),
        words=_summary(judgments),
    )


def look(status: RunStatus) -> str:
    """Return how a status looks: which shape and which color."""
    return _LOOKS.get(status, "open")


def _mark(judgment: "Judgment", place: int) -> Mark:
    figure = judgment.tightest
    bare = 0.0 if judgment.status.is_good else -1.0
    room = bare if figure is None else figure.room
    return Mark(
        x=EDGE + STEP * place,
        y=round(EDGE + HALF_HEIGHT * (1 - room), 1),
        look=look(judgment.status),
        words=f"{moment(judgment.at)} {judgment.status}{_of(judgment)}",
    )


def _of(judgment: "Judgment") -> str:
    return "" if judgment.tightest is None else f": {tightest_words(judgment)}"


def tightest_words(judgment: "Judgment") -> str:
    """Return the tightest figure beside its limit; empty where there is none.

    Example:
        >>> from types import SimpleNamespace
        >>> tightest_words(SimpleNamespace(tightest=None))
        ''
    """
    if judgment.tightest is None:
        return ""
    figure = asdict(judgment.tightest)
    title = visible(figure["title"]) or figure["metric"].replace("_", " ")
    words = threshold_words(figure)
    return f"{title} {words.measured}, {words.asked}"


def _summary(judgments: "Sequence[Judgment]") -> str:
    if not judgments:
        return "No verdicts."
    good = sum(judgment.status.is_good for judgment in judgments)
    last = judgments[-1]
    return f"{good:,} of the last {len(judgments):,} runs ended well; the last one: {last.status}{_of(last)}."


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A figure beside its limit, from 0 at the left.

    Args:
        figure: How long the bar is.
        limit: Where the limit stands.
        width: Of the drawing.
    """

    figure: float
    limit: float
    width: float


def bar(figure: Mapping[str, Any]) -> Bar | None:
    """Return the bar of a threshold; None where it has no number, or one below zero."""
    value, limit = figure["value"], figure["limit"]
    if value is None or value < 0 or limit < 0:
        return None
    largest = max(value, limit) or 1
    return Bar(
        figure=round(0.9 * BAR_WIDTH * value / largest, 1),
        limit=round(0.9 * BAR_WIDTH * limit / largest, 1),
        width=BAR_WIDTH,
    )
