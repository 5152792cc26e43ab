"""``qidguard demo``: a made-up hospital file is blocked, coarsened, passes and is published."""

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.progress_bar import progress_bar


@click.command("demo", short_help="See a made-up hospital file blocked, coarsened and published.")
@click.option(
    "--records", type=click.IntRange(5_000, 1_000_000), default=20_000, show_default=True, help="How many."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Another seed, another file."
)
@click.option("--keep", metavar="DIR", help="Keep tables, policy and release in this folder.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def demo_command(*, records: int, seed: int, keep: str | None, quiet: bool) -> ExitCode:
    """Generate a table like a hospital discharge file, audit it, coarsen it, audit it again and publish it.

    The people in it are made up. Exit code: 0 if the first table is blocked and the second one published.
    """
    from qidguard.demo.story import run_demo
    from qidguard.interfaces.screen import console

    with progress_bar(is_quiet=quiet) as progress:
        story = run_demo(records=records, seed=seed, folder=keep, progress=progress)
    console().print(story)
    return ExitCode.PASSED if story.is_as_expected else ExitCode.INTERNAL_ERROR
