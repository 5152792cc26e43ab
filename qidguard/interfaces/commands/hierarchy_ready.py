"""``qidguard hierarchy ready``: the published systems of codes that a hierarchy may be made of."""

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import console


@click.command("ready", short_help="List the published systems of codes.")
@click.argument("name", required=False)
@click.option(
    "--most", type=click.IntRange(min=1), default=8, show_default=True, metavar="N", help="Groups a branch."
)
def ready_command(*, name: str | None, most: int) -> ExitCode:
    """List the published systems that hierarchies are made of, or show one with its source and its groups.

    A policy names one as hierarchies: {diag_1: {ready: icd9}}.
    """
    from qidguard.anonymizing.hierarchy import ready_names, ready_system
    from qidguard.interfaces.hierarchy_tree import systems_table

    if name is None:
        console().print(systems_table([ready_system(one) for one in ready_names()]))
        return ExitCode.PASSED
    _show(name, most)
    return ExitCode.PASSED


def _show(name: str, most: int) -> None:
    from rich.text import Text

    from qidguard.anonymizing.hierarchy import listed_hierarchy, ready_system
    from qidguard.interfaces.hierarchy_tree import groups_tree

    found = ready_system(name)
    screen = console()
    told = {
        "levels": ", ".join(found.levels),
        "written": found.spelling,
        "source": found.source,
        "edition": found.edition,
        "note": found.note,
        "license": found.license,
    }
    screen.print(Text(f"{found.name}: {found.title}"))
    for heading, text in told.items():
        screen.print(Text(f"  {heading}: {text}"))
    screen.print()
    screen.print(groups_tree(listed_hierarchy(name), most=most))
