"""``qidguard release``: publish a table if its policy holds."""

import os

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import console, say


@click.command("release", short_help="Publish a table, only if its policy holds.")
@click.argument("data", required=False)
@click.option("--policy", "-p", metavar="FILE", required=True, help="The policy to judge by.")
@click.option("--to", metavar="FOLDER", help="Where releases go: a folder, or a URL that fsspec opens.")
@click.option("--name", metavar="NAME", help="The data set's name; else the policy's, else the file's.")
@click.option(
    "--release-id", metavar="NAME", help="The release's own name, so that a repeated run publishes once."
)
@click.option("--ledger", metavar="URL", help="SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]")
@click.option("--key", metavar="FILE", help="The key that signs.  [default: QIDGUARD_KEY]")
@click.option(
    "--seed", metavar="N", type=click.IntRange(0, (1 << 63) - 1), help="Repeats an earlier order of records."
)
@click.option("--quiet", "-q", is_flag=True, help="No progress and no report; one line says how it ended.")
@reading_options
def release_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str | None,
    policy: str,
    to: str | None,
    name: str | None,
    release_id: str | None,
    ledger: str | None,
    key: str | None,
    seed: int | None,
    quiet: bool,
    reading: Reading,
) -> ExitCode:
    """Audit the table DATA and publish it, only if the policy holds; record what was decided either way.

    The release is made in FOLDER/<data set>/<release>/ in one step: it is there complete, or not at all.
    Direct identifiers and columns that the policy drops never arrive. Without DATA the table is where the
    policy's source.path says.

    Exit code: 0 published, 1 blocked, 2 a mistake in what was given, 3 a plugin, the ledger or qidguard
    itself failed. Nothing is published unless it is 0.
    """
    from qidguard.core.policy import load_policy
    from qidguard.releasing.prepare import Wishes
    from qidguard.releasing.run import release
    from qidguard.releasing.wording import lines

    rules = load_policy(policy)
    with progress_bar(is_quiet=quiet) as progress:
        wishes = Wishes(
            data_set=name,
            release_id=release_id,
            ledger=ledger,
            key=key,
            passphrase=os.environ.get("QIDGUARD_KEY_PASSPHRASE"),
            read=reading.options(rules),
            settings=reading.settings(rules),
            seed=seed,
            progress=progress,
        )
        made = release(data, policy=rules, to=to, wishes=wishes)
    has_report = made.report is not None and not quiet
    if made.report is not None and has_report:
        from qidguard.report.console import render

        console().print(render(made.report))
    for note in made.notes:
        say(note)
    for line in lines(made, has_report=has_report):
        click.echo(line)
    return made.exit_code
