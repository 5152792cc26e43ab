"""A policy added to a data context in Python, where no files are wanted."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from great_expectations import Checkpoint, ExpectationSuite, ValidationDefinition
from great_expectations.exceptions import DataContextError

from qidguard.core.errors import UserError
from qidguard.interfaces.gx.action import RecordInLedgerAction, RequirePrivacyVerdictAction
from qidguard.interfaces.gx.one_result import MARK
from qidguard.interfaces.suite.export import export_policy
from qidguard.interfaces.suite.project import Project

if TYPE_CHECKING:
    from qidguard.core.policy import Policy


def add_to_context(
    context: Any,
    policy: "Policy | str | PathLike[str] | Mapping[str, Any]",
    batch_definition: Any,
    *,
    name: str | None = None,
    is_recorded: bool = True,
    has_history: bool = True,
    has_original: bool = True,
) -> Any:
    """Add a policy to a data context as a suite and a checkpoint, or bring what was added up to date.

    Args:
        context: A data context.
        policy: A policy, its path, or a mapping with the same fields.
        batch_definition: The batch that the checkpoint judges.
        name: What suite and checkpoint are called; None takes the policy's name.
        is_recorded: Whether the checkpoint writes each verdict to the ledger.
        has_history: Whether thresholds over time stand in the verdict, which no batch can then pass; else
            they are left to the release, and the suite says so.
        has_original: The same for thresholds on what was lost against the original table.

    Returns:
        The checkpoint; ``run()`` judges.

    Units:
        Limits in their metric's unit, as the policy writes them.

    Raises:
        PolicyError: When the policy is not valid or a threshold does not fit its metric.
        PluginError: When a metric is missing and a plugin's fault may be why.
        UserError: When a metric does not exist, or what is there under that name comes from no policy.

    NULL, an empty batch and a single class are judged as ``qidguard.audit`` judges them.

    Example:
        >>> import inspect
        >>> list(inspect.signature(add_to_context).parameters)[:3]
        ['context', 'policy', 'batch_definition']
    """
    project = Project(folder=Path(), data_sources=None)
    export = export_policy(
        policy,
        project=project,
        name=name,
        is_recorded=is_recorded,
        has_history=has_history,
        has_original=has_original,
    )
    _check_ours(context, export.name)
    fields = {key: value for key, value in export.suite.items() if key != "id"}
    fields["expectations"] = [
        {key: value for key, value in one.items() if key != "id"} for one in fields["expectations"]
    ]
    suite = context.suites.add_or_update(ExpectationSuite(**fields))
    definition = context.validation_definitions.add_or_update(
        ValidationDefinition(name=export.name, data=batch_definition, suite=suite)
    )
    return context.checkpoints.add_or_update(
        Checkpoint(
            name=export.name,
            validation_definitions=[definition],
            actions=list(export.checkpoint["actions"]),
        )
    )


def _check_ours(context: Any, name: str) -> None:
    """Refuse to overwrite what somebody made under this name."""
    suite = _found(context.suites, name)
    definition = _found(context.validation_definitions, name)
    checkpoint = _found(context.checkpoints, name)
    kinds = (RecordInLedgerAction, RequirePrivacyVerdictAction)
    others = (
        ("suite", suite is not None and MARK not in suite.meta),
        ("validation definition", definition is not None and definition.suite.name != name),
        ("checkpoint", checkpoint is not None and not any(isinstance(a, kinds) for a in checkpoint.actions)),
    )
    for what, is_others in others:
        if is_others:
            raise UserError(
                f"The context has a {what} {name!r} that comes from no policy, and it is not overwritten; "
                "give another name"
            )


def _found(factory: Any, name: str) -> Any:
    try:
        return factory.get(name)
    except DataContextError:  # there is none
        return None
