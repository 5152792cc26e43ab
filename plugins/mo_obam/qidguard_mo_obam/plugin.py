"""What the plugin provides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.sdk import Command, hookimpl
from qidguard_mo_obam.commands.command import MO_OBAM_COMMAND

if TYPE_CHECKING:
    from qidguard.sdk import Anonymizer

# ``qidguard --help`` asks for commands alone, and needs no NumPy


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard mo_obam``."""
    return (MO_OBAM_COMMAND,)


@hookimpl
def qidguard_anonymizers() -> "Iterable[Anonymizer]":
    """Return MO-OBAM."""
    from qidguard_mo_obam.anonymizer import ANONYMIZERS

    return ANONYMIZERS
