"""What the plugin provides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.sdk import Command, hookimpl
from qidguard_qir.command import QIR

if TYPE_CHECKING:
    from qidguard.sdk import Recognizer, SearchStrategy

# ``qidguard --help`` asks for commands alone, and needs no NumPy


@hookimpl
def qidguard_recognizers() -> "Iterable[Recognizer]":
    """Return the recognizer of columns by their risk."""
    from qidguard_qir.recognizer import RECOGNIZERS

    return RECOGNIZERS


@hookimpl
def qidguard_search_strategies() -> "Iterable[SearchStrategy]":
    """Return QIR, and SQI as its baseline."""
    from qidguard_qir.strategy import SEARCH_STRATEGIES

    return SEARCH_STRATEGIES


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard qir``."""
    return (QIR,)
