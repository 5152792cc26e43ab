"""Systems of names, each with codes that stand for the same, such as countries."""

import re
import unicodedata
from collections.abc import Sequence

from qidguard.anonymizing.hierarchy.ready.data import read_sheet
from qidguard.anonymizing.hierarchy.ready.system import Path, ReadySystem, system_of

_WHOLE = re.compile(r"([0-9]+)(?:\.0+)?")
_NO_LETTER = re.compile(r"[\W_]+")


def folded(text: str) -> str:
    """Return a name without case, accents, punctuation and articles.

    Example:
        >>> folded(" Côte d'Ivoire"), folded("Bahamas (the)"), folded("UNITED-STATES")
        ('cote d ivoire', 'bahamas', 'united states')
    """
    plain = unicodedata.normalize("NFKD", text.casefold().replace("&", " and "))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = _NO_LETTER.sub(" ", plain).split()
    return " ".join(word for word in words if word != "the")


def named_system(name: str, *, spelling: str, digits: int) -> ReadySystem:
    """Return a system by its data file: each row one path, then all that stands for its first label.

    Numbers are filled up with zeros to ``digits``.
    """
    sheet = read_sheet(name)
    depth = len(sheet.levels)
    path_of: dict[str, Path] = {}
    for row in sheet.rows:
        path = row[:depth]
        for written in (path[0], *row[depth].split("|")):
            path_of[folded(written)] = path

    def found(text: str) -> Path | None:
        whole = _WHOLE.fullmatch(text.strip())
        return path_of.get(whole[1].zfill(digits) if whole else folded(text))

    def paths(texts: Sequence[str]) -> list[Path | None]:
        return [found(text) for text in texts]

    return system_of(name, sheet, spelling=spelling, paths=paths, members=[row[0] for row in sheet.rows])
