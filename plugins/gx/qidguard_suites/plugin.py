"""What the plugin provides: the command ``qidguard gx``, and its part of what ``qidguard init`` writes."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.sdk import Command, StarterFiles, UserError, hookimpl

if TYPE_CHECKING:
    import click

    from qidguard.sdk import Policy

# ``qidguard --help`` loads this file, so all else is imported when it is called


def _make() -> "click.Command":
    from qidguard_suites.command import gx_group

    return gx_group


def _starter(policy: "Policy", folder: Path) -> StarterFiles:
    """Return the suite and the checkpoint of a policy, for the project in the folder ``gx``."""
    from qidguard_suites.export import export_policy, texts_of
    from qidguard_suites.project import Project, place_of

    project = Project.at(folder / "gx")
    try:
        export = export_policy(policy, project=project, has_history=False, has_original=False)
    except UserError as error:
        if project.data_sources is None:
            raise
        raise UserError(f"{error} of: qidguard gx export; and give --no-gx here") from None
    definition = export.validation_definition
    return StarterFiles(
        files={f"gx/{path}": text for path, text in texts_of(export, project).items()},
        next_step=f"Great Expectations: the checkpoint {export.name} judges the batch {place_of(definition)}",
        notes=export.notes,
    )


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard gx``."""
    title = "Take a policy into a Great Expectations project."
    return (Command(name="gx", title=title, make=_make, starter=_starter),)
