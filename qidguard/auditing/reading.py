"""How a policy says that a source is read, as an engine is told."""

from typing import TYPE_CHECKING

from qidguard.engines.base import READ_WORDS, ReadOptions

if TYPE_CHECKING:
    from qidguard.policy.source import Reading


def read_options(source: "Reading") -> ReadOptions:
    """Return how the policy says a source is read; its codebook is found by the one who knows the folder."""
    written = {name: getattr(source, word) for name, word in READ_WORDS.items() if name != "codebook"}
    numbers = None if source.numbers is None else source.numbers.format
    return ReadOptions(**written | {"numbers": numbers})
