"""``qidguard policy presets``: the presets with their sources."""

import json
from dataclasses import asdict

import click

from qidguard.core.errors import ExitCode


@click.command("presets", short_help="List the presets with their sources.")
@click.option("--json", "is_json", is_flag=True, help="As JSON.")
def presets_command(*, is_json: bool) -> ExitCode:
    """List the presets a policy can build on: what they ask, of whom, and where that is written.

    Families must not be mixed: a class size in microdata is no cell count in a table.
    """
    from qidguard.policy import preset_rows

    rows = preset_rows()
    if is_json:
        presets = [asdict(row) for row in rows]
        click.echo(json.dumps({"format": "qidguard-presets/1", "presets": presets}, indent=2))
        return ExitCode.PASSED
    from rich.padding import Padding
    from rich.text import Text

    from qidguard.interfaces.screen import console

    screen = console()
    # two files hold attestations: a family is one heading, where it first occurs
    for place, family in enumerate(dict.fromkeys(row.family for row in rows)):
        screen.print(Text("\n" * bool(place) + family, "bold underline"))
        for row in (row for row in rows if row.family == family):
            smallest = "" if row.k_min is None else f"  k ≥ {row.k_min}"
            screen.print(Padding(Text.assemble((row.name, "bold"), (smallest, "bold green")), (0, 0, 0, 2)))
            words = f"{row.thresholds}\n{row.applies_to}\n{row.source} ({row.mark})"
            words += f"\n{row.note}" if row.note else ""
            words += f"\nneeds an attestation that {'; that '.join(row.attest)}" if row.attest else ""
            screen.print(Padding(Text(words, "dim"), (0, 0, 0, 6)))
    return ExitCode.PASSED
