"""``qidguard anonymize``: make a table meet its policy by a method, and see what that costs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.advice_output import advised, is_switched_on, is_wanted, show_advice
from qidguard.interfaces.method_request import MethodRequest, method_options
from qidguard.interfaces.options import format_option, no_advice_option, quiet_option, record_options
from qidguard.interfaces.plot_files import check_plot_folder, file_names, saved
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.screen import check_not_read, check_output, console, forget_old, say, write_report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qidguard.advising.asking import TriedAdvice
    from qidguard.interfaces.reading import Reading
    from qidguard.policy.recoding import Level
    from qidguard.trials.trial import Trial


@click.command("anonymize", short_help="Make a table meet its policy, and see what that costs.")
@method_options
@click.option(
    "--with",
    "--anonymizer",
    "-a",
    "anonymizer",
    metavar="NAME[k=5,...]",
    help="Its name, parameters in brackets; else the policy's remedy, or the best of those that suit most"
    " tables.",
)
@click.option(
    "--recode",
    metavar="COLUMN=LEVEL,...",
    help="In its place: fixed levels of the policy's hierarchies, such as age=2,specialty=drop.",
)
@click.option(
    "--suppress",
    metavar="SHARE",
    type=float,
    help="With --recode: the largest share of persons or records that may be left out.  [default: 0]",
)
@click.option("--to", metavar="FILE", help="The .csv or .parquet to write, only if the policy holds.")
@click.option("--shuffle", is_flag=True, help="With --to: shuffle the records; else the source's order.")
@click.option(
    "--choose",
    metavar="RULE",
    help="Of several solutions: cheapest, knee, or weights such as information_loss=1,ncp=2.",
)
@click.option(
    "--pareto",
    is_flag=True,
    help="Show all solutions of the method, measured in memory; with --to the chosen one is made, too.",
)
@click.option("--receipt", metavar="FILE", help="Write all that was found as JSON; it is internal.")
@click.option("--plots", metavar="FOLDER", help="Draw class sizes, before and after, and the method's plots.")
@format_option()
@record_options
@no_advice_option
@quiet_option
def anonymize_command(**said: Any) -> int:
    """Run an anonymizer on a private copy of the table DATA and judge what it makes from scratch.

    Told are the verdict before, what was done, what was lost, and the verdict after. With --to the columns
    that a release would hold are written, only if the policy holds; nothing else is written, and nothing is
    kept in the ledger without --record. With --pareto the solutions of a method that has several are shown
    instead, as measured in memory; --plots draws them, and with --to the chosen one is made.

    Exit code: 0 the policy holds, 1 it does not, 2 a mistake in what was given, 3 a plugin or qidguard itself
    failed.
    """
    trying = _AnonymizeRequest(**said)
    trying.check()
    if trying.pareto and trying.to is None:
        return trying.show_solutions()
    forget_old(trying.receipt)
    return _told(trying)


@dataclass(frozen=True, kw_only=True)
class _AnonymizeRequest:
    """What is tried, on what, and where it goes, as the options are called."""

    asked: MethodRequest
    anonymizer: str | None
    recode: str | None
    suppress: float | None
    to: str | None
    shuffle: bool
    choose: str | None
    pareto: bool
    receipt: str | None
    plots: str | None
    kind: str
    record: bool
    data_set: str | None
    ledger: str | None
    no_advice: bool
    quiet: bool

    def check(self) -> None:
        """Check before hours of work what excludes what, and that files can be written as asked for."""
        from qidguard.releasing.anonymize import asked_method, check_writable
        from qidguard.trials.table_file import open_table_file

        asked, to = self.asked, self.to
        if not self.record and (self.data_set or self.ledger):
            raise UserError("--data-set and --ledger go with --record; add it.")
        if self.shuffle and to is None:
            raise UserError("--shuffle goes with --to; add it.")
        is_measured = asked.attacks or asked.losses is not None or asked.has_models
        if self.pareto and to is None and (self.record or self.receipt or is_measured):
            raise UserError(
                "--pareto makes no table, so --record, --attack, --receipt, --losses and --utility need --to."
            )
        if self.pareto and self.recode is not None:
            raise UserError("Fixed levels are one solution, so --pareto and --recode exclude each other.")
        check_output(self.receipt, *asked.inputs, option="--receipt")
        if (
            self.receipt is not None
            and to is not None
            and Path(self.receipt).absolute() == Path(to).absolute()
        ):
            raise UserError(f"--receipt and --to both name {to!r}; name two files")
        levels = self.levels
        if self.plots is not None:
            check_plot_folder(self.plots)
        method = asked_method(self.anonymizer, levels, self.suppress)
        if to is None:
            return
        if not self.record:
            check_writable(asked.policy, method)
        file = open_table_file(to)
        for read in (asked.source, *asked.other_sources):
            file.check_apart(read)
        check_not_read(to, option="--to")

    @property
    def levels(self) -> "Mapping[str, Level] | None":
        """The fixed levels; None where none are asked for."""
        from qidguard.policy.recoding import levels_of_text

        return None if self.recode is None else levels_of_text(self.recode)

    @property
    def rule(self) -> str | None:
        """The rule by which one of several solutions is chosen; None where the policy says it."""
        remedy = self.asked.policy.remedy
        is_open = self.choose is None and (remedy is None or remedy.choose is None)
        return "cheapest" if self.pareto and is_open else self.choose

    def show_solutions(self) -> int:
        """Show the solutions of a method as measured in memory, and return the exit code."""
        from qidguard.interfaces.plugin_commands import show_solutions
        from qidguard.interfaces.result_output import ResultOutput

        asked = self.asked
        return show_solutions(
            asked.source,
            asked.policy,
            output=ResultOutput(kind=self.kind, plots=self.plots, is_quiet=self.quiet),
            anonymizer=self.anonymizer,
            choose=self.rule,
            seed=asked.seed,
            reading=asked.reading,
        )

    def tried(self) -> "tuple[Trial, str | None]":
        """Return the trial, to be closed, and where the table was written."""
        from qidguard.releasing.anonymize import anonymize

        with progress_bar(is_quiet=self.quiet) as progress:
            trial = anonymize(
                self.asked.source,
                policy=self.asked.policy,
                anonymizer=self.anonymizer,
                recode=self.levels,
                suppress=self.suppress,
                choose=self.rule,
                has_plots=self.plots is not None,
                is_recorded=self.record,
                has_advice=not self.no_advice and is_switched_on(),
                data_set=self.data_set,
                ledger=self.ledger,
                progress=progress,
                **self.asked.measured,
            )
            try:
                is_written = self.to is not None and trial.is_passed
                return trial, trial.write(str(self.to), shuffle=self.shuffle) if is_written else None
            except BaseException:
                trial.close()
                raise

    def advice(self, trial: "Trial") -> "TriedAdvice | None":
        """Return what would make the table pass; None where nothing is missed, or nobody wants it."""
        from qidguard.releasing.deciding.check import RecordedTrial

        if isinstance(trial, RecordedTrial):
            return trial.advised
        if self.no_advice or trial.is_passed or not is_wanted(trial.before):
            return None
        read = {name: self.asked.measured[name] for name in ("read", "settings")}
        return advised(self.asked.source, self.asked.policy, trial.before, is_quiet=self.quiet, **read)


def _told(trying: _AnonymizeRequest) -> ExitCode:
    from qidguard.trials.receipt_document import trial_json

    trial, written = trying.tried()
    with trial:
        if trying.kind == "console":
            _show_trial(trial)
        tried = trying.advice(trial)
        text = trial_json(trial, written, None if tried is None else tried.to_dict())
        if trying.receipt is not None:
            write_report(text, trying.receipt)
        if trying.kind == "json":
            click.echo(text.removesuffix("\n"))
        else:
            if tried is not None:
                show_advice(tried)
            click.echo(_trial_ending(trial, trying.to, written))
            _show_undecided(trial, trying.asked.reading)
        if trying.plots is not None:
            _draw_trial(trial, trying.plots)
        if trial.audit_id is not None and not trying.quiet:
            say(f"Recorded as {trial.audit_id}.")
        return trial.exit_code


def _draw_trial(trial: "Trial", folder: str) -> None:
    """Write class sizes before and after, and what the method drew, into a folder, and say where."""
    if trial.receipt is None:
        say("--plots: nothing was drawn, for nothing was made.")
        return
    name = trial.receipt.anonymizer
    if trial.class_sizes is not None:
        drawn = [("class_sizes_before_and_after", trial.class_sizes)]
        for path in saved(drawn, folder, "qidguard", "the plot of class sizes"):
            say(path)
    if not trial.plots:
        say(f"--plots: {name} draws nothing of its own.")
    for path in saved(
        file_names(name, trial.plots, set()), folder, trial.receipt.owner, f"plots of anonymizer {name!r}"
    ):
        say(path)


def _show_trial(trial: "Trial") -> None:
    """Write verdicts, what was done and what was lost to the screen."""
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


def _show_undecided(trial: "Trial", reading: "Reading") -> None:
    """Write the columns that have to be decided before a method can help, as lines of the policy."""
    from qidguard.rendering.console import next_step_lines

    steps = trial.before.next_steps
    if trial.is_passed or steps is None or not steps.undecided:
        return
    screen = console()
    for line in next_step_lines(reading.named_in(trial.before), screen.width):
        screen.print(line)


def _trial_ending(trial: "Trial", to: str | None, written: str | None) -> str:
    """Return the last line: where the table was written, or why it was not."""
    from qidguard.rendering.printable import visible

    if written is not None:
        return f"\nWRITTEN  {visible(written)}"
    if trial.is_rehearsal:
        holds = "holds" if trial.is_passed else "does not hold"
        return f"\nREHEARSED  The policy {holds} on noise drawn by the seed; nothing was charged."
    if not trial.is_passed:
        return "\nNOT WRITTEN  The policy does not hold on what the method made."
    return "\nNOT WRITTEN  The policy holds; name a file with --to." if to is None else ""
