"""Texts that a terminal can show: marks of an outcome, and names without control characters."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Signs of one console.

    Args:
        met: Before a threshold that holds.
        missed: Before a threshold that does not.
        warned: Before one that does not, and only warns.
        blocks: The filled part of a bar, from an eighth of a cell to a whole one.
        rest: The empty part of a bar.
        dot: Between facts on one line.
        bullet: Before an item.
    """

    met: str
    missed: str
    warned: str
    blocks: str
    rest: str
    dot: str
    bullet: str

    def bar(self, share: float, cells: int) -> str:
        """Return a bar of ``cells`` characters; a share above 0 always shows, one below 1 never looks full.

        Example:
            >>> UNICODE.bar(0.5, 4), ASCII.bar(0.5, 4), ASCII.bar(0.001, 4), ASCII.bar(0.999, 4)
            ('██░░', '##..', '#...', '###.')
        """
        steps = len(self.blocks)
        total = cells * steps
        filled = round(min(1.0, max(0.0, share)) * total)
        if 0 < share < 1:
            filled = min(max(filled, 1), total - 1 if steps > 1 or cells > 1 else total)
        whole, part = divmod(filled, steps)
        text = self.blocks[-1] * whole + (self.blocks[part - 1] if part else "")
        return text + self.rest * (cells - len(text))


UNICODE = Marks(met="✓", missed="✗", warned="!", blocks="▏▎▍▌▋▊▉█", rest="░", dot="·", bullet="•")
ASCII = Marks(met="ok", missed="NO", warned="!!", blocks="#", rest=".", dot="-", bullet="*")


LONGEST_NAME = 60
"""Longer names are cut in sentences and tables, in characters; the JSON document keeps them whole."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_DELIMITERS = ',"'


PLAIN_WIDTH = 110
"""Width of what is written to a file, in characters."""


def plain_text(parts: "Iterable[RenderableType]", width: int = PLAIN_WIDTH) -> str:
    r"""Return what rich draws as text without colors, in lines of a width without white space at their ends.

    Args:
        parts: What is drawn.
        width: Characters a line.

    Example:
        >>> plain_text(["one ", "two"])
        'one\ntwo\n'
    """
    from rich.console import Console

    stream = StringIO()
    screen = Console(file=stream, width=width, markup=False, emoji=False, highlight=False)
    for part in parts:
        screen.print(part)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def visible(text: str) -> str:
    r"""Return ``text`` with control, format and unassigned characters as backslash escapes.

    Example:
        >>> print(visible("two\nlines"))
        two\nlines
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def shown_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a column name as printed: visible, cut when long, quoted where it would be misread.

    Example:
        >>> shown_name("age"), shown_name("age, sex")
        ('age', '"age, sex"')
    """
    text = visible(name)
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    is_unclear = not text or text != text.strip() or "  " in text or any(d in text for d in _DELIMITERS)
    return '"' + text.replace('"', r"\"") + '"' if is_unclear else text


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names as one phrase, the first ``most`` of them and how many are left out."""
    if not names:
        return "no columns"
    head = ", ".join(shown_name(name) for name in names[:most])
    left = len(names) - most
    return f"{head} and {left:,} more" if left > 0 else head
