"""A table of results as lines of text and in a page: no figure is cut, no text in it acts."""

from textwrap import wrap

from qidguard.core.result_table import Cell, ResultTable
from qidguard.rendering import html
from qidguard.rendering.printable import visible

LARGE = 10_000
"""From here on a number is told without decimals."""
_FEW_ROWS = 2
A_PAGE = 120
"""The width of what is written to a file, in characters."""
_GAP = "  "
_NARROWEST = 16


def result_lines(table: ResultTable, width: int = A_PAGE, *, is_ascii: bool = False) -> list[str]:
    r"""Return a table as lines, its title and note apart.

    Headings and sentences go on in further lines where the width asks for it; a figure never does, so a table
    of many figures may be wider than asked. What several rows have in common stands once, above them.

    Args:
        table: The table.
        width: How many characters a line should have.
        is_ascii: Whether only ASCII may be drawn.

    Returns:
        The lines, no space at their ends. NULL is a dash; a table without rows has its headings alone.

    Example:
        >>> from qidguard.sdk import ResultTable, result_lines
        >>> one = ResultTable(
        ...     name="gain",
        ...     title="Gain",
        ...     columns=("k", "sample", "privacy_gain"),
        ...     rows=((5, "10 %", 45.06), (15, "10 %", 72.2249), (25, "10 %", None)),
        ... )
        >>> print("\n".join(result_lines(one, 12)))
        sample 10 %
        <BLANKLINE>
            privacy
         k     gain
        ───────────
         5    45.06
        15    72.22
        25        -
    """
    same = [at for at in range(len(table.columns)) if _is_same(table, at)]
    shown = [at for at in range(len(table.columns)) if at not in same]
    told = ", ".join(f"{_heading(table, at)} {_text(table.rows[0][at])}" for at in same)
    above = [*wrap(told, max(width, _NARROWEST)), ""] if told else []
    widths = _widths(table, shown, width)
    to_right = {at: all(_is_figure(row[at]) for row in table.rows) for at in shown}
    headings = [_broken(_heading(table, at), widths[at]) for at in shown]
    tallest = max((len(heading) for heading in headings), default=0)
    headings = [[""] * (tallest - len(heading)) + heading for heading in headings]
    blocks = [headings]
    blocks += [[_broken(_text(row[at]), widths[at]) for at in shown] for row in table.rows]
    drawn = [[_line(cells, shown, widths, to_right) for cells in _level(block)] for block in blocks]
    rule = ("-" if is_ascii else "─") * max((len(line) for block in drawn for line in block), default=0)
    return [*above, *drawn[0], rule, *(line for block in drawn[1:] for line in block)]


def html_table(table: ResultTable, most: int | None = None) -> str:
    """Return a table of results as HTML without its title, its first rows where ``most`` says how many.

    Example:
        >>> from qidguard.core.result_table import ResultTable
        >>> "&lt;b&gt;" in html_table(ResultTable(name="risk", title="Risk", columns=("<b>",), rows=()))
        True
    """
    figures = [at for at in range(len(table.columns)) if all(_is_figure(row[at]) for row in table.rows)]
    return html.grid(table.columns, [tuple(map(_text, row)) for row in table.rows[:most]], figures)


def _is_same(table: ResultTable, at: int) -> bool:
    cells = {_text(row[at]) for row in table.rows}
    return at > 0 and len(table.rows) > _FEW_ROWS and len(cells) == 1


def _heading(table: ResultTable, at: int) -> str:
    return visible(table.columns[at].replace("_", " "))


def _widths(table: ResultTable, shown: list[int], width: int) -> dict[int, int]:
    """Return how wide each column is: figures as they are, sentences share what room is left."""
    fixed: dict[int, int] = {}
    texts: dict[int, int] = {}
    for at in shown:
        longest_word = max(map(len, _heading(table, at).split()), default=1)
        longest = max((len(_text(row[at])) for row in table.rows), default=0)
        if longest <= _NARROWEST or all(_is_figure(row[at]) for row in table.rows):
            fixed[at] = max(longest, longest_word, 1)
        else:
            texts[at] = max(longest, longest_word)
    room = width - sum(fixed.values()) - len(_GAP) * (len(shown) - 1)
    # the shortest takes first, so that what it leaves goes to the others
    for place, at in enumerate(sorted(texts, key=lambda one: texts[one])):
        share = room // (len(texts) - place)
        fixed[at] = max(min(texts[at], share), _NARROWEST)
        room -= fixed[at]
    return fixed


def _broken(text: str, width: int) -> list[str]:
    return wrap(text, width) or [""]


def _level(cells: list[list[str]]) -> list[list[str]]:
    """Return the lines of a row of cells that have several each."""
    height = max(map(len, cells), default=0)
    return [[cell[line] if line < len(cell) else "" for cell in cells] for line in range(height)]


def _line(cells: list[str], shown: list[int], widths: dict[int, int], to_right: dict[int, bool]) -> str:
    return _GAP.join(
        cell.rjust(widths[at]) if to_right[at] else cell.ljust(widths[at])
        for cell, at in zip(cells, shown, strict=True)
    ).rstrip()


def _is_figure(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, (int, float)) and not isinstance(cell, bool))


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= LARGE else f"{cell:.4g}"
    return visible(cell)
