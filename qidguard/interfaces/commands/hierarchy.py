"""``qidguard hierarchy``: draw generalization hierarchies, and make files of them."""

import click

from qidguard.interfaces.commands.hierarchy_make import make_command
from qidguard.interfaces.commands.hierarchy_ready import ready_command
from qidguard.interfaces.commands.hierarchy_show import show_command


@click.group("hierarchy", short_help="Draw and make generalization hierarchies.")
def hierarchy_group() -> None:
    """Draw generalization hierarchies, and make files of them to edit."""


for command in (show_command, make_command, ready_command):
    hierarchy_group.add_command(command)
