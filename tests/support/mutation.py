"""Seeded changes of texts, bytes and documents, as mistakes and malice make them."""

import copy
import json
import random
from typing import Any

PIECES = (
    *("", " ", "\t", "\n", "\r\n", "\0", "\ufeff", "\u200b", "\u2028", "é", "é", "🩺", "\x7f", "\x1b[31m"),
    *("null", "~", "true", "no", "0", "-0", "-1", "1e400", ".nan", ".inf", "0x10", "1_000", "2026-13-45"),
    *("{", "}", "[", "]", ":", ": ", "- ", "? ", "&a", "*a", "!!python/object:os.system", "|", ">", "%", "@"),
    *(
        "'",
        '"',
        '"""',
        "`",
        "#",
        ",",
        ";",
        "\\",
        "/",
        "../",
        "*",
        "$HOME",
        "%s",
        "{0}",
        "--",
        "; DROP TABLE x",
    ),
    *("9" * 400, "a" * 3000, "[" * 300, "{a: " * 100, "\ud7ff", "select", "records", "c0", "NaN", "NA"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 5, 10**30, -(10**30), 0.5, -0.0, 1e308, 2.5),
    *(
        "",
        " ",
        "age",
        "sex",
        "nowhere",
        "k_anonymity",
        "\0",
        "x" * 5000,
        "ℓ",
        "age ",
        "2026-01-01",
        "1/2",
        "*",
    ),
    *([], {}, [[]], [None], ["age"], ["age", "age"], {"a": {}}, {"": ""}, [1, "a", None], [{"metric": "k"}]),
)


class Mutator:
    """Draws changes.

    Args:
        seed: The same seed draws the same changes.
    """

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311 - changes, no secrets

    def text(self, text: str) -> str:
        """Return a text with one to four changes."""
        for _ in range(self.draw.choice((1, 1, 2, 4))):
            text = self._changed(text)
        return text

    def _changed(self, text: str) -> str:
        start = self.draw.randrange(len(text) + 1)
        end = min(len(text), start + self.draw.choice((0, 1, 1, 3, 10, 60)))
        lines = text.split("\n")
        at, other = (self.draw.randrange(len(lines)) for _ in range(2))
        match self.draw.randrange(6):
            case 0 | 1:
                return text[:start] + self.draw.choice(PIECES) + text[end:]
            case 2:
                return text[:start] + text[end:]
            case 3:
                return "\n".join([*lines[:at], *lines[at + 1 :]])
            case 4:
                return "\n".join([*lines[:at], lines[other], *lines[at:]])
            case _:
                return "\n".join(
                    [*lines[:at], " " * self.draw.choice((1, 2, 4)) + lines[at], *lines[at + 1 :]]
                )

    def content(self, content: bytes) -> bytes:
        """Return bytes with some of them changed, cut off, doubled or put in."""
        changed = bytearray(content)
        for _ in range(self.draw.choice((1, 1, 2, 8))):
            start = self.draw.randrange(len(changed) + 1)
            size = self.draw.choice((1, 1, 4, 100))
            match self.draw.randrange(4):
                case 0:
                    changed[start : start + size] = self.draw.randbytes(size)
                case 1:
                    del changed[start : start + size]
                case 2:
                    changed[start:start] = changed[start : start + size]
                case _:
                    changed = changed[: max(start, len(changed) - size)]
        return bytes(changed)

    def document(self, value: Any) -> Any:
        """Return plain values with one to three of them exchanged, taken away, doubled or added."""
        value = copy.deepcopy(value)
        for _ in range(self.draw.choice((1, 1, 2, 3))):
            value = self._exchanged(value)
        return value

    def _exchanged(self, value: Any) -> Any:
        if not isinstance(value, (dict, list)) or not value or self.draw.random() < 0.1:
            return copy.deepcopy(self.draw.choice(VALUES))
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = self.draw.choice(keys)
        match self.draw.randrange(8):
            case 0:
                del value[key]
            case 1 if isinstance(value, dict):
                value[self.draw.choice(("", "x", "qidguard", "name", "metric", "A" * 300))] = value[key]
            case 1:
                value.append(copy.deepcopy(value[key]))
            case _:
                value[key] = self._exchanged(value[key])
        return value

    def json(self, content: bytes) -> bytes:
        """Return a JSON document with values exchanged, or with its text changed."""
        if self.draw.random() < 0.4:
            return self.content(content)
        changed = self.document(json.loads(content))
        return json.dumps(
            changed, ensure_ascii=self.draw.random() < 0.5, indent=self.draw.choice((None, 2))
        ).encode("utf-8", "surrogatepass")
