"""What the commands of the evaluation share: options, how they are read, and what is shown in the end."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from qidguard.sdk import (
    NotMeasurable,
    UserError,
    listed_names,
    load_policy,
    output_options,
    reading_options,
    seed_option,
)

if TYPE_CHECKING:
    from qidguard.sdk import Policy, Reading, ResultOutput
    from qidguard_hybrid_dp.evaluation.evaluation import TableEvaluation
    from qidguard_hybrid_dp.evaluation.methods import Methods
    from qidguard_hybrid_dp.evaluation.models import ModelStudy
    from qidguard_hybrid_dp.evaluation.risk_report import RiskStudy
    from qidguard_hybrid_dp.evaluation.sweep import Sweep

INTERRUPTED = 130
"""Exit code after Ctrl-C; what was done is shown."""

Option = Callable[[Callable[..., Any]], Callable[..., Any]]
Call = Callable[..., "TableEvaluation | RiskStudy | ModelStudy | Sweep"]

_ROLES: dict[str, Option] = {
    "policy": click.option("--policy", metavar="FILE", help="A policy, whose roles and reading count."),
    "qids": click.option("--qids", metavar="A,B,...", help="The quasi-identifiers.  [default: the policy's]"),
    "sensitive": click.option(
        "--sensitive", metavar="A,B,...", help="The sensitive attributes.  [default: the policy's]"
    ),
    "target": click.option("--target", metavar="NAME", help="What models predict.  [default: the policy's]"),
    "bounds": click.option(
        "--bounds", metavar="A=LOW:HIGH,...", help="What numeric quasi-identifiers may hold."
    ),
    "friendly": click.option(
        "--friendly", metavar="A,B,...", help="Pattern-friendly columns.  [default: found]"
    ),
    "hierarchies": click.option(
        "--hierarchies", metavar="FOLDER", help="NAME.csv for columns.  [default: automatic]"
    ),
    "sample": click.option(
        "--sample", type=click.IntRange(min=2), metavar="N", help="Draw so many records.  [default: all]"
    ),
}
_METHODS: dict[str, Option] = {
    "cluster": click.option(
        "--cluster", metavar="A,B", default="violating,both", show_default=True, help="Parts."
    ),
    "scale": click.option(
        "--scale", metavar="A,B", default="range,unit", show_default=True, help="Scales of noise."
    ),
    "has_strict": click.option(
        "--strict/--no-strict", "has_strict", default=True, show_default=True, help="Try intervals, too."
    ),
    "t_div": click.option(
        "--t-div",
        type=float,
        default=0.0,
        metavar="NATS",
        help="Try clusters of less entropy at the average level, too.  [default: 0, which leaves it out]",
    ),
    "has_stand_ins": click.option(
        "--stand-ins", "has_stand_ins", is_flag=True, help="Try our stand-ins for RKA and SVD3DR."
    ),
}
_K: Option = click.option(
    "--k", metavar="K,...", default="5,10,20,50,100", show_default=True, help="Classes."
)


@dataclass(frozen=True, kw_only=True)
class TriedRoles:
    """Which columns play which role.

    Args:
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        target: What models predict; None where nobody named it.
        given: What a case takes beside: bounds, pattern-friendly columns, hierarchies, and a sample.
        policy: The policy, for how the table is read; None where there is none.
    """

    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None
    given: dict[str, Any]
    policy: "Policy | None"


def tried_command(name: str, *own: Option, has_methods: bool = True) -> Callable[[Call], click.Command]:
    """Return what makes a command of a call on a table and its roles, and shows what comes of it.

    Args:
        name: The command's name.
        own: Options of its own.
        has_methods: Whether it has ``--k`` and the options of methods, and takes ``k`` and ``methods``.

    Returns:
        A decorator. The call takes the table, its ``TriedRoles``, what its options say, and by name all that
        the Python call takes beside; its docstring is the command's help.
    """

    def made(call: Call) -> click.Command:
        @seed_option
        @reading_options
        @output_options
        def shown(
            *, data: str, roles: TriedRoles, reading: "Reading", output: "ResultOutput", **said: Any
        ) -> int:
            if has_methods:
                said["k"] = whole_numbers(said["k"], "--k")
            said["read"], said["settings"] = reading.options(roles.policy), reading.settings(roles.policy)
            with output.progress() as progress:
                found = call(data, roles, progress=progress, **said, **roles.given)
            plots = {}
            if output.plots is not None:
                with suppress(NotMeasurable):  # where nothing could be done, which the text says
                    plots = found.plots()
            output.show(*found.tables(), text=found.headline, plots=plots)
            return INTERRUPTED if found.is_interrupted else 0

        @wraps(shown)
        def with_roles(**said: Any) -> Any:
            roles = _roles(**{name: said.pop(name) for name in _ROLES})
            if has_methods:
                said["methods"] = _methods(**{name: said.pop(name) for name in _METHODS})
            return shown(roles=roles, **said)

        command: Callable[..., Any] = with_roles
        methods = (_K, *_METHODS.values()) if has_methods else ()
        options: tuple[Option, ...] = (click.argument("data"), *_ROLES.values(), *methods, *own)
        for option in reversed(options):
            command = option(command)
        return click.command(name, help=call.__doc__)(command)

    return made


def _methods(*, cluster: str, scale: str, **given: Any) -> "Methods":
    from qidguard_hybrid_dp.evaluation.methods import Methods

    return Methods(
        clusters=choices(cluster, "--cluster", ("violating", "both")),
        scales=choices(scale, "--scale", ("range", "unit")),
        **given,
    )


def _roles(
    *,
    policy: str | None,
    qids: str | None,
    sensitive: str | None,
    target: str | None,
    bounds: str | None,
    friendly: str | None,
    **given: Any,
) -> TriedRoles:
    written = None if policy is None else load_policy(policy)
    named = None if qids is None else listed_names(qids, "--qids")
    beside = None if sensitive is None else listed_names(sensitive, "--sensitive")
    if written is not None:
        named = named or written.roles.qids
        beside = beside or written.roles.sensitive
        target = target or written.roles.target
        if written.roles.entity is not None:
            raise UserError(
                "the policy names an entity column, and here each record counts as a person; name the roles"
                " with --qids and --sensitive"
            )
    if not named or not beside:
        lacking = "--qids" if not named else "--sensitive"
        raise UserError(f"name the columns with {lacking}, or a policy that does with --policy")
    given["bounds"] = column_bounds(bounds, "--bounds")
    given["friendly"] = None if friendly is None else listed_names(friendly, "--friendly")
    return TriedRoles(qids=named, sensitive=beside, target=target, given=given, policy=written)


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a list with commas.

    Example:
        >>> whole_numbers("5, 10", "--k")
        (5, 10)
    """
    try:
        return tuple(dict.fromkeys(int(one) for one in text.split(",")))
    except ValueError:
        raise UserError(
            f"{option} takes whole numbers with commas between them, such as 5,10; not {text!r}"
        ) from None


