"""``qidguard anonymize``: make a table meet its policy by a method, and see what that costs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.advice_output import Advising, is_switched_on, is_wanted, show_advice
from qidguard.interfaces.method_request import MethodRequest, method_options
from qidguard.interfaces.options import format_option, no_advice_option, quiet_option, record_options
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.screen import check_output, forget_old, say, write_report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qidguard.advising.asking import TriedAdvice
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
def anonymize_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    asked: MethodRequest,
    anonymizer: str | None,
    recode: str | None,
    suppress: float | None,
    to: str | None,
    shuffle: bool,
    choose: str | None,
    pareto: bool,
    receipt: str | None,
    plots: str | None,
    kind: str,
    record: bool,
    data_set: str | None,
    ledger: str | None,
    no_advice: bool,
    quiet: bool,
) -> int:
    """Run an anonymizer on a private copy of the table DATA and judge what it makes from scratch.

    Told are the verdict before, what was done, what was lost, and the verdict after. With --to the columns
    that a release would hold are written, only if the policy holds; nothing else is written, and nothing is
    kept in the ledger without --record. With --pareto the solutions of a method that has several are shown
    instead, as measured in memory; --plots draws them, and with --to the chosen one is made.

    Exit code: 0 the policy holds, 1 it does not, 2 a mistake in what was given, 3 a plugin or qidguard itself
    failed.
    """
    from qidguard.policy.recoding import levels_of_text

    if not record and (data_set or ledger):
        raise UserError("--data-set and --ledger go with --record; add it.")
    if shuffle and to is None:
        raise UserError("--shuffle goes with --to; add it.")
    is_measured = asked.attacks or asked.losses is not None or asked.has_models
    if pareto and to is None and (record or receipt or is_measured):
        raise UserError(
            "--pareto makes no table, so --record, --attack, --receipt, --losses and --utility need --to."
        )
    if pareto and recode is not None:
        raise UserError("Fixed levels are one solution, so --pareto and --recode exclude each other.")
    remedy = asked.policy.remedy
    if pareto and choose is None and (remedy is None or remedy.choose is None):
        choose = "cheapest"
    check_output(receipt, *asked.inputs, option="--receipt")
    if receipt is not None and to is not None and Path(receipt).absolute() == Path(to).absolute():
        raise UserError(f"--receipt and --to both name {to!r}; name two files")
    trying = _AnonymizeRequest(
        asked=asked,
        anonymizer=anonymizer,
        recode=None if recode is None else levels_of_text(recode),
        suppress=suppress,
        choose=choose,
        plots=plots,
        to=to,
        shuffle=shuffle,
        ledger=(data_set, ledger) if record else None,
        is_quiet=quiet,
        has_advice=not no_advice,
    )
    trying.check()
    if pareto and to is None:
        from qidguard.interfaces.plugin_commands import show_solutions
        from qidguard.interfaces.result_output import ResultOutput

        output = ResultOutput(kind=kind, plots=plots, is_quiet=quiet)
        more = {"anonymizer": anonymizer, "choose": choose, "seed": asked.seed, "reading": asked.reading}
        return show_solutions(asked.source, asked.policy, output=output, **more)
    forget_old(receipt)
    return _told(trying, kind, receipt)


@dataclass(frozen=True, kw_only=True)
class _AnonymizeRequest:
    """What is tried, on what, and where it goes."""

    asked: MethodRequest
    anonymizer: str | None
    recode: "Mapping[str, Level] | None"
    suppress: float | None
    choose: str | None
    plots: str | None
    to: str | None
    shuffle: bool
    ledger: tuple[str | None, str | None] | None
    is_quiet: bool
    has_advice: bool

    def check(self) -> None:
        """Check before hours of work that files can be written where they are asked for."""
        from qidguard.interfaces.plot_files import check_plot_folder
        from qidguard.releasing.anonymize import asked_method, check_writable
        from qidguard.trials.table_file import open_table_file

        if self.plots is not None:
            check_plot_folder(self.plots)
        method = asked_method(self.anonymizer, self.recode, self.suppress)
        if self.to is None:
            return
        if self.ledger is None:
            check_writable(self.asked.policy, method)
        file = open_table_file(self.to)
        for read in (self.asked.source, *self.asked.other_sources):
            file.check_apart(read)

    def tried(self) -> "tuple[Trial, str | None]":
        """Return the trial, to be closed, and where the table was written."""
        from qidguard.releasing.anonymize import anonymize

        data_set, ledger = self.ledger or (None, None)
        with progress_bar(is_quiet=self.is_quiet) as progress:
            trial = anonymize(
                self.asked.source,
                policy=self.asked.policy,
                anonymizer=self.anonymizer,
                recode=self.recode,
                suppress=self.suppress,
                choose=self.choose,
                has_plots=self.plots is not None,
                is_recorded=self.ledger is not None,
                has_advice=self.has_advice and is_switched_on(),
                data_set=data_set,
                ledger=ledger,
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
        if not self.has_advice or trial.is_passed or not is_wanted(trial.before):
            return None
        read = {name: self.asked.measured[name] for name in ("read", "settings")}
        source, rules, before = self.asked.source, self.asked.policy, trial.before
        return Advising(source=source, policy=rules, report=before, is_quiet=self.is_quiet, **read).tried()


def _told(trying: _AnonymizeRequest, kind: str, receipt: str | None) -> ExitCode:
    from qidguard.interfaces.trial_output import draw_trial, show_trial, show_undecided, trial_ending
    from qidguard.trials.receipt_document import trial_json

    trial, written = trying.tried()
    with trial:
        if kind == "console":
            show_trial(trial)
        tried = trying.advice(trial)
        text = trial_json(trial, written, None if tried is None else tried.to_dict())
        if receipt is not None:
            write_report(text, receipt)
        if kind == "json":
            click.echo(text.removesuffix("\n"))
        else:
            if tried is not None:
                show_advice(tried)
            click.echo(trial_ending(trial, trying.to, written))
            show_undecided(trial, trying.asked.reading)
        if trying.plots is not None:
            draw_trial(trial, trying.plots)
        if trial.audit_id is not None and not trying.is_quiet:
            say(f"Recorded as {trial.audit_id}.")
        return trial.exit_code
