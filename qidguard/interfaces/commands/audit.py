"""``qidguard audit``: judge a table by a policy, or describe it."""

from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode, QidguardError, UserError
from qidguard.core.report import AuditReport
from qidguard.interfaces.advice_output import advised, is_switched_on, is_wanted, show_advice
from qidguard.interfaces.options import (
    format_option,
    no_advice_option,
    output_option,
    quiet_option,
    record_options,
)
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import check_output, console, forget_old, say, write_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from qidguard.advising.asking import TriedAdvice


@click.command("audit", short_help="Judge a table by a policy, or describe it.")
@click.argument("data", required=False)
@click.option(
    "--policy", "-p", metavar="FILE", help="The policy to judge by; without one the table is described."
)
@format_option("report", "junit")
@output_option("report")
@click.option("--all-columns", is_flag=True, help="Show every column, not only the 40 of highest risk.")
@record_options
@click.option("--original", metavar="FILE", help="What DATA was made from, for thresholds on what was lost.")
@click.option("--same-order", is_flag=True, help="With --original: both hold the same records in one order.")
@click.option("--plots", metavar="FOLDER", help="Where it is blocked: draw what each QID contributes.")
@no_advice_option
@quiet_option
@reading_options
def audit_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str | None,
    policy: str | None,
    kind: str,
    output: str | None,
    all_columns: bool,
    record: bool,
    data_set: str | None,
    ledger: str | None,
    original: str | None,
    same_order: bool,
    plots: str | None,
    no_advice: bool,
    quiet: bool,
    reading: Reading,
) -> ExitCode:
    """Judge the table DATA by a policy, or describe it.

    DATA is a CSV, Parquet or DuckDB file, a folder or glob of Parquet files, or an address that fsspec
    opens; left out, it is where the policy's source.path says. It is never changed.

    With --original it is held against the table that it was made from, which is read as the policy says; the
    options of reading are for DATA.

    With --record the earlier releases and the exceptions of the data set count as they do for a release, and
    `qidguard history` shows the verdict.

    Exit code: 0 passed or described, 1 blocked, 2 a mistake in what was given, 3 a plugin or qidguard
    itself failed.
    """
    from qidguard.auditing import audit
    from qidguard.auditing.context import source_of
    from qidguard.policy import load_policy
    from qidguard.trials.read_places import other_sources

    if not record and (data_set or ledger):
        raise UserError("--data-set and --ledger go with --record; add it.")
    _check_tables(original, same_order=same_order, record=record, policy=policy)
    _check_plots(plots, has_policy=policy is not None, has_advice=not no_advice)
    rules = None if policy is None else load_policy(policy)
    source = source_of(data, rules)
    check_output(output, source, original, *(() if rules is None else other_sources(rules)))
    forget_old(output)
    read, settings = reading.options(rules), reading.settings(rules)
    made = None
    with progress_bar(is_quiet=quiet) as progress:
        if record and rules is not None:
            from qidguard.releasing.deciding.check import check

            made = check(
                source,
                policy=rules,
                data_set=data_set,
                ledger=ledger,
                read=read,
                settings=settings,
                progress=progress,
                has_advice=not no_advice and is_switched_on(),
            )
            report = made.report
        else:
            with audit(
                source,
                policy=rules,
                read=read,
                settings=settings,
                progress=progress,
                original=original,
                is_same_order=same_order,
            ) as found:
                report = found.report
    assert report is not None  # noqa: S101 - only a release that is gone leaves none
    report = reading.named_in(report)

    def advice() -> "TriedAdvice | None":
        """Return advice as it was recorded or as it is made now, or why there is none; None if unwanted."""
        if made is not None:
            return made.advised
        if no_advice or rules is None or not is_wanted(report):
            return None
        return advised(source, rules, report, read=read, settings=settings, is_quiet=quiet)

    tried = _shown(report, kind, output, advice, has_all_columns=all_columns)
    if output not in {None, "-"} and not quiet:
        from qidguard.rendering.sentence import headline, outcome

        say(f"{outcome(report)}: {headline(report)} The report is in {output}.")
    if plots is not None:
        _draw(tried, plots)
    if made is None:
        return report.exit_code
    for sentence in (*made.reasons, *made.notes):
        say(sentence)
    say(f"Recorded as {made.audit_id} of {made.data_set}.")
    return made.exit_code


def _check_tables(original: str | None, *, same_order: bool, record: bool, policy: str | None) -> None:
    if record and policy is None:
        raise UserError("--record keeps a verdict, and without a policy there is none; give --policy.")
    if same_order and original is None:
        raise UserError("--same-order goes with --original; name the original.")
    if original is not None and record:
        raise UserError(
            "--original and --record do not go together: a release is judged beside its own source; leave one"
            " of them out."
        )
    if original is not None and policy is None:
        raise UserError("--original is for the thresholds of a policy on what was lost; give --policy.")


def _shown(
    report: AuditReport,
    kind: str,
    output: str | None,
    advice: "Callable[[], TriedAdvice | None]",
    *,
    has_all_columns: bool,
) -> "TriedAdvice | None":
    """Write the report to where it was asked for, with the advice, which is returned."""
    if kind != "console" or output not in {None, "-"}:
        tried = advice()
        write_report(_text(report, kind, tried, has_all_columns=has_all_columns), output)
        return tried
    from qidguard.rendering.console import ConsoleReport, next_step_lines

    screen = console()
    screen.print(ConsoleReport(report=report, has_all_columns=has_all_columns, has_next=False))
    tried = advice()
    if tried is not None:
        show_advice(tried)
    for line in next_step_lines(report, screen.width):
        screen.print(line)
    return tried


def _check_plots(folder: str | None, *, has_policy: bool, has_advice: bool) -> None:
    from qidguard.interfaces.plot_files import check_plot_folder

    if folder is None:
        return
    if not has_policy or not has_advice:
        raise UserError("--plots draws what keeps a policy from holding; give --policy and no --no-advice.")
    check_plot_folder(folder)


def _draw(tried: "TriedAdvice | None", folder: str) -> None:
    """Save what each column contributes; a plot that fails is one line and changes no verdict."""
    if tried is None or tried.advice is None or not tried.advice.below:
        say("--plots: nothing was drawn, for nobody was counted below a limit.")
        return
    from qidguard.interfaces.advice_output import contribution_plot
    from qidguard.interfaces.plot_files import saved

    try:
        plots = [("contribution", contribution_plot(tried.advice))]
        for path in saved(plots, folder, "qidguard", "the plot of advice"):
            say(path)
    except QidguardError as error:
        say(f"--plots: nothing was drawn: {error}")


def _text(report: AuditReport, kind: str, tried: "TriedAdvice | None", *, has_all_columns: bool) -> str:
    from qidguard.advising.advice_lines import PLAIN_WIDTH, tried_lines

    lines = () if tried is None else tried_lines(tried, PLAIN_WIDTH)
    if kind == "json":
        from qidguard.rendering.document import json_text

        return json_text(report, None if tried is None else tried.document())
    if kind == "junit":
        from qidguard.rendering.junit import junit_text

        return junit_text(report, lines)
    from qidguard.rendering.console import console_text

    text = console_text(report, has_all_columns=has_all_columns)
    return "\n".join((text.rstrip("\n"), "", *lines, "")) if lines else text
