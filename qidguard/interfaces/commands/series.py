"""``qidguard series``: plan releases of the same people, one after the other."""

import click

from qidguard.interfaces.commands.series_plan import plan_command


@click.group("series", short_help="Plan a series of releases.")
def series_group() -> None:
    """Plan releases of the same people, one after the other."""


series_group.add_command(plan_command)
