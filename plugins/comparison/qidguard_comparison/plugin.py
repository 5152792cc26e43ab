"""What the plugin provides: ``qidguard compare``, the schema of its document, and ``anonymize --pareto``."""

from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING, Any

from qidguard.sdk import Command, hookimpl

if TYPE_CHECKING:
    import click

# ``qidguard --help`` loads this file, so all else is imported when it is called


def _make() -> "click.Command":
    from qidguard_comparison.command import compare_command

    return compare_command


def _show_front(*asked: Any, **more: Any) -> int:
    from qidguard_comparison.command import show_front

    return show_front(*asked, **more)


def comparison_schema() -> str:
    """Return the JSON Schema of ``qidguard-comparison/1`` as text.

    Example:
        >>> "qidguard-comparison/1" in comparison_schema()
        True
    """
    return resources.files(__package__).joinpath("comparison-1.schema.json").read_text(encoding="utf-8")


@hookimpl
def qidguard_commands() -> Iterable[Command]:
    """Return the command ``qidguard compare``."""
    title = "Compare methods: the risk left beside what was lost."
    schemas = {"comparison": comparison_schema}
    return (Command(name="compare", title=title, make=_make, schemas=schemas, solutions=_show_front),)
