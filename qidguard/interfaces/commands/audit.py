"""``qidguard audit``: judge a table by a policy, or describe it."""

import click

from qidguard.core.errors import ExitCode
from qidguard.core.report import AuditReport
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import check_output, console, forget_old, say, write_report


@click.command("audit", short_help="Judge a table by a policy, or describe it.")
@click.argument("data")
@click.option(
    "--policy", "-p", metavar="FILE", help="The policy to judge by; without one the table is described."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["console", "json", "junit"]),
    default="console",
    show_default=True,
    help="How the report is written.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the report to a file instead of standard output.")
@click.option("--all-columns", is_flag=True, help="Show every column, not only the 40 of highest risk.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no remarks on standard error.")
@reading_options
def audit_command(
    *,
    data: str,
    policy: str | None,
    kind: str,
    output: str | None,
    all_columns: bool,
    quiet: bool,
    reading: Reading,
) -> ExitCode:
    """Judge the table DATA by a policy, or describe it.

    DATA is a CSV, Parquet or DuckDB file, a folder or glob of Parquet files, or an address that fsspec
    opens. It is never changed.

    Exit code: 0 passed or described, 1 blocked, 2 a mistake in what was given, 3 a plugin or qidguard
    itself failed.
    """
    from qidguard.auditing import audit
    from qidguard.core.policy import load_policy

    check_output(output, data, policy)
    rules = None if policy is None else load_policy(policy)
    forget_old(output)
    with (
        progress_bar(is_quiet=quiet) as progress,
        audit(
            data,
            policy=rules,
            read=reading.options(rules),
            settings=reading.settings(rules),
            progress=progress,
        ) as found,
    ):
        report = found.report
    if kind == "console" and output in {None, "-"}:
        from qidguard.report.console import render

        console().print(render(report, has_all_columns=all_columns))
    else:
        write_report(_text(report, kind, has_all_columns=all_columns), output)
    if output not in {None, "-"} and not quiet:
        from qidguard.report.sentence import headline, outcome

        say(f"{outcome(report)}: {headline(report)} The report is in {output}.")
    return report.exit_code


def _text(report: AuditReport, kind: str, *, has_all_columns: bool) -> str:
    if kind == "json":
        from qidguard.report.document import json_text

        return json_text(report)
    if kind == "junit":
        from qidguard.report.junit import junit_text

        return junit_text(report)
    from qidguard.report.console import console_text

    return console_text(report, has_all_columns=has_all_columns)
