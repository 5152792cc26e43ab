"""``qidguard release``: publish a table if its policy holds."""

import os
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.core.held_signals import last_word
from qidguard.interfaces.home_ledger import PASSPHRASE
from qidguard.interfaces.options import (
    DATA_SET,
    judging_policy,
    ledger_option,
    no_advice_option,
    repeating_seed,
)
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import console, say

if TYPE_CHECKING:
    from qidguard.releasing.result import Release


@click.command("release", short_help="Publish a table, only if its policy holds.")
@click.argument("data", required=False)
@judging_policy
@click.option("--to", metavar="FOLDER", help="Where releases go: a folder, or a URL that fsspec opens.")
@click.option("--data-set", metavar="NAME", help=DATA_SET)
@click.option(
    "--release-id", metavar="NAME", help="The release's own name, so that a repeated run publishes once."
)
@ledger_option
@click.option("--key", metavar="FILE", help="The key that signs.  [default: QIDGUARD_KEY]")
@repeating_seed("an earlier order of records")
@no_advice_option
@click.option("--quiet", "-q", is_flag=True, help="No progress and no report; one line says how it ended.")
@reading_options
def release_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str | None,
    policy: str,
    to: str | None,
    data_set: str | None,
    release_id: str | None,
    ledger: str | None,
    key: str | None,
    seed: int | None,
    no_advice: bool,
    quiet: bool,
    reading: Reading,
) -> ExitCode:
    """Audit the table DATA and publish it, only if the policy holds; record what was decided either way.

    The release is made in FOLDER/<data set>/<release>/ in one step: it is there complete, or not at all.
    Direct identifiers and columns that the policy drops never arrive. Without DATA the table is where the
    policy's source.path says.

    Exit code: 0 published, 1 blocked, 2 a mistake in what was given, 3 a plugin, the ledger or qidguard
    itself failed. Nothing is published unless it is 0, or it says so: PUBLISHED, NOT CONFIRMED where
    the ledger could not be told, which the same command with its --release-id makes up for; or that it is
    published, where the answer could not be written.
    """
    from qidguard.interfaces.advice_output import is_switched_on
    from qidguard.policy import load_policy
    from qidguard.releasing.run import release

    # whatever signal comes when it is out already, the last lines say that it is
    with last_word(ends_process=True):
        rules = load_policy(policy)
        with progress_bar(is_quiet=quiet) as progress:
            made = release(
                data,
                policy=rules,
                to=to,
                data_set=data_set,
                release_id=release_id,
                ledger=ledger,
                key=key,
                passphrase=os.environ.get(PASSPHRASE),
                read=reading.options(rules),
                settings=reading.settings(rules),
                seed=seed,
                progress=progress,
                has_advice=is_switched_on() and not no_advice,
            )
        try:
            _tell(made, reading, is_quiet=quiet)
        except BaseException:  # nobody may take silence for a release that did not happen
            if made.is_published:
                say(f"Release {made.release_id} of {made.data_set} is published at {made.address}.")
            raise
        if made.advised is not None and not quiet:
            from qidguard.interfaces.advice_output import show_advice

            show_advice(made.advised)
        return made.exit_code


def _tell(made: "Release", reading: Reading, *, is_quiet: bool) -> None:
    """Say how it ended: the report, the notes, and the lines of which the first says it all."""
    from qidguard.releasing.result import lines

    has_report = made.report is not None and not is_quiet
    if made.report is not None and has_report:
        from qidguard.rendering.console import render

        console().print(render(reading.named_in(made.report)))
    for note in made.notes:
        say(note)
    for line in lines(made, has_report=has_report):
        click.echo(line)
