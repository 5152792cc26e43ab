"""The options that say how a table is read, shared by every command that takes DATA."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.interfaces.options import together

if TYPE_CHECKING:
    from qidguard.core.number_format import NumberFormat
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.policy import Policy


_NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}

_OPTIONS = together(
    click.option(
        "--delimiter", metavar="CHAR", help="Between the fields of a CSV; tab and whitespace by name."
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line of a CSV names the columns."
    ),
    click.option("--columns", metavar="A,B,...", help="Column names of a CSV without a header."),
    click.option(
        "--encoding", metavar="NAME", help="Text encoding of a CSV, such as latin-1.  [default: utf-8]"
    ),
    click.option(
        "--skip-lines",
        metavar="N",
        type=click.IntRange(min=0),
        help="Lines before the column names of a CSV, such as a title.",
    ),
    click.option(
        "--missing", metavar="TEXT", multiple=True, help="Text that stands for a missing value; repeat it."
    ),
    click.option("--trim/--no-trim", default=None, help="Drop white space around the fields of a CSV."),
    click.option("--decimal", metavar="CHAR", help="Mark before the fraction of numbers, such as a comma."),
    click.option("--thousands", metavar="CHAR", help="Mark between groups of three digits of numbers."),
    click.option(
        "--unit", metavar="TEXT", multiple=True, help="What may stand beside numbers: EUR, %; repeat it."
    ),
    click.option(
        "--dates", metavar="FORMAT", multiple=True, help="How dates are written, such as %m/%d/%Y; repeat it."
    ),
    click.option(
        "--skip-empty-records/--no-skip-empty-records",
        default=None,
        help="Leave out records without any value, which are an error otherwise.",
    ),
    click.option("--table", metavar="NAME", help="Table of a DuckDB file."),
    click.option("--query", metavar="SELECT", help="One SELECT over a DuckDB file."),
    click.option("--codebook", metavar="FILE", help="Labels of the columns: CSV, DDI (XML), .dta or .sav."),
    click.option("--memory-limit", metavar="SIZE", help="Such as 4GB; beyond it the engine spills to disk."),
    click.option("--threads", metavar="N", type=click.IntRange(min=1), help="Number of threads."),
)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the command line said of reading; None where it said nothing."""

    read: dict[str, Any]
    resources: dict[str, Any]
    words: tuple[str, ...] = ()
    """The options of reading as a command line has them."""

    def named_in(self, report: "AuditReport") -> "AuditReport":
        """Return a report whose next command reads the table as this one did.

        Example:
            >>> from qidguard.releasing.example import small
            >>> typed = Reading(read={}, resources={}, words=("--delimiter", ";"))
            >>> typed.named_in(small().report).next_steps is None
            True
        """
        steps = report.next_steps
        if steps is None or not steps.source:
            return report
        return replace(report, next_steps=replace(steps, source=(*steps.source, *self.words)))

    def options(self, policy: "Policy | None" = None) -> "ReadOptions":
        """Return how to read: what the command line says, and for the rest what the policy says.

        Example:
            >>> Reading(read={"delimiter": ";"}, resources={}).options().delimiter
            ';'
        """
        from qidguard.auditing.reading import read_options
        from qidguard.engines.base import ReadOptions

        return replace(read_options(policy.source, policy.order) if policy else ReadOptions(), **self.read)

    def settings(self, policy: "Policy | None" = None) -> "EngineSettings":
        """Return memory limit and threads: of the command line, and for the rest of the policy.

        Example:
            >>> Reading(read={}, resources={"threads": 2}).settings().threads
            2
        """
        from qidguard.auditing.context import engine_settings

        return replace(engine_settings(policy), **self.resources)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of reading, and hand them over as one ``reading``.

    Args:
        command: A function that takes ``reading``, a ``Reading``.

    Returns:
        The function that click calls.

    Example:
        >>> @click.command()
        ... @reading_options
        ... def look(*, reading: Reading) -> int:
        ...     return 0
        >>> [option.name for option in look.params][:3]
        ['delimiter', 'header', 'columns']
    """

    @wraps(command)
    def with_reading(**given: Any) -> Any:
        from qidguard.engines.base import READ_WORDS

        words = (*READ_WORDS.values(), *_OF_NUMBERS)
        said = {word: given.pop(word) for word in words if word in given}
        resources = {name: given.pop(name) for name in ("memory_limit", "threads")}
        return command(reading=replace(_reading(said, resources), words=tuple(_typed(said))), **given)

    return _OPTIONS(with_reading)


def _typed(said: dict[str, Any]) -> Iterator[str]:
    """Yield the words of a command line that say the same, an address without its password."""
    for word, value in said.items():
        name = word.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{name}" if value else f"--no-{name}"
        elif isinstance(value, tuple):
            yield from (part for one in value for part in (f"--{name}", one))
        elif value is not None:
            yield from (f"--{name}", shown_address(str(value)))


def _reading(said: dict[str, Any], resources: dict[str, Any]) -> Reading:
    from qidguard.engines.base import READ_WORDS

    said = said | {
        "delimiter": _NAMED_DELIMITERS.get(said["delimiter"], said["delimiter"]),
        "columns": None if said["columns"] is None else listed_names(said["columns"], "--columns"),
        "missing": said["missing"] or None,
        "numbers": _numbers({name: said[name] for name in _OF_NUMBERS if said[name]}),
        "dates": _dates(said["dates"]) or None,
    }
    read = {name: said.get(word) for name, word in READ_WORDS.items()}
    return Reading(
        read={name: value for name, value in read.items() if value is not None},
        resources={name: value for name, value in resources.items() if value is not None},
    )


_OF_NUMBERS = ("decimal", "thousands", "unit")
"""Options that together say how numbers are written."""


def _numbers(said: dict[str, Any]) -> "NumberFormat | None":
    from qidguard.core.number_format import NumberFormat

    return NumberFormat(**said) if said else None


def _dates(formats: tuple[str, ...]) -> tuple[str, ...]:
    from qidguard.core.number_format import date_format_fault

    for text in formats:
        if (fault := date_format_fault(text)) is not None:
            raise UserError(f"--dates: {text!r} {fault}.")
    return formats


def listed_names(text: str, option: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list; a name with a comma in it stands in double quotes.

    Args:
        text: What was typed.
        option: The option that it was typed for, as errors call it.

    Raises:
        UserError: When a name is empty, or there is none.

    Example:
        >>> from qidguard.sdk import listed_names
        >>> listed_names('age, "income, net"', "--columns")
        ('age', 'income, net')
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True))
    except csv.Error:  # a line break between two names
        rows = []
    if len(rows) != 1 or not rows[0] or not all(name.strip() for name in rows[0]):
        raise UserError(f"{option} takes names with commas between them, such as age,sex; not {text!r}")
    return tuple(name.strip() for name in rows[0])


def losses_named(written: str | None) -> tuple[str, ...] | None:
    """Return the names of an option; None where it is not given, none for ``none``.

    Example:
        >>> losses_named("ncp, gcp"), losses_named("none"), losses_named(None)
        (('ncp', 'gcp'), (), None)
    """
    if written is None:
        return None
    names = tuple(part.strip() for part in written.split(",") if part.strip())
    if not names or ("none" in names and len(names) > 1):
        raise UserError(f"--losses: {written!r} names no losses; name some with commas between, all, or none")
    return () if names == ("none",) else names
