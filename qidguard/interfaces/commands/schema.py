"""``qidguard schema``: the published JSON Schemas."""

from importlib import resources

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.commands.policy_schema import policy_schema_text


@click.command("schema", short_help="Print the JSON Schema of a document.")
@click.argument("document", type=click.Choice(["audit", "comparison", "discovery", "policy", "series-plan"]))
def schema_command(*, document: str) -> ExitCode:
    """Print the JSON Schema of what a command writes with --format json, or of policies."""
    if document == "audit":
        file = resources.files("qidguard.rendering").joinpath("audit-1.schema.json")
        text = file.read_text(encoding="utf-8")
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
