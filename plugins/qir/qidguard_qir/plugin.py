"""What the plugin provides."""

from collections.abc import Iterable

from qidguard.sdk import Command, Recognizer, hookimpl
from qidguard_qir.command import QIR
from qidguard_qir.recognizer import RECOGNIZERS


@hookimpl
def qidguard_recognizers() -> Iterable[Recognizer]:
    """Return the recognizer of columns by their risk."""
    return RECOGNIZERS


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard qir``."""
    return (QIR,)
