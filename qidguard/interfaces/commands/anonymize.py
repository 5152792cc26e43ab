"""``qidguard anonymize``: make a table meet its policy by a method, and see what that costs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import check_output, console, forget_old, say, write_report

if TYPE_CHECKING:
    from qidguard.policy import Policy
    from qidguard.trials.trial import Trial


@click.command("anonymize", short_help="Make a table meet its policy, and see what that costs.")
@click.argument("data", required=False)
@click.option("--policy", "-p", metavar="FILE", required=True, help="The policy to judge by.")
@click.option(
    "--anonymizer", "-a", metavar="NAME[k=5,...]", help="Its name, parameters in brackets; else the remedy's."
)
@click.option("--to", metavar="FILE", help="The .csv or .parquet to write, only if the policy holds.")
@click.option("--shuffle", is_flag=True, help="With --to: shuffle the records; else the source's order.")
@click.option("--seed", metavar="N", type=click.IntRange(0, (1 << 63) - 1), help="Repeats an earlier result.")
@click.option("--attack", "attacks", metavar="NAME", multiple=True, help="An attack to rehearse; repeat it.")
@click.option(
    "--utility",
    type=click.Choice(["losses", "models"]),
    default="losses",
    show_default=True,
    help="Whether what was lost is also measured by training models.",
)
@click.option("--receipt", metavar="FILE", help="Write all that was found as JSON; it is internal.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["console", "json"]),
    default="console",
    show_default=True,
    help="How it is told.",
)
@click.option("--record", is_flag=True, help="Judge as a release would, and keep the verdict in the ledger.")
@click.option("--name", metavar="NAME", help="With --record: the data set's name; else the policy's.")
@click.option(
    "--ledger",
    metavar="URL",
    help="With --record: SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress and no remarks on standard error.")
@reading_options
def anonymize_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str | None,
    policy: str,
    anonymizer: str | None,
    to: str | None,
    shuffle: bool,
    seed: int | None,
    attacks: tuple[str, ...],
    utility: str,
    receipt: str | None,
    kind: str,
    record: bool,
    name: str | None,
    ledger: str | None,
    quiet: bool,
    reading: Reading,
) -> ExitCode:
    """Run an anonymizer on a private copy of the table DATA and judge what it makes from scratch.

    Told are the verdict before, what was done, what was lost, and the verdict after. With --to the columns
    that a release would hold are written, only if the policy holds; nothing else is written, and nothing is
    kept in the ledger without --record.

    Exit code: 0 the policy holds, 1 it does not, 2 a mistake in what was given, 3 a plugin or qidguard itself
    failed.
    """
    from qidguard.auditing.context import source_of
    from qidguard.policy import load_policy
    from qidguard.trials.read_places import other_sources

    if not record and (name or ledger):
        raise UserError("--name and --ledger go with --record; add it.")
    if shuffle and to is None:
        raise UserError("--shuffle goes with --to; add it.")
    rules = load_policy(policy)
    source = source_of(data, rules)
    check_output(receipt, source, policy, *other_sources(rules), option="--receipt")
    if receipt is not None and to is not None and Path(receipt).absolute() == Path(to).absolute():
        raise UserError(f"--receipt and --to both name {to!r}; name two files")
    asked = _Asked(
        source=source,
        policy=rules,
        anonymizer=anonymizer,
        seed=seed,
        attacks=attacks,
        has_models=utility == "models",
        reading=reading,
        to=to,
        shuffle=shuffle,
        ledger=(name, ledger) if record else None,
        is_quiet=quiet,
    )
    asked.check()
    forget_old(receipt)
    return _told(asked, kind, receipt)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is tried, on what, and where it goes."""

    source: str
    policy: "Policy"
    anonymizer: str | None
    seed: int | None
    attacks: tuple[str, ...]
    has_models: bool
    reading: Reading
    to: str | None
    shuffle: bool
    ledger: tuple[str | None, str | None] | None
    is_quiet: bool

    def check(self) -> None:
        """Check before hours of work that the file can be written where it is asked for."""
        from qidguard.trials.read_places import other_sources
        from qidguard.trials.table_file import open_table_file

        if self.to is None:
            return
        file = open_table_file(self.to)
        for read in (self.source, *other_sources(self.policy)):
            file.check_apart(read)

    def tried(self) -> "tuple[Trial, str | None]":
        """Return the trial, to be closed, and where the table was written."""
        from qidguard.releasing.anonymize import anonymize

        data_set, ledger = self.ledger or (None, None)
        with progress_bar(is_quiet=self.is_quiet) as progress:
            trial = anonymize(
                self.source,
                policy=self.policy,
                anonymizer=self.anonymizer,
                seed=self.seed,
                attacks=self.attacks,
                has_models=self.has_models,
                is_recorded=self.ledger is not None,
                data_set=data_set,
                ledger=ledger,
                read=self.reading.options(self.policy),
                settings=self.reading.settings(self.policy),
                progress=progress,
            )
            try:
                is_written = self.to is not None and trial.is_passed
                return trial, trial.write(str(self.to), shuffle=self.shuffle) if is_written else None
            except BaseException:
                trial.close()
                raise


def _told(asked: _Asked, kind: str, receipt: str | None) -> ExitCode:
    from qidguard.trials.trial_document import trial_json

    trial, written = asked.tried()
    with trial:
        if receipt is not None:
            write_report(trial_json(trial, written), receipt)
        if kind == "json":
            click.echo(trial_json(trial, written).removesuffix("\n"))
        else:
            _show(trial)
            click.echo(_ending(asked, trial, written))
        if trial.audit_id is not None and not asked.is_quiet:
            say(f"Recorded as {trial.audit_id}.")
        return trial.exit_code


def _show(trial: "Trial") -> None:
    from rich.padding import Padding
    from rich.text import Text

    from qidguard.rendering.console import ConsoleReport
    from qidguard.trials.trial_lines import done_lines, loss_lines

    screen = console()

    def section(title: str, lines: "list[str]") -> None:
        screen.print(Text(f"\n{title}", "bold underline"))
        for line in lines:
            indent = len(line) - len(line.lstrip())
            screen.print(Padding(Text(line.lstrip()), (0, 0, 0, 2 + indent)))

    screen.print(Text("Before", "bold underline"))
    screen.print(ConsoleReport(report=trial.before, is_brief=True))
    section("What was done", list(done_lines(trial)))
    if trial.utility:
        section("What was lost", list(loss_lines(trial.utility)))
    if trial.after is not None:
        screen.print(Text("\nAfter", "bold underline"))
        screen.print(ConsoleReport(report=trial.after, is_brief=True))


def _ending(asked: _Asked, trial: "Trial", written: str | None) -> str:
    from qidguard.rendering.printable import visible

    if written is not None:
        return f"\nWRITTEN  {visible(written)}"
    if not trial.is_passed:
        return "\nNOT WRITTEN  The policy does not hold on what the method made."
    return "\nNOT WRITTEN  The policy holds; name a file with --to." if asked.to is None else ""
