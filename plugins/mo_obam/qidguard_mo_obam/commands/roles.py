"""The columns' roles on the command line: of a policy, of options, or of both."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from qidguard.sdk import UserError, listed_names, load_policy

if TYPE_CHECKING:
    from qidguard.sdk import Policy, Reading
    from qidguard_mo_obam.evaluation.case import StudyCase

_OPTIONS = (
    click.argument("data"),
    click.option("--policy", metavar="FILE", help="A policy, whose roles and reading count."),
    click.option("--qid", metavar="A,B,...", help="The quasi-identifiers.  [default: the policy's]"),
    click.option("--sensitive", metavar="A,B,...", help="The sensitive attributes.  [default: the policy's]"),
    click.option("--target", metavar="NAME", help="What models predict.  [default: the policy's]"),
    click.option("--entity", metavar="NAME", help="The column of persons.  [default: the policy's]"),
)


@dataclass(frozen=True, kw_only=True)
class StudyRoles:
    """Which columns play which role.

    Args:
        qids: The quasi-identifiers.
        sensitive: The sensitive attributes.
        target: What models predict; None where nobody named it.
        entity: The column of persons; None where each record is one.
        left_out: Columns that are never published, so that no model learns from them.
        policy: The policy, for how the table is read; None where there is none.
    """

    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None
    entity: str | None
    left_out: tuple[str, ...] = ()
    policy: "Policy | None" = None

    def case(
        self, data: str, reading: "Reading", seed: int, *, whole: bool = False, has_target: bool = True
    ) -> "StudyCase":
        """Return a table with these roles; ``whole`` with all of its columns, as models need them."""
        from qidguard_mo_obam.evaluation.case import StudyCase

        return StudyCase.of(
            data,
            self.qids,
            self.sensitive,
            target=self.target if has_target else None,
            entity=self.entity,
            seed=seed,
            whole=whole,
            read=reading.options(self.policy),
            settings=reading.settings(self.policy),
        )


def role_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the table and its roles, and hand the roles over as one ``roles``."""

    @wraps(command)
    def with_roles(**given: Any) -> Any:
        said = {name: given.pop(name) for name in ("policy", "qid", "sensitive", "target", "entity")}
        return command(roles=_roles(**said), **given)

    for option in reversed(_OPTIONS):
        with_roles = option(with_roles)
    return with_roles


def _roles(
    *, policy: str | None, qid: str | None, sensitive: str | None, target: str | None, entity: str | None
) -> StudyRoles:
    if policy is None:
        for said, option in ((qid, "--qid"), (sensitive, "--sensitive")):
            if said is None:
                raise UserError(f"name a policy with --policy, or the columns with {option}")
        return StudyRoles(
            qids=listed_names(qid or "", "--qid"),
            sensitive=listed_names(sensitive or "", "--sensitive"),
            target=target,
            entity=entity,
        )
    written = load_policy(policy)
    qids = written.roles.qids if qid is None else listed_names(qid, "--qid")
    if not qids:
        raise UserError(f"the policy {policy!r} leaves the quasi-identifiers open; name them with --qid")
    beside = written.roles.sensitive if sensitive is None else listed_names(sensitive, "--sensitive")
    if not beside:
        raise UserError(f"the policy {policy!r} names no sensitive attribute; name them with --sensitive")
    return StudyRoles(
        qids=qids,
        sensitive=beside,
        target=written.roles.target if target is None else target,
        entity=written.roles.entity if entity is None else entity,
        left_out=tuple(dict.fromkeys((*written.roles.direct_identifiers, *written.dropped_columns))),
        policy=written,
    )
