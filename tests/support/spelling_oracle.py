"""What is one value when it is written differently, in plain Python: it knows nothing of SQL."""

import random
import re
import unicodedata
from decimal import Decimal

NO_WIDTH = "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufe0f\ufeff"
BLANKS = " \t\n\v\f\r\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000"
MISSING = {"?", "na", "n/a", "#n/a", "null", "nan", "-", "--", ".", ""}
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def one_value(text, ways):
    """Return a text as all that are one value with it are written; None for a missing one."""
    if text is None:
        return None
    if "unicode" in ways:
        text = unicodedata.normalize("NFC", "".join(c for c in text if c not in NO_WIDTH))
    if "blanks" in ways:
        text = " ".join("".join(" " if c in BLANKS else c for c in text).split())
    if "case" in ways:
        text = "".join(c.upper() if len(c.upper()) == 1 else c for c in text)
        text = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if "numbers" in ways and NUMBER.fullmatch(text):
        text = f"{Decimal(text).normalize() + 0:f}"
    return None if "missing" in ways and text.strip(" ").lower() in MISSING else text


def drawn_texts(seed, number):
    """Return texts that collide in every way and in several at once, NULL among them."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    stems = [
        "hiv",
        "caf\u00e9",
        "cafe\u0301",
        "a b",
        "stra\u00dfe",
        "\u03c3\u03b1\u03c2",
        "NA",
        "?",
        "",
        "-",
        "\ud55c",
    ]
    stems += ["1", "1.0", "01", "+1", "1e0", "10", "1e1", "-0", "0", "0.50", ".5", "12345678901234567890"]
    stems += ["12345678901234567891", "1.", "--1", "1,0", "Infinity", "a  b", "\u1100\u1161", "\uac00"]

    def written():
        text = chance.choice(stems)
        text = chance.choice([text, text, text.upper(), text.title()])
        for other in (BLANKS, NO_WIDTH):
            if chance.random() < 0.3:
                place = chance.choice([0, len(text), len(text) // 2])
                text = text[:place] + chance.choice(other) + text[place:]
        return text

    return [None if chance.random() < 0.05 else written() for _ in range(number)]
