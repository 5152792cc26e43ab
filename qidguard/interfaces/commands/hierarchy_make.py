"""``qidguard hierarchy make``: a hierarchy file for people to edit."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.reading import Reading, listed_names, reading_options
from qidguard.interfaces.screen import check_output, say, write_report
from qidguard.rendering.printable import shown_name

if TYPE_CHECKING:
    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy

AUTOMATIC = ("auto", "quantiles", "frequency", "similarity")
KINDS = (*AUTOMATIC, "intervals", "cuts", "dates", "prefix", "ready")


@click.command("make", short_help="Make a hierarchy file for a column.")
@click.argument("data")
@click.option("--column", "-c", metavar="COLUMN", required=True, help="The column.")
@click.option(
    "--kind", type=click.Choice(KINDS), default="auto", show_default=True, help="How values are grouped."
)
@click.option(
    "--levels",
    metavar="A,B,...",
    help="Widths for intervals, units for dates, lengths for prefix; for cuts the points of each level,"
    " levels with a slash between them: 0,10,20/0,20.",
)
@click.option(
    "--from", "origin", type=float, default=0.0, metavar="N", help="A point that intervals are cut at."
)
@click.option("--bottom", type=float, metavar="N", help="What numbers are coded below, with intervals.")
@click.option("--top", type=float, metavar="N", help="What numbers are coded from on, with intervals.")
@click.option("--written", metavar="FORM", help="How dates in text are written: dmy, mdy, ymd or %d/%m/%Y.")
@click.option(
    "--latest",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="The last day that a year of two digits may mean, such as 2026-01-31.",
)
@click.option(
    "--system", metavar="NAME", help="The published system, with ready; see qidguard hierarchy ready."
)
@click.option("--output", "-o", metavar="FILE", help="Write to a file instead of standard output.")
@reading_options
def make_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str,
    column: str,
    kind: str,
    levels: str | None,
    origin: float,
    bottom: float | None,
    top: float | None,
    written: str | None,
    system: str | None,
    latest: datetime | None,
    output: str | None,
    reading: Reading,
) -> ExitCode:
    """Make a hierarchy file for a column of the table DATA: one row a value, as 17;15-19;10-19;*.

    Edit it, and name it in a policy: hierarchies: {age: {file: age.csv}}. The file holds every value of the
    column, so it is as confidential as the table.
    """
    from qidguard.anonymizing.hierarchy import hierarchy_csv
    from qidguard.interfaces.hierarchy_source import column_kinds, of_kind, read_columns
    from qidguard.interfaces.hierarchy_tree import kind_line

    check_output(output, data)
    wanted = _levels(kind, levels)
    if kind != "intervals" and (origin or bottom is not None or top is not None):
        raise UserError("--from, --bottom and --top belong to --kind intervals; leave them out")
    if kind != "dates" and written is not None:
        raise UserError("--written belongs to --kind dates; leave it out")
    if (kind == "ready") != (system is not None):
        raise UserError("--kind ready and --system belong together; name both, or neither")
    if kind != "dates" and latest is not None:
        raise UserError("--latest belongs to --kind dates; leave it out")
    values = read_columns(data, [column], reading)[column]
    options: dict[str, dict[str, Any]] = {
        "intervals": {"origin": _whole(origin), "bottom": _whole(bottom), "top": _whole(top)},
        "dates": {"written": written, "latest": None if latest is None else latest.date()},
        "ready": {"system": system},
    }
    known = column_kinds(data, [column], reading).get(column) if kind == "auto" else None
    found = _made(of_kind(values, known), kind, wanted, options.get(kind, {}))
    write_report(hierarchy_csv(found), output)
    if known is not None:
        say(kind_line(column, known))
    if kind in AUTOMATIC:
        say(f"Its levels are {found.origin}.")
    say(
        f"The file holds the {values.distinct:,} values of column {shown_name(column)}:"
        " it is as confidential as the table."
    )
    return ExitCode.PASSED


def _made(values: "ColumnValues", kind: str, levels: Any, options: dict[str, Any]) -> "Hierarchy":
    from qidguard.anonymizing.hierarchy import (
        automatic_hierarchy,
        date_hierarchy,
        interval_hierarchy,
        prefix_hierarchy,
        ready_hierarchy,
    )

    if kind == "intervals":
        return interval_hierarchy(values, widths=levels, **options)
    if kind == "cuts":
        return interval_hierarchy(values, cuts=levels)
    if kind == "dates":
        return date_hierarchy(values, *([levels] if levels else []), **options)
    if kind == "prefix":
        return prefix_hierarchy(values, levels)
    if kind == "ready":
        return ready_hierarchy(values, options["system"])
    chosen: Any = kind  # click lets only the kinds there are through
    return automatic_hierarchy(values, chosen)


def _levels(kind: str, text: str | None) -> tuple[Any, ...]:
    if text is None:
        if kind in {"intervals", "cuts", "prefix"}:
            raise UserError(f"--kind {kind} needs --levels, such as {_EXAMPLES[kind]}")
        return ()
    if kind in {*AUTOMATIC, "ready"}:
        raise UserError(f"--kind {kind} has its own levels; leave --levels out")
    if kind == "cuts":
        return tuple(tuple(map(_number, listed_names(part, "--levels"))) for part in text.split("/"))
    names = listed_names(text, "--levels")
    return names if kind == "dates" else tuple(map(_number, names))


_EXAMPLES = {"intervals": "5,10,20", "cuts": "0,10,20/0,20", "prefix": "4,3,2"}


def _number(text: str) -> float:
    try:
        number: float = _whole(float(text))
    except ValueError:
        raise UserError(f"--levels takes numbers with commas between them, not {text!r}") from None
    return number


def _whole(number: Any) -> Any:
    """Return a number as an integer where it is one, so that it is written as one."""
    return int(number) if isinstance(number, float) and number.is_integer() else number
