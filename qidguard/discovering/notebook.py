"""A discovery as an HTML fragment for notebooks: no script, no style sheet, at home on dark and on light."""

from typing import TYPE_CHECKING

from qidguard.discovering import wording
from qidguard.discovering.answered import answer_html, choice_sentence
from qidguard.rendering import html
from qidguard.rendering.printable import shown_name
from qidguard.search.protocol import StoppedBy

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery


def to_html_fragment(discovery: "Discovery") -> str:
    """Return the discovery as one HTML element.

    Args:
        discovery: The discovery; names and sentences in it are escaped.

    Returns:
        A ``div`` with inline styles.

    Units:
        Figures carry theirs; shares in percent.

    Example:
        >>> from qidguard.discovering.example import small
        >>> to_html_fragment(small())[:5]
        '<div '
    """
    is_whole = discovery.search.stopped_by is StoppedBy.FINISHED
    word, color = ("FOUND", html.NEUTRAL) if is_whole else ("FOUND SO FAR", html.UNSURE)
    sets = (
        (
            str(place),
            wording.compared(one),
            wording.columns_of(one, discovery.best),
            wording.figures(one, discovery.terms),
        )
        for place, one in enumerate(discovery.sets, start=1)
    )
    steps = (
        [wording.step(entry, discovery.terms) for entry in discovery.explained[0]]
        if discovery.explained
        else []
    )
    beneath = (
        wording.table_sentence(discovery),
        wording.search_sentence(discovery),
        choice_sentence(discovery),
    )
    return html.whole(
        (
            html.badge(word, color, wording.headline(discovery), *beneath),
            html.table("Best sets", ("", "fitness", "columns", "figures"), sets),
            html.table("Why these columns", ("column", "fitness", "what moved"), steps),
            _columns(discovery),
            html.table(
                "Not searched",
                ("column", "why"),
                [(shown_name(name), why) for name, why in discovery.left_out.items()],
            ),
            _scores(discovery),
            *answer_html(discovery),
            html.items("Notes", discovery.notes),
        )
    )


def _columns(discovery: "Discovery") -> str:
    rows = []
    for column in sorted(discovery.columns, key=lambda c: (-c.is_found, -c.share)):
        if column.why_not:
            continue
        name, known = shown_name(column.facts.name), column.plausibility
        rows.append(
            (
                html.bold(name) if column.is_found else name,
                html.bar(column.share, html.NEUTRAL),
                f"{column.share:.0%}",
                "" if known is None else f"plausible {known.share:g}: {known.why}",
            )
        )
    title = f"Columns: share of the {len(discovery.sets)} best sets"
    return html.table(title, ("", "", "", ""), rows)


def _scores(discovery: "Discovery") -> str:
    if discovery.truth is None:
        return ""
    rows = [(name, *scores) for name, scores in wording.score_rows(discovery)]
    return html.table("Against the truth", ("score", *wording.score_header(discovery)), rows)
