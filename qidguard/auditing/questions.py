"""What a policy asks of a table: planned by its columns' names before it is loaded, then of what they are."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.context import needs
from qidguard.auditing.demands import Demand, demands
from qidguard.auditing.lexicon_and_codebook import NOTHING, ReadBeside, read_beside
from qidguard.auditing.noise import with_noise
from qidguard.auditing.proposed import recognized_sensitive
from qidguard.auditing.remedy import find_remedy
from qidguard.auditing.roles import ColumnRoles, Rest, main_qids, policy_roles, rest_of
from qidguard.auditing.searching import check_searching
from qidguard.core.errors import PolicyError
from qidguard.core.naming import did_you_mean
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.value_parts import looks_like_a_value
from qidguard.engines.base import Needs

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class AuditPlan:
    """A policy that fits the table's columns.

    Args:
        policy: The policy.
        names: The table's columns.
        demands: What it asks; None while its QIDs are yet to be recognized.
        needs: What the engine has to keep.
        beside: What the policy has recognizers read, read already.
    """

    policy: "Policy"
    names: tuple[str, ...]
    demands: tuple[Demand, ...] | None
    needs: Needs
    beside: ReadBeside = NOTHING


def plan(policy: "Policy", names: tuple[str, ...], host: "Host", original: tuple[str, ...] = ()) -> AuditPlan:
    """Return the plan; PolicyError or PluginError when the policy cannot be judged on these columns.

    ``original`` are the columns of the table that this one was made from, where that is known.
    """
    check_fit(policy, names, original)
    check_remedy(policy, host, (*names, *original))
    beside = read_beside(policy, host)
    if policy.is_auto:
        check_metrics(policy, names, host)
        check_searching(policy, host)
        return AuditPlan(policy=policy, names=names, demands=None, needs=needs(policy, None), beside=beside)
    assignments, _ = policy_roles(names, policy, None)
    rest = rest_of(assignments, policy)
    asked = bound_to(rest, demands(policy, main_qids(policy, assignments), host))
    named = {q for d in asked for q in (*d.question.qids, d.question.attribute) if q is not None}
    # the classes of every combination are shown, of one without a threshold too
    qids = {q for c in policy.all_combinations(main_qids(policy, assignments)) for q in c.quasi_identifiers}
    named |= qids
    sees_all = any(d.question.metric.needs_every_column for d in asked)
    kept = tuple(name for name in names if sees_all or name in named)
    asks = replace(needs(policy, kept, rest.asked), compared=tuple(name for name in kept if name in qids))
    return AuditPlan(policy=policy, names=names, demands=asked, needs=asks, beside=beside)


def check_fit(policy: "Policy", names: tuple[str, ...], original: tuple[str, ...] = ()) -> None:
    """Raise one PolicyError that says, for every column the table lacks, where the policy names it.

    What is never published, a direct identifier or a dropped column, may be missing where the table was made
    from an ``original`` that has it.
    """
    errors = []
    never = {*policy.roles.direct_identifiers, *policy.dropped_columns} & set(original)
    for name in policy.mentioned_columns:
        if name not in names and name not in never:
            # a first line of data that was taken for a header is repeated nowhere
            known = tuple(other for other in names if not looks_like_a_value(other))
            hint = did_you_mean(name, known, is_listed=False) or (
                f"it has {len(names)} other columns; look at its header"
            )
            sentence = f"the table has no column {name!r}; {hint}"
            errors.append(str(policy.error(sentence, *policy.path_of_column(name))))
    if errors:
        raise PolicyError("\n".join(errors))


def check_remedy(policy: "Policy", host: "Host", names: tuple[str, ...]) -> None:
    """Raise PolicyError or PluginError where the remedy cannot be: found before a release needs it."""
    remedy = find_remedy(policy, host)
    if remedy is not None:
        remedy.check_columns(names)


def check_metrics(policy: "Policy", names: tuple[str, ...], host: "Host") -> None:
    """Raise PolicyError or PluginError where a metric is wrong: found before hours are spent on loading.

    Which QIDs and sensitive columns there are is not known yet, so any column stands for them.
    """
    demands(policy, names, host, names[:1] if len(names) > 1 else ())


def bound_to(rest: Rest, asked: Iterable[Demand]) -> tuple[Demand, ...]:
    """Return the demands, those of what is published outside the QIDs over the rest."""
    return tuple(
        replace(d, question=replace(d.question, rest=rest.columns)) if d.question.metric.needs_rest else d
        for d in asked
    )


@dataclass(frozen=True, kw_only=True)
class Questions:
    """What a policy asks of a table whose columns have roles.

    Args:
        asked: Each demand; those of what is published outside the QIDs are over all of that.
        read: The same, as they are asked of a table in which some columns have noise.
    """

    asked: tuple[Demand, ...]
    read: tuple[Demand, ...]

    @classmethod
    def of(
        cls,
        policy: "Policy",
        roles: ColumnRoles,
        host: "Host",
        noise: PrivacyGuarantee | None = None,
        planned: tuple[Demand, ...] | None = None,
    ) -> "Questions":
        """Return the questions: those that were planned, else the policy's; none where no QID is known."""
        asked = planned
        if asked is None:
            sensitive = recognized_sensitive(roles.assignments)
            asked = tuple(demands(policy, roles.qids, host, sensitive)) if roles.qids else ()
        asked = bound_to(roles.rest, asked)
        return cls(asked=asked, read=with_noise(asked, () if noise is None else noise.columns))
