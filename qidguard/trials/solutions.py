"""Weigh every solution of an anonymizer on a table under a policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from qidguard.anonymizing.choosing import Chooser, SolutionChoice, WeighedSolutions
from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.anonymizing.new_table import NewTable
from qidguard.anonymizing.run import UnreachableError, answer_of
from qidguard.anonymizing.solutions import Solution, Solutions
from qidguard.auditing.remedy import Remedy, chosen_remedy
from qidguard.core.errors import NotMeasurable, UserError, refused
from qidguard.core.parameter import Arguments
from qidguard.core.progress import SILENT, Progress
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.trials.context import TrialContext, seed_of
from qidguard.trials.stages import audit_copy, irremediable
from qidguard.trials.task import main_combination, task_of

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host
    from qidguard.plot.plot import Plot
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class WeighedMethod:
    """The solutions of one anonymizer on a table, measured in memory; it holds no value of the table.

    Args:
        source: The table's name.
        policy: The policy's name.
        records: Records of the table.
        anonymizer: The anonymizer's name.
        arguments: All its arguments.
        seconds: How long it took for all solutions, s.
        choice: The solutions with their figures, the front, its knee and the chosen one.
        seed: The seed; it is not to be published.
        own_plots: What the anonymizer drew of them.
    """

    source: str
    policy: str
    records: int
    anonymizer: str
    arguments: Arguments
    seconds: float
    choice: WeighedSolutions
    seed: int = field(repr=False)
    own_plots: "tuple[Plot, ...]" = field(default=(), repr=False)

    @classmethod
    def weigh(  # noqa: PLR0913 - one argument for each thing that a caller may say
        cls,
        source: Any,
        policy: "Policy | str | PathLike[str] | dict[str, Any]",
        *,
        anonymizer: str | None = None,
        parameters: Mapping[str, object] | None = None,
        choose: "str | Mapping[str, object] | None" = None,
        seed: int | None = None,
        read: "ReadOptions | None" = None,
        settings: "EngineSettings | None" = None,
        host: "Host | None" = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Return the solutions of an anonymizer with their figures, what no other beats, and the knee.

        Each solution is measured in memory, by the arithmetic of an audit: its loss, the risk that is left,
        and the limits of the policy that need no more than the table. Nothing is written, and none of them is
        audited: what the policy says in full only ``anonymize`` and a release find out.

        Args:
            source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
            policy: A policy, its path, or a mapping with the same fields.
            anonymizer: Its name, parameters in brackets; None takes the policy's remedy.
            parameters: Parameters that are not in the brackets.
            choose: As of ``anonymize``; None takes the policy's way, else ``"cheapest"``.
            seed: Seeds whatever is random; None draws one.
            read: How the source is read; None takes what the policy says.
            settings: Memory limit, threads and spill directory; None takes what the policy says.
            host: The plugins to use; None takes the installed ones.
            progress: Hears of finished steps.

        Returns:
            All solutions; an anonymizer that has one only gives that.

        Units:
            Figures carry their own: records or entities, shares 0..1, ratios.

        Raises:
            DataError: When the source cannot be read without guessing.
            PolicyError: When the policy is not valid or does not fit the table.
            PluginError: When a plugin that is needed is broken or missing, or the method fails.
            UserError: When there is no such anonymizer, parameter or metric, the method cannot meet its task
                or draws noise, or something blocks the table that no method removes.

        NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. Of a table
        of a single class every solution has that class.

        Example:
            >>> import pandas as pd
            >>> from qidguard.sdk import WeighedMethod
            >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["age", "sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> found = WeighedMethod.weigh(table, policy, anonymizer="mondrian", seed=0)
            >>> [solution.label for solution in found.choice.solutions]
            ['mondrian']
        """
        rules = load_policy(policy)
        plugins = host or load_host()
        remedy = chosen_remedy(rules, plugins, anonymizer, parameters or {}, (), choose)
        if remedy.draws_noise:
            raise UserError(
                f"The method {remedy.anonymizer.name} draws noise, and what that spends of the privacy budget"
                " is kept in the ledger; it has no front to look at."
            )
        context = TrialContext.of(
            source, rules, plugins, read=read, settings=settings, progress=progress, seed=seed_of(seed)
        )
        with context.snapshot() as snapshot:
            audited = audit_copy(context, snapshot)
            verdict = audited.report.verdict
            if verdict is None or verdict.blocks:
                raise UserError("\n".join(irremediable(audited.report)))
            declared = DeclaredHierarchies.read(rules)
            task = replace(
                task_of(context, audited.report, declared.bound_to(audited.records)), wants_several=True
            )
            given, seconds = _solutions(context, remedy, audited.records, task)
            chooser = Chooser(
                choosing=remedy.choosing or SolutionChoice(rule="cheapest"),
                metrics=plugins,
                qids=main_combination(audited.report),
            )
            return cls(
                source=context.label,
                policy=rules.name,
                records=snapshot.records,
                anonymizer=remedy.anonymizer.name,
                arguments=remedy.arguments,
                seconds=seconds,
                choice=chooser.weigh(audited.records, task, remedy.anonymizer.name, given),
                seed=context.seed,
                own_plots=given.plots,
            )


def _solutions(context: TrialContext, remedy: Remedy, records: Any, task: Any) -> tuple[Solutions, float]:
    context.progress.step("remedy", 0, 1)
    method = remedy.anonymizer
    try:
        answer = answer_of(method, records, remedy.arguments, task, owner=remedy.owner)
    except NotMeasurable as reason:
        raise refused(method.name, reason) from None
    context.progress.step("remedy", 1, 1)
    if isinstance(answer.given, Solutions):
        return answer.given, answer.seconds
    if isinstance(answer.given, NewTable):
        raise UnreachableError(
            f"The remedy {method.name} answers with a new table, whose records are none of the source's, so"
            " it has no front of loss and risk to look at."
        )
    if not answer.given.kept.any():
        raise UnreachableError(
            f"The remedy {method.name} would suppress every record; coarsen the quasi-identifiers."
        )
    alone = Solution(label=method.name, anonymized=answer.given, figures={})
    return Solutions(solutions=(alone,), chosen=0, figures=()), answer.seconds
