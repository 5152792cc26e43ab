"""Where the marks of a trend and the bars of a figure stand, in the units of their drawings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from qidguard.interfaces.airflow.pages.words import asked, measured, moment
from qidguard.releasing.judgement import Standing
from qidguard.report.printable import visible

if TYPE_CHECKING:
    from qidguard.releasing.judgement import Judgement

STEP: Final = 8
HALF_HEIGHT: Final = 18
EDGE: Final = 6
"""Room around the outermost marks."""

BAR_WIDTH: Final = 200

_LOOKS = {
    Standing.BLOCKED: "blocked",
    Standing.FAILED: "failed",
    Standing.PASSED: "good",
    Standing.PUBLISHED: "good",
    Standing.PUBLISHED_BY_EXCEPTION: "excepted",
}


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One verdict in a trend.

    Args:
        x: From the left.
        y: From the top; the line of limits is in the middle.
        look: ``good``, ``excepted``, ``blocked``, ``failed`` or ``open``: each has a shape and a colour.
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


def trend(judgements: "Sequence[Judgement]", longest: int) -> Trend:
    """Return the drawing of verdicts: above the middle a policy held with room, below it it did not.

    The height of a mark is the room of the tightest figure; a verdict without one stands at the bottom where
    it is bad and on the middle where it is good. The last verdict is at the right.

    Args:
        judgements: The verdicts, oldest first.
        longest: For how many there is a place, ≥ 1.

    Returns:
        The drawing.

    Units:
        Units of the drawing.

    Raises:
        Nothing.

    Example:
        >>> trend([], 30).words
        'No verdicts.'
    """
    first = longest - len(judgements)
    marks = tuple(_mark(judgement, first + place) for place, judgement in enumerate(judgements))
    joined = [
        mark for mark, judgement in zip(marks, judgements, strict=True) if judgement.tightest is not None
    ]
    return Trend(
        marks=marks,
        line=" ".join(f"{mark.x:g},{mark.y:g}" for mark in joined),
        width=2 * EDGE + STEP * (longest - 1),
        height=2 * (EDGE + HALF_HEIGHT),
        words=_summary(judgements),
    )


def look(standing: Standing) -> str:
    """Return how a standing looks: which shape and which colour.

    Args:
        standing: What came of a run.

    Returns:
        ``good``, ``excepted``, ``blocked``, ``failed`` or ``open``.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> look(Standing.CUT_OFF)
        'open'
    """
    return _LOOKS.get(standing, "open")


def _mark(judgement: "Judgement", place: int) -> Mark:
    figure = judgement.tightest
    bare = 0.0 if judgement.standing.is_good else -1.0
    room = bare if figure is None else figure.room
    return Mark(
        x=EDGE + STEP * place,
        y=round(EDGE + HALF_HEIGHT * (1 - room), 1),
        look=look(judgement.standing),
        words=f"{moment(judgement.at)} {judgement.standing}{_of(judgement)}",
    )


def _of(judgement: "Judgement") -> str:
    return "" if judgement.tightest is None else f": {tightest_words(judgement)}"


def tightest_words(judgement: "Judgement") -> str:
    """Return the tightest figure beside its limit; empty where there is none.

    Args:
        judgement: A verdict.

    Returns:
        Such as ``k-anonymity 4 records, at least 5``.

    Units:
        The metric's; shares in percent.

    Raises:
        Nothing.

    Example:
        >>> from types import SimpleNamespace
        >>> tightest_words(SimpleNamespace(tightest=None))
        ''
    """
    if judgement.tightest is None:
        return ""
    figure = asdict(judgement.tightest)
    title = visible(figure["title"]) or figure["metric"].replace("_", " ")
    return f"{title} {measured(figure)}, {asked(figure)}"


def _summary(judgements: "Sequence[Judgement]") -> str:
    if not judgements:
        return "No verdicts."
    good = sum(judgement.standing.is_good for judgement in judgements)
    last = judgements[-1]
    return (
        f"{good:,} of the last {len(judgements):,} runs ended well; the last one: {last.standing}{_of(last)}."
    )


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
    """Return the bar of a threshold; None where it has no number, or one below zero.

    Args:
        figure: A threshold as an audit's document lists it.

    Returns:
        The bar; the larger of figure and limit takes nine tenths of the width.

    Units:
        Units of the drawing.

    Raises:
        KeyError: When the figure lacks what the document always says.

    Example:
        >>> bar({"value": 5, "limit": 10})
        Bar(figure=90.0, limit=180.0, width=200)
    """
    value, limit = figure["value"], figure["limit"]
    if value is None or value < 0 or limit < 0:
        return None
    largest = max(value, limit) or 1
    return Bar(
        figure=round(0.9 * BAR_WIDTH * value / largest, 1),
        limit=round(0.9 * BAR_WIDTH * limit / largest, 1),
        width=BAR_WIDTH,
    )
