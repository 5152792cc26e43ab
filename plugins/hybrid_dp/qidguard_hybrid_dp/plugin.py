"""What the plugin provides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.sdk import Command, hookimpl
from qidguard_hybrid_dp.commands.command import HYBRID_DP_COMMAND

if TYPE_CHECKING:
    from qidguard.sdk import Anonymizer

# ``qidguard --help`` asks for commands alone, and needs no NumPy


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard hybrid_dp``."""
    return (HYBRID_DP_COMMAND,)


@hookimpl
def qidguard_anonymizers() -> "Iterable[Anonymizer]":
    """Return the hybrid scheme, and the fully private choice."""
    from qidguard_hybrid_dp.anonymizer import ANONYMIZERS
    from qidguard_hybrid_dp.private.anonymizer import ANONYMIZERS as PRIVATE

    return (*ANONYMIZERS, *PRIVATE)
