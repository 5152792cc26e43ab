"""What the plugin provides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.sdk import Command, hookimpl
from qidguard_qir.command import QIR

if TYPE_CHECKING:
    from qidguard.sdk import Recognizer


@hookimpl
def qidguard_recognizers() -> "Iterable[Recognizer]":
    """Return the recognizer of columns by their risk."""
    # ``qidguard --help`` asks for commands alone, and needs no NumPy
    from qidguard_qir.recognizer import RECOGNIZERS

    return RECOGNIZERS


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard qir``."""
    return (QIR,)
