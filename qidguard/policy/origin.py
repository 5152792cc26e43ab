"""Where a policy came from: the file's name, the line of every field, and the digest of the text."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from qidguard.core.errors import PolicyError

FieldPath = tuple[str | int, ...]
"""The keys and positions that lead to a field: ``("thresholds", 0, "at_least")``."""


def path_text(path: FieldPath) -> str:
    """Return a path as people write it.

    Example:
        >>> path_text(("thresholds", 0, "at_least"))
        'thresholds[0].at_least'
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            # a key that nobody knows may hold line ends, and an error is one line
            name = part if part.isprintable() else repr(part)
            text += f".{name}" if text else name
    return text


def text_digest(text: str) -> str:
    r"""Return the SHA-256 of a policy's text; line ends do not matter, everything else does.

    Example:
        >>> text_digest("a: 1\r\n") == text_digest("a: 1\n")
        True
    """
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def value_digest(values: Mapping[str, object]) -> str:
    """Return the SHA-256 of a policy that has no text: of its JSON form with sorted keys.

    Example:
        >>> value_digest({"a": 1, "b": 2}) == value_digest({"b": 2, "a": 1})
        True
    """
    return text_digest(json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, kw_only=True)
class Complaint:
    """One thing that is wrong with a policy, without its place.

    Args:
        path: The field it concerns.
        sentence: The rule, the offending value and the remedy.
    """

    path: FieldPath
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The name, the lines and the digest of a policy's text; two origins always compare equal.

    Args:
        name: What the user calls the policy: the file's path.
        lines: FieldPath → line, counted from 1; empty for a policy that has no text.
        digest: SHA-256 of the text, hex; empty for a policy that has no text.
        text: The text; empty for a policy that has none.
    """

    name: str = field(default="policy", compare=False)
    lines: Mapping[FieldPath, int] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    digest: str = field(default="", compare=False)
    text: str = field(default="", compare=False, repr=False)

    def line_of(self, path: FieldPath) -> int | None:
        """Return the line of a field, or of the nearest field around it; None where there is no text."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def where(self, path: FieldPath) -> str:
        """Return the place of a field as an error begins: ``policy.yaml line 7``."""
        line = self.line_of(path)
        return self.name if line is None else f"{self.name} line {line}"

    def error(self, complaints: Iterable[Complaint]) -> PolicyError:
        """Return one error that says each complaint on a line of its own, in the order of the text."""
        ordered = sorted(complaints, key=lambda complaint: self.line_of(complaint.path) or 0)
        sentences = [f"{self.where(complaint.path)}: {complaint.sentence}" for complaint in ordered]
        return PolicyError("\n".join(dict.fromkeys(sentences)))
