"""What the commands share: the table with the roles of its columns, and lists that are typed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from qidguard.sdk import UserError, listed_names, load_policy, output_options, reading_options, seed_option

if TYPE_CHECKING:
    from qidguard.sdk import Reading

FREE = "free"
"""What stands for a number of clusters that MO-OBAM finds itself."""
Option = Callable[[Callable[..., Any]], Callable[..., Any]]

_ROLES: tuple[Option, ...] = (
    click.argument("data"),
    click.option("--policy", metavar="FILE", help="A policy, whose roles and reading count."),
    click.option("--qid", metavar="A,B,...", help="The quasi-identifiers.  [default: the policy's]"),
    click.option("--sensitive", metavar="A,B,...", help="The sensitive attributes.  [default: the policy's]"),
    click.option("--target", metavar="NAME", help="What models predict.  [default: the policy's]"),
    click.option("--entity", metavar="NAME", help="The column of persons.  [default: the policy's]"),
)


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """The table of a command.

    Args:
        asked: What every call of ``evaluation`` takes: source, roles, seed and reading.
        target: What models predict; None where nobody named it.
        left_out: Columns that are never published, so that no model learns from them.
    """

    asked: dict[str, Any]
    target: str | None
    left_out: tuple[str, ...]


def study_command(name: str, *options: Option) -> Callable[[Callable[..., int]], click.Command]:
    """Return what makes a command of a function that takes ``table``, ``output`` and what options hand over.

    Args:
        name: The command's name.
        options: Its own options, between those of roles and those of seed, reading and output.
    """

    def made(run: Callable[..., int]) -> click.Command:
        @wraps(run)
        def with_table(**given: Any) -> int:
            said = {one: given.pop(one) for one in ("policy", "qid", "sensitive", "target", "entity")}
            read = {one: given.pop(one) for one in ("data", "seed", "reading")}
            return run(table=_table(**said, **read), **given)

        command: Callable[..., Any] = with_table
        every: tuple[Option, ...] = (*_ROLES, *options, seed_option, reading_options, output_options)
        for option in reversed(every):
            command = option(command)
        return click.command(name)(command)

    return made


def _table(
    *,
    data: str,
    policy: str | None,
    qid: str | None,
    sensitive: str | None,
    target: str | None,
    entity: str | None,
    seed: int,
    reading: "Reading",
) -> StudyTable:
    written = None if policy is None else load_policy(policy)
    roles = None if written is None else written.roles

    def columns(typed: str | None, option: str, role: str, fault: str) -> tuple[str, ...]:
        if typed is not None:
            return listed_names(typed, option)
        if roles is None:
            raise UserError(f"name a policy with --policy, or the columns with {option}")
        named: tuple[str, ...] = getattr(roles, role)
        if not named:
            raise UserError(f"the policy {policy!r} {fault} with {option}")
        return named

    asked = {
        "source": data,
        "qids": columns(qid, "--qid", "qids", "leaves the quasi-identifiers open; name them"),
        "sensitive": columns(
            sensitive, "--sensitive", "sensitive", "names no sensitive attribute; name them"
        ),
        "entity": roles.entity if entity is None and roles else entity,
        "seed": seed,
        "read": reading.options(written),
        "settings": reading.settings(written),
    }
    apart = () if written is None else (*written.roles.direct_identifiers, *written.dropped_columns)
    return StudyTable(
        asked=asked,
        target=roles.target if target is None and roles else target,
        left_out=tuple(dict.fromkeys(apart)),
    )


def list_option(
    read: Callable[[str, str], tuple[Any, ...]],
    *names: str,
    default: str,
    metavar: str,
    help: str,  # noqa: A002
) -> Option:
    """Return an option of a list with commas, which is handed over as ``read`` takes it."""

    def typed(_: click.Context, option: click.Parameter, text: str) -> tuple[Any, ...]:
        return read(text, option.opts[0])

    return click.option(
        *names, metavar=metavar, default=default, show_default=True, help=help, callback=typed
    )


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a list with commas; ``4-30`` stands for all from 4 to 30.

    Example:
        >>> whole_numbers("5, 15", "--k"), whole_numbers("4-7,10", "--n-c")
        ((5, 15), (4, 5, 6, 7, 10))
    """
    found: list[int] = []
    try:
        for one in text.split(","):
            first, dash, last = one.strip().partition("-")
            found += range(int(first), int(last) + 1) if dash else [int(first)]
    except ValueError:
        found = []
    if not found:
        raise UserError(
            f"{option} takes whole numbers with commas between them, such as 5,15 or 4-30; not {text!r}"
        )
    return tuple(dict.fromkeys(found))


def clusters(text: str, option: str) -> tuple[int | None, ...]:
    """Return numbers of clusters; ``free`` leaves the number to MO-OBAM.

    Example:
        >>> clusters("30,free", "--n-c")
        (30, None)
    """
    found: list[int | None] = []
    for one in text.split(","):
        found += [None] if one.strip() == FREE else whole_numbers(one, option)
    return tuple(dict.fromkeys(found))


def decimals(text: str, option: str) -> tuple[float, ...]:
    """Return the numbers in a list with commas.

    Example:
        >>> decimals("1, 1e-4", "--lambda")
        (1.0, 0.0001)
    """
    try:
        return tuple(dict.fromkeys(float(one) for one in text.split(",")))
    except ValueError:
        raise UserError(
            f"{option} takes numbers with commas between them, such as 1,0.001; not {text!r}"
        ) from None
