"""``qidguard plugins``: what is loaded, what it offers, and what is broken."""

import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.core.parameter import Parameter
from qidguard.host.kinds import KINDS
from qidguard.rendering.figure import argument, limit_figure
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from qidguard.host import Host, PluginFailure, PluginInfo


@click.command("plugins", short_help="List plugins, what they offer and what is broken.")
@click.argument("name", required=False)
@click.option("--json", "is_json", is_flag=True, help="As JSON.")
def plugins_command(*, name: str | None, is_json: bool) -> ExitCode:
    """List the installed plugins with what they offer, then those that failed and why.

    With NAME only that plugin, each of its offers with its title and its parameters; exit code 3 if it
    failed.
    """
    from qidguard.host import load_host

    host = load_host()
    loaded = [plugin for plugin in host.plugins if name in {None, plugin.name}]
    failed = [failure for failure in host.failures if name in {None, failure.name}]
    if name is not None and not loaded and not failed:
        raise UserError(_unknown(name, host))
    if is_json:
        found = _document(loaded, failed, [] if name else list(host.skipped))
        if name is not None:
            for plugin, said in zip(loaded, found["plugins"], strict=True):
                said["details"] = _details(host, plugin)
        click.echo(json.dumps(found, indent=2))
    else:
        _show(host, loaded, failed, is_detailed=name is not None)
    return ExitCode.INTERNAL_ERROR if name is not None and failed else ExitCode.PASSED


def _unknown(name: str, host: "Host") -> str:
    if name in host.skipped:
        return f"plugin {name!r} is installed, but QIDGUARD_PLUGINS leaves it out"
    names = [p.name for p in host.plugins] + [f.name for f in host.failures] + list(host.skipped)
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(names) or 'none'}"
    return f"there is no plugin {name!r}; {hint}"


def _document(
    loaded: "list[PluginInfo]", failed: "list[PluginFailure]", skipped: list[str]
) -> dict[str, Any]:
    return {
        "format": "qidguard-plugins/1",
        "plugins": [
            {
                "name": plugin.name,
                "distribution": plugin.distribution,
                "version": plugin.version,
                "offers": {kind.name: list(plugin.offers.get(kind.name, ())) for kind in KINDS},
                "notes": list(plugin.notes),
            }
            for plugin in loaded
        ],
        "failures": [
            {"name": f.name, "distribution": f.distribution, "version": f.version, "error": f.error}
            for f in failed
        ],
        "skipped": skipped,
    }


def _details(host: "Host", plugin: "PluginInfo") -> dict[str, dict[str, Any]]:
    """Return kind → name → title and parameters of whatever a plugin offers."""
    return {
        kind.name: {
            name: {
                "title": host.registry[kind.name][name].title,
                "parameters": [parameter_document(p) for p in parameters_of(host.registry[kind.name][name])],
            }
            for name in plugin.offers.get(kind.name, ())
            if name in host.registry[kind.name]
        }
        for kind in KINDS
        if plugin.offers.get(kind.name)
    }


def _show(
    host: "Host", loaded: "list[PluginInfo]", failed: "list[PluginFailure]", *, is_detailed: bool
) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from qidguard.interfaces.screen import console

    screen = console()
    for plugin in loaded:
        origin = f"  {visible(plugin.distribution)} {visible(plugin.version)}"
        screen.print(Text.assemble((visible(plugin.name), "bold"), (origin, "dim")))
        for kind in KINDS:
            offers = plugin.offers.get(kind.name, ())
            if not offers:
                continue
            if is_detailed:
                screen.print(Padding(Text(f"{kind.plural}:"), (0, 0, 0, 2)))
                for line in (
                    x for name in offers for x in offer_lines(name, host.registry[kind.name].get(name))
                ):
                    indent = 4 + len(line) - len(line.lstrip())
                    screen.print(Padding(Text(line.lstrip()), (0, 0, 0, indent)))
                continue
            screen.print(Padding(Text(f"{kind.plural}: {visible(', '.join(offers))}"), (0, 0, 0, 2)))
        for note in plugin.notes:
            screen.print(Padding(Text(f"note: {visible(note)}", "yellow"), (0, 0, 0, 2)))
    if not is_detailed and host.skipped:
        screen.print(Text(f"left out by QIDGUARD_PLUGINS: {visible(', '.join(host.skipped))}", "dim"))
    if failed:
        screen.print(Text("\nFAILED; a policy that needs one of these is blocked:", "bold red"))
    for failure in failed:
        origin = f"  {visible(failure.distribution)} {visible(failure.version)}".rstrip()
        screen.print(Text.assemble((visible(failure.name), "bold"), (origin, "dim")))
        screen.print(Padding(Text(visible(failure.error)), (0, 0, 0, 2)))


def offer_lines(name: str, offer: Any) -> Iterator[str]:
    """Yield the lines of one offer: its name and title, then its parameters, set in.

    Example:
        >>> from types import SimpleNamespace
        >>> k = Parameter(name="k", type=int, default=5, minimum=2, meaning="smallest class, persons")
        >>> for line in offer_lines("mine", SimpleNamespace(title="a method", parameters=(k,))):
        ...     print(line)
        mine  a method
            k = 5  int, at least 2: smallest class, persons
    """
    yield visible(f"{name}  {getattr(offer, 'title', '')}").rstrip()
    for parameter in parameters_of(offer):
        default = "required" if parameter.default is None else f"= {_text(parameter.default)}"
        facts = ", ".join((parameter.type.__name__, *_limits(parameter)))
        yield visible(f"    {parameter.name} {default}  {facts}: {parameter.meaning}")


def parameters_of(offer: Any) -> Sequence[Parameter]:
    """Return the parameters of an offer; none where it has none, or something else under this name.

    Example:
        >>> parameters_of(object())
        ()
    """
    found = getattr(offer, "parameters", ())
    if not isinstance(found, (tuple, list)):
        return ()
    return tuple(parameter for parameter in found if isinstance(parameter, Parameter))


def parameter_document(parameter: Parameter) -> dict[str, Any]:
    """Return a parameter as plain values.

    Example:
        >>> parameter_document(Parameter(name="k", type=int, meaning="persons"))["is_required"]
        True
    """
    return {
        "name": parameter.name,
        "type": parameter.type.__name__,
        "default": argument(parameter.default),
        "is_required": parameter.default is None,
        "minimum": argument(parameter.minimum),
        "maximum": argument(parameter.maximum),
        "choices": list(parameter.choices),
        "words": list(parameter.words),
        "meaning": parameter.meaning,
    }


def _limits(parameter: Parameter) -> Iterator[str]:
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None:
        yield f"{limit_figure(low, '')} to {limit_figure(high, '')}"
    elif low is not None:
        yield f"at least {limit_figure(low, '')}"
    elif high is not None:
        yield f"at most {limit_figure(high, '')}"
    if parameter.choices:
        yield "one of " + " | ".join(parameter.choices)
    if parameter.words:
        yield "or " + " | ".join(parameter.words)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)
