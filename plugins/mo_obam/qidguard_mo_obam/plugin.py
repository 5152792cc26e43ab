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

    from qidguard_mo_obam.commands import evaluation

    group = click.Group(
        "mo_obam",
        help="Evaluate MO-OBAM beside other methods as its paper does (Wei, Benson, Agor & Capan 2025).",
    )
    for command in (
        evaluation.evaluate_command,
        evaluation.models_command,
        evaluation.grid_command,
        evaluation.tune_command,
    ):
        group.add_command(command)
    return group


MO_OBAM_COMMAND = Command(
    name="mo_obam", title="Evaluate MO-OBAM: loss, linkage, homogeneity, models, fronts.", make=_make
)
"""The command ``qidguard mo_obam``."""


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard mo_obam``."""
    return (MO_OBAM_COMMAND,)


@hookimpl
def qidguard_anonymizers() -> "Iterable[Anonymizer]":
    """Return MO-OBAM."""
    from qidguard_mo_obam.anonymizer import ANONYMIZERS

    return ANONYMIZERS
