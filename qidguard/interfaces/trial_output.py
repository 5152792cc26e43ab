"""A trial on the screen and in a folder: the verdicts, what was done and lost, and what the method drew."""

from typing import TYPE_CHECKING

from qidguard.interfaces.plot_files import file_names, saved
from qidguard.interfaces.screen import console, say

if TYPE_CHECKING:
    from qidguard.interfaces.reading import Reading
    from qidguard.trials.trial import Trial


def draw_trial(trial: "Trial", folder: str) -> None:
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


def show_trial(trial: "Trial") -> None:
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


def show_undecided(trial: "Trial", reading: "Reading") -> None:
    """Write the columns that have to be decided before a method can help, as lines of the policy."""
    from qidguard.rendering.console import next_step_lines

    steps = trial.before.next_steps
    if trial.is_passed or steps is None or not steps.undecided:
        return
    screen = console()
    for line in next_step_lines(reading.named_in(trial.before), screen.width):
        screen.print(line)


def trial_ending(trial: "Trial", to: str | None, written: str | None) -> str:
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
