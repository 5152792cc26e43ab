"""``qidguard explain``: what a name means."""

from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import console
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.interfaces.explaining import Explained


@click.command("explain", short_help="Say what a metric's figure means, or any other name.")
@click.argument("name", required=False)
def explain_command(*, name: str | None) -> ExitCode:
    """Say in plain words what NAME means: of a metric its formula, its source, and what a good value is.

    NAME may be anything else that a plugin offers too, such as an anonymizer or a search strategy: how it is
    asked for, and what may be set; or a preset. Where several things have the name, each is told. Without
    NAME every metric is listed, one a line.
    """
    from qidguard.host import load_host
    from qidguard.interfaces.explaining import explained

    if name is None:
        _list(load_host())
        return ExitCode.PASSED
    for place, found in enumerate(explained(name)):
        if place:
            console().print()
        _show(found)
    return ExitCode.PASSED


def _show(found: "Explained") -> None:
    from rich.padding import Padding
    from rich.text import Text

    screen = console()
    screen.print(Text.assemble((found.title, "bold underline"), (f"  {found.name}", "dim")), soft_wrap=True)
    screen.print(Text(found.facts), soft_wrap=True)
    for heading, text in found.sections:
        screen.print(Text(f"\n{heading}", "bold"))
        if "\n" in text:
            screen.print(Text("  " + text.replace("\n", "\n  ")), soft_wrap=True)
        else:
            screen.print(Padding(Text(text), (0, 0, 0, 2)))
    screen.print(Text(f"\n{found.origin}", "dim"))


def _list(host: "Host") -> None:
    from rich.text import Text

    from qidguard.host.explaining import DIRECTIONS
    from qidguard.interfaces.explaining import unit

    screen, width = console(), max(map(len, host.metrics), default=0)
    for name in sorted(host.metrics):
        metric = host.metrics[name]
        facts = f"  ({unit(metric)}, {DIRECTIONS[metric.direction]})"
        line = Text.assemble((name.ljust(width + 2), "bold"), visible(metric.title), (facts, "dim"))
        screen.print(line, soft_wrap=True)
    if not host.metrics:
        screen.print(Text("No metric is installed; see: qidguard plugins"))
