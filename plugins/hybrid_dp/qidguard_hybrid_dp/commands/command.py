"""``qidguard hybrid_dp``: the group."""

from typing import TYPE_CHECKING

from qidguard.sdk import Command

if TYPE_CHECKING:
    import click


def _make() -> "click.Group":
    import click

    from qidguard_hybrid_dp.commands.evaluate import evaluate_command
    from qidguard_hybrid_dp.commands.models import models_command
    from qidguard_hybrid_dp.commands.noise import noise_command
    from qidguard_hybrid_dp.commands.patterns import patterns_command
    from qidguard_hybrid_dp.commands.risk import risk_command
    from qidguard_hybrid_dp.commands.sweep import sweep_command

    group = click.Group(
        "hybrid_dp",
        help="Hybrid differential privacy and k-anonymity as its paper has it (Majeed & Hwang 2023).",
    )
    group.add_command(patterns_command())
    group.add_command(noise_command())
    group.add_command(evaluate_command())
    group.add_command(risk_command())
    group.add_command(models_command())
    group.add_command(sweep_command())
    return group


HYBRID_DP_COMMAND = Command(
    name="hybrid_dp",
    title="Hybrid differential privacy and k-anonymity: patterns, noise, evaluation.",
    make=_make,
)
"""The command ``qidguard hybrid_dp``."""
