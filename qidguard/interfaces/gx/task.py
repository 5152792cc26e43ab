"""A question that fits its batch: the policy, what it demands, and what an engine has to open for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.judging import Plan, plan
from qidguard.auditing.options import engine_settings
from qidguard.core.errors import PolicyError, UserError
from qidguard.core.policy import load_policy
from qidguard.core.policy.origin import value_digest
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.interfaces.gx.asked import Asked

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.host import Host


@dataclass(frozen=True, kw_only=True)
class Task:
    """One question about one batch.

    Args:
        text: The question as metrics are told it.
        asked: The question.
        plan: What its policy demands of these columns.
        options: Which texts mean missing, and whether fields are trimmed.
    """

    text: str
    asked: Asked
    plan: Plan
    options: ReadOptions

    @property
    def sharing(self) -> tuple[str, ReadOptions, Needs]:
        """What must be equal for two tasks to be answered from one opened table."""
        return self.plan.policy.engine, self.options, replace(self.plan.needs, columns=None)

    @property
    def settings(self) -> EngineSettings:
        """The resources that the policy grants."""
        return engine_settings(self.plan.policy)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns to read: those of a threshold, or None: an audit describes every column."""
        kept = self.plan.needs.columns
        if self.asked.kind == "policy" or kept is None:
            return None
        more = (self.plan.needs.entity, self.plan.needs.weight)
        wanted = {*kept, *(name for name in more if name is not None)}
        return tuple(name for name in self.plan.names if name in wanted)


def task(text: str, asked: Asked, names: tuple[str, ...], host: "Host") -> Task:
    """Return the task that a question makes of a batch with these columns.

    Args:
        text: The question as metrics are told it.
        asked: The question, about a threshold or a policy.
        names: The batch's columns.
        host: The plugins.

    Returns:
        The task.

    Units:
        None.

    Raises:
        PolicyError: When the policy is not valid, was changed, or does not fit the columns.
        UserError: When a metric does not exist, or asks for what a batch does not have.
        PluginError: When the policy needs a plugin that is broken or missing.

    Example:
        >>> from qidguard.host import load_host
        >>> asked = Asked(kind="threshold", policy={"qidguard": 1, "name": "p"})
        >>> task(asked.text, asked, ("age",), load_host())
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PolicyError: the policy lacks 'roles', which is required; write for \
example roles: {quasi_identifiers: [age, sex]}
    """
    try:
        policy = load_policy(asked.policy)
        if asked.kind == "policy":
            _check_digest(asked, policy)
        planned = plan(policy, names, host)
    except PolicyError as error:
        # nobody wrote a policy for a single threshold
        raise PolicyError(
            str(error).replace("policy: ", "") if asked.kind == "threshold" else str(error)
        ) from None
    if asked.kind == "threshold":
        _check_comparable(planned)
    source = policy.source
    return Task(
        text=text,
        asked=asked,
        plan=planned,
        options=ReadOptions(missing=source.missing, is_trimmed=source.trim),
    )


def union(columns: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return all columns, each once; None, which is every column, where one of them is None.

    Args:
        columns: Column names, or None.

    Returns:
        The names in the order in which they come.

    Units:
        None.

    Raises:
        Nothing of its own.

    Example:
        >>> union([("a", "b"), ("b", "c")]), union([("a",), None])
        (('a', 'b', 'c'), None)
    """
    found: dict[str, None] = {}
    for names in columns:
        if names is None:
            return None
        found |= dict.fromkeys(names)
    return tuple(found)


def _check_digest(asked: Asked, policy: "Policy") -> None:
    """Refuse a policy that is not the approved one: the suite was edited by hand, or is another version's."""
    fits = {policy.digest, value_digest(asked.policy)}
    if asked.digest is None or asked.digest not in fits:
        raise PolicyError(
            f"policy_sha256 is not that of the policy {policy.name!r} inside this expectation, so it may have"
            " been changed since it was approved; export it again"
        )


def _check_comparable(planned: Plan) -> None:
    """Refuse a metric that compares a table with others: a batch stands alone."""
    for demand in planned.demands or ():
        metric = demand.question.metric
        others = (
            (metric.needs_history, "earlier releases"),
            (metric.needs_original, "the table that this one was made from"),
        )
        for is_needed, what in others:
            if is_needed:
                raise UserError(
                    f"{metric.name} is measured against {what}, which a batch of Great Expectations does not"
                    " know; put it in the policy and publish with: qidguard release"
                )
