"""Sentences with places for their figures, so that Data Docs can set names and numbers apart from words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from types import MappingProxyType
from typing import Any

from qidguard.report.figure import limit_figure
from qidguard.report.printable import shown_name, visible

MOST_NAMES = 12
"""How many columns a sentence names; the rest are counted."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence.

    Args:
        template: The words, with ``$name`` where a name or a figure goes.
        parts: Name → the text that goes there.
        columns: The names of those parts that are columns.
    """

    template: str
    parts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentence with everything in its place."""
        return Template(self.template).safe_substitute(self.parts)


class Words:
    """Gathers the parts of one sentence while its words are put together."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}
        self._columns: list[str] = []

    def part(self, text: str, *, is_column: bool = False) -> str:
        """Return the place in a template where ``text`` goes."""
        name = f"{'column' if is_column else 'figure'}_{len(self._parts) + 1}"
        self._parts[name] = text
        if is_column:
            self._columns.append(name)
        return f"${name}"

    def columns(self, names: Sequence[str]) -> str:
        """Return places for columns, with commas between them; long lists end in a count."""
        head = [self.part(shown_name(name), is_column=True) for name in names[:MOST_NAMES]]
        left = len(names) - MOST_NAMES
        return ", ".join(head) + (f" and {left:,} more" if left > 0 else "")

    def limit(self, value: Any, unit: str) -> str:
        """Return the place of a limit; one that is given when the suite runs goes by its parameter's name."""
        if isinstance(value, Mapping):
            return self.part(f"parameter {visible(str(next(iter(value.values()), '')))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return self.part(visible(str(value)))
        return self.part(limit_figure(value, unit))

    def sentence(self, template: str) -> Sentence:
        """Return the finished sentence."""
        return Sentence(
            template=template, parts=MappingProxyType(dict(self._parts)), columns=tuple(self._columns)
        )
