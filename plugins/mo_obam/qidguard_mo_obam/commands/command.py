"""``qidguard mo_obam``: the group."""

from typing import TYPE_CHECKING

from qidguard.sdk import Command

if TYPE_CHECKING:
    import click

INTERRUPTED = 130
"""Exit code after Ctrl-C; what was done is shown."""


def _make() -> "click.Group":
    import click

    from qidguard_mo_obam.commands.evaluate import evaluate_command
    from qidguard_mo_obam.commands.models import models_command
    from qidguard_mo_obam.commands.studies import grid_command, tune_command

    group = click.Group(
        "mo_obam",
        help="Evaluate MO-OBAM beside other methods as its paper does (Wei, Benson, Agor & Capan 2025).",
    )
    group.add_command(evaluate_command())
    group.add_command(models_command())
    group.add_command(grid_command())
    group.add_command(tune_command())
    return group


MO_OBAM_COMMAND = Command(
    name="mo_obam", title="Evaluate MO-OBAM: loss, linkage, homogeneity, models, fronts.", make=_make
)
"""The command ``qidguard mo_obam``."""
