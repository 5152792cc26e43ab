"""``qidguard schema``: the published JSON Schemas."""

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.commands.policy_schema import policy_schema_text


@click.command("schema", short_help="Print the JSON Schema of a document.")
@click.argument("document", type=click.Choice(["audit", "policy"]))
def schema_command(*, document: str) -> ExitCode:
    """Print the JSON Schema of what `qidguard audit --format json` writes, or of policies."""
    if document == "audit":
        from qidguard.report.schema import published_audit_schema

        text = published_audit_schema()
    else:
        text = policy_schema_text()
    click.echo(text.removesuffix("\n"))
    return ExitCode.PASSED
