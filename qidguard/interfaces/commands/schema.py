"""``qidguard schema``: the published JSON Schemas."""

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.commands.policy_schema import policy_schema_text


@click.command("schema", short_help="Print the JSON Schema of a document.")
@click.argument("document", type=click.Choice(["audit", "comparison", "discovery", "policy", "series-plan"]))
def schema_command(*, document: str) -> ExitCode:
    """Print the JSON Schema of what a command writes with --format json, or of policies."""
    if document == "audit":
        from qidguard.rendering.schema import published_audit_schema

        text = published_audit_schema()
    elif document == "comparison":
        from qidguard.trials.comparing.document import published_comparison_schema

        text = published_comparison_schema()
    elif document == "discovery":
        from qidguard.discovering.document import published_discovery_schema

        text = published_discovery_schema()
    elif document == "series-plan":
        from qidguard.planning.document import published_series_plan_schema

        text = published_series_plan_schema()
    else:
        text = policy_schema_text()
    click.echo(text.removesuffix("\n"))
    return ExitCode.PASSED
