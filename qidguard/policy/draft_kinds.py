"""The ``kinds`` section of a draft: what the values of each column are."""

from collections.abc import Sequence

from qidguard.core.kind import KIND_WORDS, KindAssignment
from qidguard.core.report import ColumnReport
from qidguard.policy.draft_text import comment_text, key_text, scalar_text

_HEAD = """
# What the values of each column are: correct what is wrong. It is no role, and blocks nothing.
"""
_ASKED = "# Questions to you: write down each that is so, or what is.\n"


def kinds_text(columns: Sequence[ColumnReport]) -> str:
    """Return the section: what is proposed, and what is unsure as questions in comments."""
    known = [(column.facts.name, column.kind) for column in columns if column.kind is not None]
    sure = [(name, kind) for name, kind in known if kind.is_sure]
    unsure = [(name, kind) for name, kind in known if not kind.is_sure]
    if not known:
        return ""
    lines = ["kinds:\n" if sure else "# kinds:\n"]
    lines += [f"  {key_text(name)} {kind.kind}  # {_why(kind)}\n" for name, kind in sure]
    if unsure:
        lines.append(f"  {_ASKED}")
    lines += [
        f"  # {scalar_text(name)}: {kind.kind}?  # {KIND_WORDS[kind.kind]}; {_why(kind)}\n"
        for name, kind in unsure
    ]
    return _HEAD + "".join(lines)


def _why(kind: KindAssignment) -> str:
    said = kind.decided_by + ("" if kind.confidence is None else f", confidence {kind.confidence:.2g}")
    return comment_text(said + (f": {kind.reason}" if kind.reason else ""))
