"""What the plugin provides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.sdk import Command, hookimpl

if TYPE_CHECKING:
    import click

    from qidguard.sdk import Anonymizer

# ``qidguard --help`` asks for commands alone, and needs no NumPy


def _make() -> "click.Group":
    import click

    from qidguard_hybrid_dp.commands import evaluation
    from qidguard_hybrid_dp.commands.noise import noise_command
    from qidguard_hybrid_dp.commands.patterns import patterns_command

    return click.Group(
        "hybrid_dp",
        help="Hybrid differential privacy and k-anonymity as its paper has it (Majeed & Hwang 2023).",
        commands=[patterns_command, noise_command, *evaluation.COMMANDS],
    )


HYBRID_DP_COMMAND = Command(
    name="hybrid_dp",
    title="Hybrid differential privacy and k-anonymity: patterns, noise, evaluation.",
    make=_make,
)
"""The command ``qidguard hybrid_dp``."""


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
