"""``qidguard schema``: the published JSON Schemas."""

import json
from collections.abc import Callable
from importlib import resources

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.commands.policy_schema import policy_schema_text


def _audit() -> str:
    file = resources.files("qidguard.rendering").joinpath("audit-1.schema.json")
    return file.read_text(encoding="utf-8")


def _discovery() -> str:
    from qidguard.discovering.document import published_discovery_schema

    return published_discovery_schema()


def _series_plan() -> str:
    from qidguard.planning.document import published_series_plan_schema

    return published_series_plan_schema()


_OWN: dict[str, Callable[[], str]] = {
    "audit": _audit,
    "discovery": _discovery,
    "policy": policy_schema_text,
    "series-plan": _series_plan,
}


@click.command("schema", short_help="Print the JSON Schema of a document.")
@click.argument("document", metavar=f"[{'|'.join(_OWN)}|...]")
def schema_command(*, document: str) -> ExitCode:
    """Print the JSON Schema of what a command writes with --format json, or of policies.

    The documents of commands of plugins have schemas, too.
    """
    if document in _OWN:
        click.echo(_OWN[document]().removesuffix("\n"))
        return ExitCode.PASSED
    from qidguard.interfaces.plugin_commands import schemas_of_commands

    schemas = schemas_of_commands()
    if document not in schemas:
        known = ", ".join(sorted((*_OWN, *schemas)))
        raise UserError(f"there is no schema of {document!r}; name one of {known}")
    click.echo(json.dumps(schemas[document](), indent=2, ensure_ascii=False))
    return ExitCode.PASSED
