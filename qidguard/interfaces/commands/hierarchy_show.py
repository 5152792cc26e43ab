"""``qidguard hierarchy show``: the levels of a hierarchy, and its groups as a tree or a picture."""

from pathlib import Path

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.plot_files import can_draw
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import console, say

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
    from qidguard.anonymizing.hierarchy import level_sizes, unknown_values
    from qidguard.interfaces.hierarchy_plot import hierarchy_plot
    from qidguard.interfaces.hierarchy_source import of_file, of_policy
    from qidguard.interfaces.hierarchy_tree import groups_tree, kind_line, levels_table
    from qidguard.policy import load_policy

    if plot is not None:
        _check_plot(plot, data, policy)
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


def _check_plot(plot: str, *inputs: str | None) -> None:
    """Refuse before the table is read a picture that could not be written after."""
    suffix = Path(plot).suffix.lower()
    if suffix not in PICTURES:
        raise UserError(f"--plot writes .svg, .png or .html, not {suffix!r}; name one of these")
    if not can_draw():
        raise UserError("--plot: plots are drawn by altair and vl-convert-python; install qidguard[plots]")
    if plot in inputs:
        raise UserError(f"--plot {plot!r} would overwrite what is read; name another file")
