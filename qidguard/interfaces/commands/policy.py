"""``qidguard policy``: write, check and look up policies."""

import json
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.options import output_option
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import check_output, write_report
from qidguard.rendering.printable import listed, visible

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


@click.command("presets", short_help="List the presets with their sources.")
@click.option("--json", "is_json", is_flag=True, help="As JSON.")
def presets_command(*, is_json: bool) -> ExitCode:
    """List the presets a policy can build on: what they ask, of whom, and where that is written.

    Families must not be mixed: a class size in microdata is no cell count in a table.
    """
    from qidguard.policy import PRESETS

    rows = PRESETS.values()
    if is_json:
        shown = ("name", "family", "k_min", "thresholds", "source", "mark", "applies_to", "note", "attest")
        presets = [
            {name: getattr(row, name) for name in shown} | {"thresholds": row.thresholds_text} for row in rows
        ]
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
            words = f"{row.thresholds_text}\n{row.applies_to}\n{row.source} ({row.mark})"
            words += f"\n{row.note}" if row.note else ""
            words += f"\nneeds an attestation that {'; that '.join(row.attest)}" if row.attest else ""
            screen.print(Padding(Text(words, "dim"), (0, 0, 0, 6)))
    return ExitCode.PASSED


@click.command("init", short_help="Draft a policy from a table.")
@click.argument("data")
@click.option("--name", help="What the policy is called.  [default: the file's name]")
@output_option("draft")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@reading_options
def init_command(
    *, data: str, name: str | None, output: str | None, quiet: bool, reading: Reading
) -> ExitCode:
    """Draft a policy for the table DATA: a role for each column, with who proposed it and why.

    A draft is for a person to decide on. Columns that nobody knows are left open, and block until then.
    """
    from qidguard.auditing import audit
    from qidguard.interfaces.drafting import as_shown, drafted, recognized_systems

    check_output(output)
    if output not in {None, "-"} and Path(str(output)).is_file():
        raise UserError(f"{output!r} exists, and a reviewed policy is not overwritten; name another file")
    with progress_bar(is_quiet=quiet) as progress:
        options, settings = reading.options(), reading.settings()
        with audit(data, read=options, settings=settings, progress=progress) as found:
            report, shown = found.report, as_shown(found.opened, options)
        if shown != options:
            reading, options = replace(reading, read=reading.read | vars(shown)), shown
            with audit(data, read=options, settings=settings, progress=progress) as found:
                report = found.report
    identifying = () if report.outside is None else report.outside.identifying
    folder = None if output in {None, "-"} else Path(str(output)).parent
    ready = recognized_systems(report.columns, data, reading)
    called = name or PurePath(data).stem or "draft"
    text = drafted(report.columns, called, options, identifying, folder, ready)
    write_report(text, output)
    return ExitCode.PASSED


@click.command("check", short_help="Check that a policy fits a table, without measuring.")
@click.argument("policy")
@click.argument("data", required=False)
@reading_options
def check_command(*, policy: str, data: str | None, reading: Reading) -> ExitCode:
    """Check POLICY against the columns of DATA and the installed metrics. Nothing is measured.

    Without DATA the tables are where the policy says.

    Exit code: 0 it fits, 1 it fits but cannot pass as it stands, 2 it does not fit, 3 it needs a plugin
    that is broken or missing.
    """
    from datetime import UTC, datetime

    from qidguard.auditing.blocks import missing_population, overdue
    from qidguard.auditing.context import source_of
    from qidguard.auditing.linked.source import undecided
    from qidguard.auditing.questions import plan
    from qidguard.auditing.roles import policy_roles
    from qidguard.host import load_host
    from qidguard.policy import load_policy

    rules, host = load_policy(policy), load_host()
    engine = host.engine(rules.engine)
    source, settings = source_of(data, rules), reading.settings(rules)
    names = engine.column_names(source, reading.options(rules), settings)
    planned = plan(rules, names, host)
    asked = "" if planned.demands is None else f", {_counted(len(planned.demands), 'threshold')} to judge"
    unnamed = [name for name in names if name not in rules.decided_columns]
    _, blocks = policy_roles(names, rules, None) if not rules.is_auto else ((), ())
    reasons = [f"does not name {listed(unnamed)}; give each a role or drop it."] if blocks else []
    reasons += undecided(engine, source, settings)
    reasons += [block.sentence for block in overdue(rules, datetime.now(UTC).date())]
    reasons += missing_population(rules, planned.demands or ())
    if reasons:
        click.echo(f"BLOCKED: policy {visible(rules.name)} fits, but {' '.join(reasons)}")
        _say_accepted(rules)
        _say_noised(rules, host)
        return ExitCode.BLOCKED
    qids = " (QIDs are recognized when it is audited)" if rules.is_auto else ""
    click.echo(f"OK: policy {visible(rules.name)} fits: {_counted(len(names), 'column')}{asked}{qids}.")
    _say_accepted(rules)
    _say_noised(rules, host)
    return ExitCode.PASSED


@click.command("schema", short_help="Print the JSON Schema of policies, for editors.")
def schema_command() -> ExitCode:
    """Print the JSON Schema of policies; an editor that knows it completes and checks while one writes."""
    from qidguard.policy import policy_schema

    click.echo(json.dumps(policy_schema(), indent=2))
    return ExitCode.PASSED


def _say_accepted(policy: "Policy") -> None:
    for accepted in policy.accepted:
        by = f" ({visible(accepted.by)})" if accepted.by else ""
        click.echo(f"Accepted: {visible(accepted.text)}: {visible(accepted.reason)}{by}")


def _say_noised(policy: "Policy", host: "Host") -> None:
    from qidguard.auditing.noise import left_out_words
    from qidguard.auditing.remedy import find_remedy

    remedy = find_remedy(policy, host)
    for sentence in left_out_words(policy, draws_noise=remedy is not None and remedy.draws_noise):
        click.echo(f"Noise: {visible(sentence)}")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


@click.group("policy", short_help="Write, check and look up policies.")
def policy_group() -> None:
    """Write, check and look up policies."""


for command in (init_command, check_command, presets_command, schema_command):
    policy_group.add_command(command)
