"""How unlike texts are: by the words and the letter trigrams that they do not share."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"[^\W_]+")


def features(text: str) -> set[str]:
    """Return the words of a text and the trigrams of each, without regard to case.

    Args:
        text: Any text.

    Returns:
        Words, each with a space at both ends, and their trigrams; a text without a letter or digit has
        itself alone.

    Units:
        None.

    Raises:
        TypeError: When it is no text.

    Example:
        >>> sorted(features("HIV"))
        [' hi', ' hiv ', 'hiv', 'iv ']
    """
    words = [f" {word} " for word in _WORD.findall(text.casefold())] or [text]
    return {*words, *(word[at : at + 3] for word in words for at in range(len(word) - 2))}


def unlikeness(texts: Sequence[str]) -> "NDArray[np.float64]":
    """Return for each pair of texts 1 − 2·shared features / features of both (Dice, 1945).

    Args:
        texts: The texts.

    Returns:
        Shape (texts, texts), symmetric, 0..1; 0 on the diagonal.

    Units:
        A share.

    Raises:
        TypeError: When one is no text.

    Example:
        >>> unlikeness(["wine", "WINE", "beer"]).round(2).tolist()
        [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    import numpy as np

    holders: dict[str, list[int]] = {}
    sizes = np.zeros(len(texts))
    for at, text in enumerate(texts):
        found = features(text)
        sizes[at] = len(found)
        for feature in sorted(found):
            holders.setdefault(feature, []).append(at)
    shared = np.diag(sizes)
    for held in holders.values():
        if len(held) > 1:
            shared[np.ix_(held, held)] += 1
    # the diagonal was counted twice where a feature is shared
    np.fill_diagonal(shared, sizes)
    return 1 - 2 * shared / np.add.outer(sizes, sizes)
