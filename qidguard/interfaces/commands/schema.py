"""``qidguard schema``: the published JSON Schemas, those of documents that plugins write among them."""

import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode

if TYPE_CHECKING:
    from qidguard.host import Host


def _audit() -> str:
    file = resources.files("qidguard.rendering").joinpath("audit-1.schema.json")
    return file.read_text(encoding="utf-8")


def _discovery() -> str:
    from qidguard.discovering.document import published_discovery_schema

    return published_discovery_schema()


def _policy() -> str:
    from qidguard.policy import policy_schema

    return json.dumps(policy_schema(), indent=2)


_OWN: Mapping[str, Callable[[], str]] = {"audit": _audit, "discovery": _discovery, "policy": _policy}


class _Documents(click.ParamType[str]):
    """Name of a document: ours, or a plugin's; plugins are loaded for the help and where it is not ours."""

    name = "document"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        from qidguard.host.loading import load_host_of_commands

        return _choice(load_host_of_commands()).get_metavar(param, ctx)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in _OWN:
            return value
        from qidguard.core.command import OF_EXTRAS
        from qidguard.host import load_host
        from qidguard.host.kinds import COMMANDS

        host = load_host()
        for command, documents in OF_EXTRAS.items():
            if value in documents:
                host.find(COMMANDS, command)  # says which extra brings it, or what of it is broken
        return _choice(host).convert(value, param, ctx)


def _choice(host: "Host | None") -> "click.Choice[str]":
    of_plugins = (
        () if host is None else (one for command in host.commands.values() for one in command.schemas)
    )
    return click.Choice(sorted({*_OWN, *of_plugins}))


@click.command("schema", short_help="Print the JSON Schema of a document.")
@click.argument("document", type=_Documents())
def schema_command(*, document: str) -> ExitCode:
    """Print the JSON Schema of what a command writes with --format json, or of policies."""
    click.echo((_OWN[document]() if document in _OWN else _of_plugin(document)).removesuffix("\n"))
    return ExitCode.PASSED


def _of_plugin(document: str) -> str:
    """Return the schema of a document that a command of a plugin writes; PluginError where it fails."""
    from qidguard.core.guard import PluginCode
    from qidguard.host import load_host

    host = load_host()
    command = next(one for one in host.commands.values() if document in one.schemas)
    with PluginCode(host.owner("commands", command.name), f"schema {document!r}"):
        text: object = command.schemas[document]()
        if not isinstance(text, str):
            raise TypeError
        return text
