"""``qidguard policy schema``: the JSON Schema of policies, for editors."""

import json

import click

from qidguard.core.errors import ExitCode


@click.command("schema", short_help="Print the JSON Schema of policies, for editors.")
def schema_command() -> ExitCode:
    """Print the JSON Schema of policies; an editor that knows it completes and checks while one writes."""
    click.echo(policy_schema_text().removesuffix("\n"))
    return ExitCode.PASSED


def policy_schema_text() -> str:
    """Return the JSON Schema of policies as text.

    Example:
        >>> policy_schema_text()[0]
        '{'
    """
    from qidguard.policy import policy_schema

    return json.dumps(policy_schema(), indent=2) + "\n"
