"""Recognition by search: what a policy with a ``discovery`` section adds to what names say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.candidates import left_out
from qidguard.auditing.roles import Recognition, recognise
from qidguard.auditing.weighing import Beside, weigh
from qidguard.core.column import ColumnFacts
from qidguard.core.discovery_task import DiscoveryTask
from qidguard.core.errors import NotMeasurable, PluginError, QidguardError, UserError
from qidguard.core.parameter import bind
from qidguard.core.progress import SILENT, Progress
from qidguard.core.recogniser import RoleProposal
from qidguard.core.role import Role
from qidguard.core.verdict import Block
from qidguard.engines.base import Table

if TYPE_CHECKING:
    from qidguard.core.policy import DiscoverySettings, Policy
    from qidguard.host import Host

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
        >>> from qidguard.core.policy import load_policy
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
    if not searchers(host):
        lack = "no installed recogniser can search, which the policy's discovery section asks for"
        if host.failures or host.skipped:
            why = "; ".join(f.sentence for f in host.failures) or (
                f"QIDGUARD_PLUGINS leaves out {', '.join(host.skipped)}"
            )
            raise PluginError(f"{lack}, and not all plugins are loaded: {why}")
        raise policy.error(
            f"{lack}; install a plugin that offers one (the README names ours), or remove the section", RULE
        )
    try:
        if settings.strategy is not None:
            bind(host.search_strategy(settings.strategy).parameters, settings.parameters)
    except UserError as error:
        raise policy.error(f"discovery.strategy: {error}", RULE, "strategy") from None
    try:
        weigh(settings.objective, host, beside=_beside(policy))
    except UserError as error:
        raise policy.error(f"discovery.objective: {error}", RULE, "objective") from None


def searchers(host: "Host") -> list[Any]:
    """Return the recognisers that can search."""
    return [r for r in host.recognisers.values() if callable(getattr(r, "propose_from", None))]


def recognise_table(table: Table, policy: "Policy", host: "Host", progress: Progress = SILENT) -> Recognition:
    """Ask every recogniser about the columns and, where the policy says so, those that search.

    A search only adds: a column that a name makes a quasi-identifier, a direct identifier or sensitive stays
    what it is, whether or not the search finds it.

    Args:
        table: The opened table.
        policy: The policy.
        host: The plugins.
        progress: Hears of finished steps.

    Returns:
        The proposals; a fault, or a search without an answer, is among its blocks.

    Units:
        None.

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
    known = recognise(table.columns, host)
    settings = asks_for_search(policy)
    if settings is None:
        return known
    beside = _beside(policy)
    without = left_out(
        table.columns, known, policy=policy, beside=beside.words, decided=policy.decided_columns
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
        target=beside.target,
        treatment=beside.treatment,
        sensitive=beside.sensitive,
        progress=progress,
        host=host,
    )
    best = dict(known.proposals)
    blocks = list(known.blocks)
    asked = searchers(host)
    if not asked:  # not everybody who asks has checked before: a verdict must not rest on names alone
        sentence = "No loaded recogniser can search, which the policy's discovery section asks for."
        blocks.append(Block(rule=RULE, sentence=sentence, is_internal=True))
    for recogniser in asked:
        owner = f"{host.owner('recognisers', recogniser.name)}: recogniser {recogniser.name!r}"
        found = _asked(recogniser, owner, table, columns, task)
        if isinstance(found, Block):
            blocks.append(found)
            continue
        for proposal in found:
            column = proposal.assignment.column
            if column not in best or best[column].assignment.role in _MAY_BECOME_A_QID:
                best[column] = proposal
    return replace(known, proposals=best, blocks=tuple(blocks))


def _asked(
    recogniser: Any, owner: str, table: Table, columns: Sequence[ColumnFacts], task: DiscoveryTask
) -> list[RoleProposal] | Block:
    """Return what one recogniser found, or the block that its failure is."""
    names = {facts.name for facts in columns}
    try:
        found = list(recogniser.propose_from(table, columns, task))
        if all(p.assignment.column in names and p.assignment.role is Role.QUASI_IDENTIFIER for p in found):
            return found
        fault = (
            "proposed something else than quasi-identifiers among the columns it was given; mend the plugin"
        )
    except NotMeasurable as reason:
        return Block(rule=RULE, sentence=f"No quasi-identifiers could be found by search: {reason}.")
    except QidguardError as error:
        is_ours = not isinstance(error, UserError)
        return Block(
            rule=RULE, sentence=f"The search for quasi-identifiers failed: {error}.", is_internal=is_ours
        )
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything, even an exit with 0
        fault = f"failed with {type(error).__name__}"
    return Block(rule="plugins", sentence=f"{owner} {fault}.", is_internal=True)


def _beside(policy: "Policy") -> Beside:
    roles = policy.roles
    return Beside(target=roles.target, treatment=roles.treatment, sensitive=tuple(roles.sensitive))
