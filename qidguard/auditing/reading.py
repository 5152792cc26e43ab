"""How a policy says that a source is read, as an engine is told."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from qidguard.engines.base import READ_WORDS, ReadOptions

if TYPE_CHECKING:
    from qidguard.policy.source import ReadingSettings


_NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def read_options(source: "ReadingSettings", order: Mapping[str, tuple[str, ...]] = _NOTHING) -> ReadOptions:
    """Return how a policy says a source is read; its codebook is found by the one who knows the folder.

    Args:
        source: A section of the policy that says how a table is read.
        order: What the policy declares of the order of the table's columns.
    """
    written = {name: getattr(source, word) for name, word in READ_WORDS.items() if name != "codebook"}
    numbers = None if source.numbers is None else source.numbers.format
    return ReadOptions(**written | {"numbers": numbers}, order=dict(order))
