"""What is tried on which columns: the options that the commands of the evaluation share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from qidguard.sdk import UserError, listed_names, load_policy
from qidguard_hybrid_dp.commands.typed import bounds as read_bounds
from qidguard_hybrid_dp.commands.typed import choices

if TYPE_CHECKING:
    from fractions import Fraction

    from qidguard.sdk import Policy

INTERRUPTED = 130
"""Exit code after Ctrl-C; what was done is shown."""

_ROLES = (
    click.argument("data"),
    click.option("--policy", metavar="FILE", help="A policy, whose roles and reading count."),
    click.option("--qids", metavar="A,B,...", help="The quasi-identifiers.  [default: the policy's]"),
    click.option("--sensitive", metavar="A,B,...", help="The sensitive attributes.  [default: the policy's]"),
    click.option("--target", metavar="NAME", help="What models predict.  [default: the policy's]"),
    click.option("--bounds", metavar="A=LOW:HIGH,...", help="What numeric quasi-identifiers may hold."),
    click.option("--friendly", metavar="A,B,...", help="Pattern-friendly columns.  [default: found]"),
    click.option("--hierarchies", metavar="FOLDER", help="NAME.csv for columns.  [default: automatic]"),
    click.option(
        "--sample", type=click.IntRange(min=2), metavar="N", help="Draw so many records.  [default: all]"
    ),
)
_METHODS = (
    click.option("--cluster", metavar="A,B", default="violating,both", show_default=True, help="Parts."),
    click.option("--scale", metavar="A,B", default="range,unit", show_default=True, help="Scales of noise."),
    click.option(
        "--strict/--no-strict", "has_strict", default=True, show_default=True, help="Try intervals, too."
    ),
    click.option(
        "--t-div",
        type=float,
        default=0.0,
        metavar="NATS",
        help="Try clusters of less entropy at the average level, too.  [default: 0, which leaves it out]",
    ),
    click.option("--stand-ins", "has_stand_ins", is_flag=True, help="Try our stand-ins for RKA and SVD3DR."),
)


@dataclass(frozen=True, kw_only=True)
class TriedRoles:
    """Which columns play which role.

    Args:
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        target: What models predict; None where nobody named it.
        bounds: Numeric quasi-identifier → what it may hold.
        friendly: Pattern-friendly columns; None leaves them to the forest.
        hierarchies: A folder of hierarchies.
        sample: How many records are drawn; None for all.
        policy: The policy, for how the table is read; None where there is none.
    """

    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None = None
    bounds: "dict[str, tuple[Fraction, Fraction]]" = field(default_factory=dict)
    friendly: tuple[str, ...] | None = None
    hierarchies: str | None = None
    sample: int | None = None
    policy: "Policy | None" = None

    @property
    def given(self) -> dict[str, Any]:
        """What a case takes beside table, quasi-identifiers and sensitive attributes."""
        return {
            "bounds": self.bounds,
            "friendly": self.friendly,
            "hierarchies": self.hierarchies,
            "sample": self.sample,
        }


def role_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the table and its roles, and hand the roles over as one ``roles``."""

    @wraps(command)
    def with_roles(**given: Any) -> Any:
        names = (
            *("policy", "qids", "sensitive", "target"),
            *("bounds", "friendly", "hierarchies", "sample"),
        )
        said = {name: given.pop(name) for name in names}
        return command(roles=_roles(**said), **given)

    for option in reversed(_ROLES):
        with_roles = option(with_roles)
    return with_roles


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the methods that are tried, and hand them over as one ``methods``."""

    @wraps(command)
    def with_methods(
        *, cluster: str, scale: str, t_div: float, has_strict: bool, has_stand_ins: bool, **given: Any
    ) -> Any:
        from qidguard_hybrid_dp.evaluation.plan import Methods

        chosen = Methods(
            clusters=choices(cluster, "--cluster", ("violating", "both")),
            scales=choices(scale, "--scale", ("range", "unit")),
            has_strict=has_strict,
            t_div=t_div,
            has_stand_ins=has_stand_ins,
        )
        return command(methods=chosen, **given)

    for option in reversed(_METHODS):
        with_methods = option(with_methods)
    return with_methods


def _roles(
    *,
    policy: str | None,
    qids: str | None,
    sensitive: str | None,
    target: str | None,
    bounds: str | None,
    friendly: str | None,
    hierarchies: str | None,
    sample: int | None,
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
    return TriedRoles(
        qids=named,
        sensitive=beside,
        target=target,
        bounds=read_bounds(bounds, "--bounds"),
        friendly=None if friendly is None else listed_names(friendly, "--friendly"),
        hierarchies=hierarchies,
        sample=sample,
        policy=written,
    )
