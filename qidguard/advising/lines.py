"""A change as lines of policy."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qidguard.advising.advice import Coarser
from qidguard.policy.draft_text import key_text

if TYPE_CHECKING:
    from qidguard.policy import HierarchySettings


def policy_lines(
    columns: Sequence[Coarser], suppress: float, written: "Mapping[str, HierarchySettings]"
) -> tuple[str, ...]:
    r"""Return the lines of policy that make a change; they are YAML, whatever the columns are called.

    Args:
        columns: What becomes of the columns.
        suppress: The share that may be left out; 0 is not written.
        written: Column → its hierarchy, for those of which the policy declares none.

    Example:
        >>> town = Coarser(column="town: home", level="drop", coarsest=0, ncp=1.0)
        >>> print("\n".join(policy_lines([town], 0.01, {})))
        remedy:
          recode:
            'town: home': drop
          suppress: 0.01
        >>> print("\n".join(policy_lines([Coarser(column="age", level=2, coarsest=4, ncp=0.2)], 0, {})))
        remedy:
          recode: {age: 2}
    """
    lines = ["remedy:", *_recode(columns)]
    if suppress:
        lines.append(f"  suppress: {suppress:g}")
    made = {one.column: written[one.column] for one in columns if one.column in written}
    if made:
        lines.append("hierarchies:")
        lines += [f"  {_keyed(name, _way(settings), 2)}" for name, settings in made.items()]
    return tuple(line for text in lines for line in text.split("\n"))


def _recode(columns: Sequence[Coarser]) -> list[str]:
    """Return what becomes of the columns, in few lines where every name is a plain word."""
    if not all(_WORD.fullmatch(one.column) and key_text(one.column) == f"{one.column}:" for one in columns):
        return ["  recode:", *(f"    {_keyed(one.column, str(one.level), 4)}" for one in columns)]
    listed = ", ".join(f"{one.column}:{_JOINED}{one.level}" for one in columns)
    wrapped = textwrap.TextWrapper(
        _WIDTH, initial_indent="  recode: ", subsequent_indent="    ", break_long_words=False
    )
    return [line.replace(_JOINED, " ") for line in wrapped.wrap(f"{{{listed}}}")]


_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WIDTH = 78
_JOINED = "\N{NO-BREAK SPACE}"
"""What stands between a column and its level while lines are broken."""


def _keyed(name: str, value: str, indent: int) -> str:
    """Return a column with what it is given; a key too long for one line stands over it."""
    return f"{key_text(name)} {value}".replace("\n  :", f"\n{' ' * indent}:")


def _way(settings: "HierarchySettings") -> str:
    """Return how a hierarchy is made, as YAML writes it in braces."""
    given = getattr(settings, settings.kind)
    if isinstance(given, str):
        return f"{{{settings.kind}: {given}}}"
    listed = ", ".join(map(_plain, given))
    return f"{{{settings.kind}: [{listed}]}}"


def _plain(one: object) -> str:
    return str(int(one)) if isinstance(one, float) and one.is_integer() else str(one)
