"""Systems of codes whose groups are ranges or beginnings of codes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from qidguard.anonymizing.hierarchy.ready.data import Ranges, code_ranges, read_sheet
from qidguard.anonymizing.hierarchy.ready.system import Path, ReadySystem, system_of

_NO_WORD = re.compile(r"\W")
_BLANKS = re.compile(r"\s+")


def upper(texts: Sequence[str]) -> list[str]:
    """Return codes in capitals and without blanks."""
    return [_BLANKS.sub("", text).upper() for text in texts]


@dataclass(frozen=True, kw_only=True)
class CodeForm:
    """How the codes of a system are written, and which part of a code is its group.

    Args:
        pattern: What a cleaned code must look like. A named group ends where the code of the level of that
            name does; one that a code lacks is a level that the code stands above.
        spelling: How a value may be written, for people.
        cleaned: All values of a column → the codes that they mean.
        meant: What a code may mean that is no member as it stands, the likeliest first.
        open_levels: Levels whose groups need not be in the data: the beginning of the code is their label.
        widths: Level → characters that the labels of an open level are filled up to with ``*``.
    """

    pattern: str
    spelling: str
    cleaned: Callable[[Sequence[str]], Sequence[str]] = upper
    meant: Callable[[str], Sequence[str]] = lambda _: ()
    open_levels: tuple[str, ...] = ()
    widths: Mapping[str, int] = field(default_factory=dict)


def coded_system(name: str, form: CodeForm) -> ReadySystem:
    """Return a system of codes by its data file and the form of its codes."""
    sheet = read_sheet(name)
    pattern = re.compile(form.pattern)
    ranges = {level: code_ranges(list(sheet.groups(level))) for level in sheet.levels}
    coarsest_first = sheet.levels[::-1]

    def path(code: str) -> Path | None:
        match = pattern.fullmatch(code)
        if match is None:
            return None
        parts = match.groupdict()
        labels: list[str] = []
        for level in coarsest_first:
            group = _NO_WORD.sub("_", level)
            if group in parts and parts[group] is None and labels:
                labels.append(labels[-1])
                continue
            part = code[: match.end(group)] if parts.get(group) is not None else code
            label = _label(level, code, part, ranges[level], form)
            if label is None:
                return None
            labels.append(label)
        return tuple(labels[::-1])

    def paths(texts: Sequence[str]) -> list[Path | None]:
        found: dict[str, Path | None] = {}
        codes = form.cleaned(texts)
        for code in codes:
            if code not in found:
                candidates = (path(one) for one in (code, *form.meant(code)))
                found[code] = next((one for one in candidates if one is not None), None)
        return [found[code] for code in codes]

    finest = next(level for level in sheet.levels if ranges[level].lows)
    return system_of(
        name,
        sheet,
        spelling=form.spelling,
        paths=paths,
        listed=sheet.levels.index(finest),
        members=[code.partition("-")[0] for code, _ in sheet.groups(finest)],
    )


def _label(level: str, code: str, part: str, ranges: Ranges, form: CodeForm) -> str | None:
    found = ranges.label(code if level in form.open_levels else part)
    if found is not None or level not in form.open_levels:
        return found
    return part.ljust(form.widths.get(level, 0), "*")
