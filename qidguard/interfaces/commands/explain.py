"""``qidguard explain``: what a metric's figure means, and what a search takes."""

from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.core.metric import Direction, Metric, Unit
from qidguard.core.parameter import Parameter
from qidguard.report.figure import limit_figure
from qidguard.report.printable import visible

if TYPE_CHECKING:
    from qidguard.host import Host

_HEADINGS = {
    "meaning": "What it means",
    "formula": "How it is computed",
    "good_value": "What a good value is",
    "source": "Source",
    "missing": "Missing values",
    "empty": "An empty table",
    "single_class": "A single class",
}
_DIRECTIONS = {
    Direction.HIGHER_IS_SAFER: "higher is safer",
    Direction.LOWER_IS_SAFER: "lower is safer",
    Direction.NEITHER: "neither way is safer",
}


@click.command("explain", short_help="Say what a metric's figure means.")
@click.argument("name", required=False)
def explain_command(*, name: str | None) -> ExitCode:
    """Say in plain words what the metric NAME means: its formula, its source, and what a good value is.

    NAME may be a search strategy, an objective or a recognition score too: what they take and weigh. Without
    NAME every metric is listed, one a line.
    """
    from qidguard.host import load_host
    from qidguard.interfaces.commands.explain_search import searching_words

    host = load_host()
    words = None if name is None or name in host.metrics else searching_words(name, host)
    if name is None:
        _list(host)
    elif words is not None:
        click.echo("\n".join(words))
    else:
        _explain(host.metric(name), host)
    return ExitCode.PASSED


def _list(host: "Host") -> None:
    from rich.text import Text

    from qidguard.interfaces.screen import console

    screen, width = console(), max(map(len, host.metrics), default=0)
    for name in sorted(host.metrics):
        metric = host.metrics[name]
        facts = f"  ({_unit(metric)}, {_DIRECTIONS[metric.direction]})"
        line = Text.assemble((name.ljust(width + 2), "bold"), visible(metric.title), (facts, "dim"))
        screen.print(line, soft_wrap=True)
    if not host.metrics:
        screen.print(Text("No metric is installed; see: qidguard plugins"))


def _explain(metric: Metric, host: "Host") -> None:
    from rich.padding import Padding
    from rich.text import Text

    from qidguard.interfaces.screen import console

    screen = console()
    screen.print(Text.assemble((visible(metric.title), "bold underline"), (f"  {metric.name}", "dim")))
    range_ = f"{_end(metric.minimum, metric.unit)} to {_end(metric.maximum, metric.unit)}"
    screen.print(Text(f"{_unit(metric)}, {range_}; {_DIRECTIONS[metric.direction]}"))
    for field, heading in _HEADINGS.items():
        screen.print(Text(f"\n{heading}", "bold"))
        text = " ".join(visible(getattr(metric.explanation, field).replace("\n", " ")).split())
        screen.print(Padding(Text(text), (0, 0, 0, 2)))
    screen.print(Text("\nIn a policy", "bold"))
    screen.print(Padding(Text(_usage(metric)), (0, 0, 0, 2)))
    screen.print(Text(f"\n{host.owner('metrics', metric.name)}", "dim"))


def _unit(metric: Metric) -> str:
    return "records or entities" if metric.unit is Unit.PERSONS else metric.unit.value


def _end(value: float, unit: Unit) -> str:
    return "infinity" if value == float("inf") else limit_figure(value, unit.value)


def _usage(metric: Metric) -> str:
    """Return a threshold as a policy would write it, and what each parameter means."""
    if metric.change_of:
        what = f"it is the change of {metric.change_of} since the last set of a search"
        return f"a policy cannot ask for it: {what}"
    bound = "at_least" if metric.direction is Direction.HIGHER_IS_SAFER else "at_most"
    lines = [f"- metric: {metric.name}", f"  {bound}: ..."]
    if metric.parameters:
        lines.append("  parameters:")
    lines += [f"    {p.name}: {_default(p)}  # {visible(p.meaning)}" for p in metric.parameters]
    if metric.is_sensitive:
        lines.append("measured once for each sensitive attribute")
    elif metric.attribute is not None:
        lines.append(f"measured beside the column that the policy names as roles.{metric.attribute}")
    if metric.needs_population:
        lines.append("needs the policy's population table")
    if metric.needs_history:
        lines.append("measured against earlier releases")
    if metric.needs_original:
        lines.append("measured against the original table, in a release or with: audit --original")
    return "\n".join(lines)


def _default(parameter: Parameter) -> str:
    if parameter.default is None:
        return "..."
    if isinstance(parameter.default, bool):
        return str(parameter.default).lower()
    return str(parameter.default)
