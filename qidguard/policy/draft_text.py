"""Names and sentences as a draft of a policy writes them."""

import io

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString


def scalar_text(text: str) -> str:
    """Return text as one line of YAML, quoted where it must be.

    Example:
        >>> scalar_text("age"), scalar_text("5")
        ('age', "'5'")
    """
    for candidate in (text, DoubleQuotedScalarString(text)):
        yaml = YAML()
        yaml.width = 1 << 30
        stream = io.StringIO()
        yaml.dump([candidate], stream)
        line = stream.getvalue().removesuffix("\n").removeprefix("- ")
        if line.isprintable():
            break
    return line


_LONGEST_KEY = 1_000
"""Characters of a key that YAML reads without being told that one follows."""


def key_text(name: str) -> str:
    """Return a column's name as a key of YAML with what stands behind it.

    Example:
        >>> key_text("age"), key_text("<<")
        ('age:', "'<<':")
    """
    text = scalar_text(name)
    return f"{text}:" if len(text) <= _LONGEST_KEY else f"? {text}\n  :"


def comment_text(text: str) -> str:
    r"""Return text fit for a comment at the end of a line: no line ends, no control characters.

    Example:
        >>> comment_text("two\nlines")
        'two lines'
    """
    return "".join(character if character.isprintable() else " " for character in text).strip()
