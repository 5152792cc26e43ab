"""``qidguard hierarchy``: draw generalization hierarchies, and make files of them."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.plot_files import can_draw
from qidguard.interfaces.reading import Reading, listed_names, reading_options
from qidguard.interfaces.screen import check_output, console, say, write_report
from qidguard.rendering.printable import shown_name

if TYPE_CHECKING:
    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy


PICTURES = {".svg", ".png", ".html"}


@click.command("show", short_help="Draw a generalization hierarchy.")
@click.argument("data", required=False)
@click.option("--policy", "-p", metavar="FILE", help="Show its hierarchies; DATA is then the table.")
@click.option("--column", "-c", metavar="COLUMN", help="Show that of one column.")
@click.option(
    "--show-values",
    is_flag=True,
    help="Show labels made of the table's values, and records of each group. What is printed is then as"
    " confidential as the table.",
)
@click.option(
    "--most", type=click.IntRange(min=1), default=8, show_default=True, metavar="N", help="Groups a branch."
)
@click.option("--plot", metavar="FILE", help="Write a picture of one column too: .svg, .png or .html.")
@reading_options
def show_command(
    *,
    data: str | None,
    policy: str | None,
    column: str | None,
    show_values: bool,
    most: int,
    plot: str | None,
    reading: Reading,
) -> ExitCode:
    """Draw a generalization hierarchy: how many groups each level has and how large they are, and a tree.

    Without --policy, DATA is a hierarchy file: one row a value, as 17;15-19;10-19;*. With --policy, DATA is
    the table that the hierarchies are bound to, or left out to see those that are files.

    The tree shows what stands in files. Labels that are made of the table's values are left out unless
    --show-values is given.
    """
    from qidguard.anonymizing.hierarchy.level_sizes import level_sizes
    from qidguard.anonymizing.hierarchy.ready import unknown_values
    from qidguard.interfaces.hierarchy_plot import groups_tree, hierarchy_plot, kind_line, levels_table
    from qidguard.interfaces.hierarchy_source import of_file, of_policy
    from qidguard.policy import load_policy

    if plot is not None:
        _check_plot(plot)
    if policy is None:
        if data is None:
            raise UserError("name a hierarchy file, or a policy with --policy")
        shown = [of_file(data, column, reading)]
    else:
        rules = load_policy(policy)
        shown = [*of_policy(rules, data or rules.source_path, column, reading, has_values=show_values)]
    if plot is not None and len(shown) > 1:
        raise UserError(f"--plot draws one column, and there are {len(shown)}; name one with --column")
    screen = console()
    for one in shown:
        records = one.counts.tolist() if show_values and one.counts is not None else None
        screen.print(levels_table(one.hierarchy, level_sizes(one.hierarchy, one.counts)))
        if one.kind is not None and one.hierarchy.origin.startswith("automatic"):
            say(kind_line(one.hierarchy.column, one.kind))
        if unknown := unknown_values(one.hierarchy):
            say(f"Not in {one.hierarchy.origin}, so published as other codes: {unknown:,} distinct values.")
        if one.drawn is None:
            say("Labels made of the table's values are left out; --show-values shows them.")
        else:
            screen.print(groups_tree(one.drawn, most=most, records=records))
        screen.print()
        if plot is not None:
            picture = hierarchy_plot(
                one.drawn or one.hierarchy, records=records, is_labeled=one.drawn is not None
            )
            say(str(picture.save(plot)))
    return ExitCode.PASSED


def _check_plot(plot: str) -> None:
    """Refuse before the table is read a picture that could not be written after."""
    suffix = Path(plot).suffix.lower()
    if suffix not in PICTURES:
        raise UserError(f"--plot writes .svg, .png or .html, not {suffix!r}; name one of these")
    if not can_draw():
        raise UserError("--plot: plots are drawn by altair and vl-convert-python; install qidguard[plots]")
    check_output(plot, option="--plot")


@click.command("ready", short_help="List the published systems of codes.")
@click.argument("name", required=False)
@click.option(
    "--most", type=click.IntRange(min=1), default=8, show_default=True, metavar="N", help="Groups a branch."
)
def ready_command(*, name: str | None, most: int) -> ExitCode:
    """List the published systems that hierarchies are made of, or show one with its source and its groups.

    A policy names one as hierarchies: {diag_1: {ready: icd9}}.
    """
    from qidguard.anonymizing.hierarchy.ready.catalog import ready_names, ready_system
    from qidguard.interfaces.hierarchy_plot import systems_table

    if name is None:
        console().print(systems_table([ready_system(one) for one in ready_names()]))
        return ExitCode.PASSED
    _show(name, most)
    return ExitCode.PASSED


def _show(name: str, most: int) -> None:
    from rich.text import Text

    from qidguard.anonymizing.hierarchy.ready import listed_hierarchy
    from qidguard.anonymizing.hierarchy.ready.catalog import ready_system
    from qidguard.interfaces.hierarchy_plot import groups_tree

    found = ready_system(name)
    screen = console()
    told = {
        "levels": ", ".join(found.levels),
        "written": found.spelling,
        "source": found.source,
        "edition": found.edition,
        "note": found.note,
        "license": found.license,
    }
    screen.print(Text(f"{found.name}: {found.title}"))
    for heading, text in told.items():
        screen.print(Text(f"  {heading}: {text}"))
    screen.print()
    screen.print(groups_tree(listed_hierarchy(name), most=most))


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
    from qidguard.anonymizing.hierarchy.file import hierarchy_csv
    from qidguard.interfaces.hierarchy_plot import kind_line
    from qidguard.interfaces.hierarchy_source import column_kinds, of_kind, read_columns

    check_output(output)
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
    from qidguard.anonymizing.hierarchy.assembling import prefix_hierarchy
    from qidguard.anonymizing.hierarchy.automatic import automatic_hierarchy
    from qidguard.anonymizing.hierarchy.dates import date_hierarchy
    from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy
    from qidguard.anonymizing.hierarchy.ready import ready_hierarchy

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


@click.group("hierarchy", short_help="Draw and make generalization hierarchies.")
def hierarchy_group() -> None:
    """Draw generalization hierarchies, and make files of them to edit."""


for command in (show_command, make_command, ready_command):
    hierarchy_group.add_command(command)
