"""``qidguard gx``: take a policy into a Great Expectations project."""

from pathlib import Path

import click

from qidguard.sdk import ExitCode, visible
from qidguard_suites.export import export_policy, write_export
from qidguard_suites.project import Project, WantedNames, place_of


@click.group("gx", short_help="Take a policy into a Great Expectations project.")
def gx_group() -> None:
    """Take a policy into a Great Expectations project."""


@gx_group.command("export", short_help="Write a policy as a suite and a checkpoint.")
@click.argument("policy")
@click.option(
    "--to",
    "folder",
    metavar="DIR",
    default="gx",
    show_default=True,
    help="The project's folder, the one with great_expectations.yml.",
)
@click.option("--name", help="What suite and checkpoint are called.  [default: the policy's name]")
@click.option("--data-source", metavar="NAME", help="The data source.  [default: the only one]")
@click.option("--asset", metavar="NAME", help="The asset that is judged.  [default: the only one]")
@click.option("--batch-definition", metavar="NAME", help="Its batch definition.  [default: the only one]")
@click.option(
    "--ledger/--no-ledger",
    "is_recorded",
    default=True,
    show_default=True,
    help="Whether the checkpoint records each verdict in the ledger.",
)
@click.option(
    "--history/--no-history",
    "has_history",
    default=True,
    show_default=True,
    help="Whether thresholds over time block here, where nothing can measure them; else the release does.",
)
@click.option(
    "--original/--no-original",
    "has_original",
    default=True,
    show_default=True,
    help="The same for thresholds on what was lost against the original table.",
)
@click.option("--force", "is_forced", is_flag=True, help="Replace files that differ.")
def export_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    policy: str,
    folder: str,
    name: str | None,
    data_source: str | None,
    asset: str | None,
    batch_definition: str | None,
    is_recorded: bool,
    has_history: bool,
    has_original: bool,
    is_forced: bool,
) -> ExitCode:
    """Write POLICY as an expectation suite and a checkpoint into a Great Expectations project.

    Nothing is measured and Great Expectations need not be installed. Without a project in DIR, what is not
    named is called like the suite.

    A population's file is looked for from where the checkpoint runs, so run it where it is exported.

    Exit code: 0 written or unchanged, 2 a mistake in what was given, 3 the policy needs a plugin that is
    broken or missing.
    """
    project = Project.at(Path(folder))
    wanted = WantedNames(data_source=data_source, asset=asset, batch_definition=batch_definition)
    export = export_policy(
        policy,
        project=project,
        name=name,
        wanted=wanted,
        is_recorded=is_recorded,
        has_history=has_history,
        has_original=has_original,
    )
    written = write_export(export, project, is_forced=is_forced)
    width = max(len(visible(str(project.folder / path))) for path in written)
    for path, is_new in written.items():
        shown = visible(str(project.folder / path))
        click.echo(f"{shown:<{width}}  {'written' if is_new else 'unchanged'}")
    for note in export.notes:
        _say(f"Note: {note}")
    if project.data_sources is None:
        place = place_of(export.validation_definition)
        _say(f"Note: no project is there yet; the checkpoint will judge {place}.")
    return ExitCode.PASSED


def _say(sentence: str) -> None:
    click.echo(visible(sentence), err=True)
