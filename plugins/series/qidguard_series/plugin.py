"""What the plugin provides: the command ``qidguard series``, and the schema of what it writes."""

from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING

from qidguard.sdk import Command, hookimpl

if TYPE_CHECKING:
    import click

# ``qidguard --help`` loads this file, so all else is imported when it is called


def _make() -> "click.Command":
    from qidguard_series.command import series_group

    return series_group


def published_series_plan_schema() -> str:
    """Return the text of the published schema, as it lies in the package.

    Returns:
        JSON text with a line feed at its end.

    Example:
        >>> "qidguard-series-plan/1" in published_series_plan_schema()
        True
    """
    return resources.files(__package__).joinpath("series-plan-1.schema.json").read_text(encoding="utf-8")


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard series``."""
    schemas = {"series-plan": published_series_plan_schema}
    return (Command(name="series", title="Plan a series of releases.", make=_make, schemas=schemas),)
