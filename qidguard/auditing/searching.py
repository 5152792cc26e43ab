"""Recognition by search: what a policy with a ``discovery`` section adds to what names say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.candidates import left_out
from qidguard.auditing.recognizing import Recognition, only_proposals, recognize
from qidguard.auditing.weighing import AttributeColumns, weigh
from qidguard.core.column import ColumnFacts
from qidguard.core.errors import NotMeasurable, PluginError, QidguardError, UserError
from qidguard.core.guard import PluginCode
from qidguard.core.parameter import bind
from qidguard.core.progress import SILENT, Progress
from qidguard.core.recognizer import DiscoveryTask, RoleProposal
from qidguard.core.role import Role
from qidguard.core.verdict import Block
from qidguard.engines.base import Table
from qidguard.host.kinds import RECOGNIZERS

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import DiscoverySettings, Policy

RULE = "discovery"
"""The rule that a block names."""

_MAY_BECOME_A_QID = (Role.UNCLASSIFIED, Role.INSENSITIVE)
"""Roles of names that a search overrules; what a name says is a QID, or worse than one, stays."""


def asks_for_search(policy: "Policy | None") -> "DiscoverySettings | None":
    """Return the settings of the search that a verdict rests on, or None where no search is asked for."""
    return policy.discovery if policy is not None and policy.is_auto else None


def check_searching(policy: "Policy", host: "Host") -> None:
    """Check, before anything is loaded, that the search a verdict rests on can be made.

    Args:
        policy: The policy.
        host: The plugins.

    Raises:
        PolicyError: When a strategy, an objective or a parameter does not exist, or nothing can search.
        PluginError: When a broken or skipped plugin may be why.

    Example:
        >>> from qidguard.policy import load_policy
        >>> from qidguard.host import load_host
        >>> fields = {
        ...     "qidguard": 1,
        ...     "name": "p",
        ...     "preset": "pdpc-sg-5",
        ...     "roles": {"quasi_identifiers": ["a"]},
        ... }
        >>> check_searching(load_policy(fields), load_host())
    """
    settings = asks_for_search(policy)
    if settings is None:
        return
    asked = searchers(host, settings.strategy)
    if not asked:
        sentence = "no installed recognizer can search, which the policy's discovery section asks for"
        missing = host.missing(RECOGNIZERS)
        if missing or host.skipped:
            why = "; ".join(missing) or (f"QIDGUARD_PLUGINS leaves out {', '.join(host.skipped)}")
            raise PluginError(f"{sentence}, and not all plugins are loaded: {why}")
        raise policy.error(
            f"{sentence}; install a plugin that offers one (the README names ours), or remove the section",
            RULE,
        )
    try:
        if settings.strategy is not None:
            bind(host.search_strategy(settings.strategy).parameters, settings.parameters)
    except UserError as error:
        raise policy.error(f"discovery.strategy: {error}", RULE, "strategy") from None
    if _own_strategies(asked[0]) and settings.objective == DiscoveryTask.objective:
        return  # it answers by itself, and nobody named an objective
    try:
        weigh(settings.objective, host, attributes=_attribute_columns(policy))
    except UserError as error:
        raise policy.error(f"discovery.objective: {error}", RULE, "objective") from None


def searchers(host: "Host", strategy: str | None) -> list[Any]:
    """Return the recognizers that can search: those whose own the strategy is, else those without any."""
    found = [r for r in host.recognizers.values() if callable(getattr(r, "propose_from", None))]
    owners = [r for r in found if strategy in _own_strategies(r)]
    return owners or [r for r in found if not _own_strategies(r)]


def _own_strategies(recognizer: Any) -> tuple[str, ...]:
    """Return the strategies that the recognizer alone answers for."""
    return tuple(getattr(recognizer, "strategies", ()))


def recognize_table(
    table: Table,
    policy: "Policy",
    host: "Host",
    progress: Progress = SILENT,
    known: Recognition | None = None,
) -> Recognition:
    """Ask every recognizer about the columns and, where the policy says so, those that search.

    A search only adds: a column that a name makes a quasi-identifier, a direct identifier or sensitive stays
    what it is, whether or not the search finds it.

    Args:
        table: The opened table.
        policy: The policy.
        host: The plugins.
        progress: Hears of finished steps.
        known: What recognizers said of the columns; None asks them.

    Returns:
        The proposals; a fault, or a search without an answer, is among its blocks.

    Raises:
        KeyboardInterrupt: When Ctrl-C comes during the search.

    Example:
        >>> import pandas as pd, qidguard
        >>> rules = {
        ...     "qidguard": 1,
        ...     "name": "p",
        ...     "preset": "pdpc-sg-5",
        ...     "roles": {"quasi_identifiers": "auto"},
        ... }
        >>> with qidguard.audit(pd.DataFrame({"sex": ["f", "m"]}), policy=rules) as found:
        ...     [column.assignment.role.value for column in found.report.columns]
        ['quasi_identifier']
    """
    known = recognize(table, host) if known is None else known
    settings = asks_for_search(policy)
    if settings is None:
        return known
    attributes = _attribute_columns(policy)
    without = left_out(
        table.columns, known, policy=policy, attributes=attributes.words, decided=policy.decided_columns
    )
    columns = tuple(facts for facts in table.columns if facts.name not in without)
    if not columns:
        return known
    task = DiscoveryTask(
        strategy=settings.strategy,
        objective=settings.objective,
        parameters=settings.parameters,
        seed=settings.seed,
        budget_seconds=settings.budget_seconds,
        largest=settings.largest,
        prefer_known=settings.prefer_known,
        target=attributes.target,
        treatment=attributes.treatment,
        sensitive=attributes.sensitive,
        progress=progress,
        host=host,
    )
    best = dict(known.proposals)
    blocks = list(known.blocks)
    asked = searchers(host, settings.strategy)
    if not asked:  # not everybody who asks has checked before: a verdict must not rest on names alone
        sentence = "No loaded recognizer can search, which the policy's discovery section asks for."
        blocks.append(Block(rule=RULE, sentence=sentence, is_internal=True))
    for recognizer in asked:
        owner = f"{host.owner('recognizers', recognizer.name)}: recognizer {recognizer.name!r}"
        proposed = _asked(recognizer, owner, table, columns, task)
        if isinstance(proposed, Block):
            blocks.append(proposed)
            continue
        for proposal in proposed:
            column = proposal.assignment.column
            if column not in best or best[column].assignment.role in _MAY_BECOME_A_QID:
                best[column] = proposal
    return replace(known, proposals=best, blocks=tuple(blocks))


def _asked(
    recognizer: Any, owner: str, table: Table, columns: Sequence[ColumnFacts], task: DiscoveryTask
) -> list[RoleProposal] | Block:
    """Return what one recognizer found, or the block that its failure is."""
    names = {facts.name for facts in columns}
    try:
        with PluginCode(owner, ""):
            given: list[object] = list(recognizer.propose_from(table, columns, task))
        proposals = only_proposals(given, owner)
        if all(
            p.assignment.column in names and p.assignment.role is Role.QUASI_IDENTIFIER for p in proposals
        ):
            return proposals
        fault = (
            "proposed something else than quasi-identifiers among the columns it was given; mend the plugin"
        )
    except NotMeasurable as reason:
        return Block(rule=RULE, sentence=f"No quasi-identifiers could be found by search: {reason}.")
    except QidguardError as error:
        if str(error).startswith(owner):
            return Block(rule="plugins", sentence=f"{error}.", is_internal=True)
        is_ours = not isinstance(error, UserError)
        return Block(
            rule=RULE, sentence=f"The search for quasi-identifiers failed: {error}.", is_internal=is_ours
        )
    return Block(rule="plugins", sentence=f"{owner} {fault}.", is_internal=True)


def _attribute_columns(policy: "Policy") -> AttributeColumns:
    roles = policy.roles
    return AttributeColumns(target=roles.target, treatment=roles.treatment, sensitive=tuple(roles.sensitive))
