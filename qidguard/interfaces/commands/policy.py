"""``qidguard policy``: write, check and look up policies."""

import click

from qidguard.interfaces.commands.policy_check import check_command
from qidguard.interfaces.commands.policy_init import init_command
from qidguard.interfaces.commands.policy_presets import presets_command
from qidguard.interfaces.commands.policy_schema import schema_command


@click.group("policy", short_help="Write, check and look up policies.")
def policy_group() -> None:
    """Write, check and look up policies."""


for command in (init_command, check_command, presets_command, schema_command):
    policy_group.add_command(command)