def fractions(text: str, option: str) -> tuple[Fraction, ...]:
    """Return the exact numbers above 0 in a list with commas.

    Example:
        >>> fractions("0.1, 1/3", "--epsilon")
        (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        found = tuple(dict.fromkeys(Fraction(one.strip()) for one in text.split(",")))
    except (ValueError, ZeroDivisionError):
        found = ()
    if not found or min(found) <= 0:
        raise UserError(
            f"{option} takes numbers above 0 with commas between them, such as 0.1,1; not {text!r}"
        )
    return found


def column_bounds(text: str | None, option: str) -> dict[str, tuple[Fraction, Fraction]]:
    """Return declared bounds by column.

    Example:
        >>> column_bounds("age=17:90", "--bounds")
        {'age': (Fraction(17, 1), Fraction(90, 1))}
    """
    found = {}
    for one in [] if text is None else text.split(","):
        name, is_there, ends = one.rpartition("=")
        low, colon, high = ends.partition(":")
        try:
            if not (is_there and colon and name.strip()):
                raise ValueError  # noqa: TRY301 - worded in one place
            found[name.strip()] = Fraction(low.strip()), Fraction(high.strip())
        except (ValueError, ZeroDivisionError):
            raise UserError(
                f"{option} takes NAME=LOW:HIGH with commas between them, such as age=17:90; not {one!r}"
            ) from None
    for name, (least, most) in found.items():
        if not least < most:
            raise UserError(f"{option}: the bounds of {name!r} hold a range, not {least} to {most}")
    return found


def choices(text: str, option: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words in a list with commas, each one of those that are known.

    Example:
        >>> choices("both", "--cluster", ("violating", "both"))
        ('both',)
    """
    found = tuple(dict.fromkeys(one.strip() for one in text.split(",")))
    for one in found:
        if one not in known:
            raise UserError(f"{option} takes {' or '.join(known)}, or several with commas; not {one!r}")
    return found
