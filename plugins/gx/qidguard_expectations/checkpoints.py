"""A policy added to a data context in Python, where no files are wanted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from great_expectations import Checkpoint, ExpectationSuite, ValidationDefinition
from great_expectations.checkpoint.actions import ValidationAction
from great_expectations.exceptions import DataContextError
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from qidguard.sdk import UserError, visible
from qidguard_expectations.actions import (
    PrivacyAction,
    RecordInLedgerAction,
    RequirePrivacyVerdictAction,
)
from qidguard_expectations.expectations.policy import ExpectTableToMeetPrivacyPolicy
from qidguard_expectations.verdicts import left_out
from qidguard_suites.export import export_policy
from qidguard_suites.project import Project
from qidguard_suites.suite import MARK, WRITTEN, written_digest

if TYPE_CHECKING:
    from qidguard.sdk import Policy
    from qidguard_suites.export import Export


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

    Expectations, actions, validation definitions and settings that users added or changed stay as they are.

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
        UserError: When a metric does not exist, or what is there under that name comes from no policy, judges
            another batch, or holds what nobody imported.

    NULL, an empty batch and a single class are judged as ``qidguard.audit`` judges them.
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
    there = _There.of(context, export.name)
    there.check(batch_definition)
    before = None if there.suite is None else data_set_before(there.suite)
    definition = context.validation_definitions.add_or_update(
        ValidationDefinition(name=export.name, data=batch_definition, suite=_suite(export, there))
    )
    ours, *others = export.checkpoint["actions"]
    if there.checkpoint is None:
        made = Checkpoint(name=export.name, validation_definitions=[definition], actions=[ours, *others])
        return context.checkpoints.add(made)
    checkpoint = context.checkpoints.get(export.name)  # with the suite as it is now
    more = [one for one in checkpoint.validation_definitions if one.name != export.name]
    checkpoint.validation_definitions = [definition, *more]
    checkpoint.actions = merge_actions(checkpoint.actions, ours, data_set=before)
    checkpoint.save()
    return checkpoint


def _suite(export: "Export", there: "_There") -> Any:
    if there.suite is not None:
        merge_suite(there.suite, export.suite)
        return there.suite
    fields = {key: value for key, value in export.suite.items() if key != "id"}
    fields["expectations"] = [
        {key: value for key, value in expectation.items() if key != "id"}
        for expectation in fields["expectations"]
    ]
    return ExpectationSuite(**fields)


@dataclass(frozen=True, kw_only=True)
class _There:
    """What a context has under a name, each None where there is none."""

    name: str
    suite: Any
    definition: Any
    checkpoint: Any

    @classmethod
    def of(cls, context: Any, name: str) -> "_There":
        """Return what is there; UserError where it cannot be loaded."""
        unknown = left_out(context, name)
        if unknown:
            raise UserError(
                f"The suite {name!r} of the context holds {', '.join(unknown)}, which would be lost, since"
                " nobody imported what defines it; import that first"
            )
        return cls(
            name=name,
            suite=_existing(context.suites, "suite", name),
            definition=_existing(context.validation_definitions, "validation definition", name),
            checkpoint=_existing(context.checkpoints, "checkpoint", name),
        )

    def check(self, batch_definition: Any) -> None:
        """Refuse to overwrite what somebody made under this name."""
        suite, definition, checkpoint = self.suite, self.definition, self.checkpoint
        others = (
            ("suite", suite is not None and MARK not in suite.meta),
            ("validation definition", definition is not None and definition.suite.name != self.name),
            (
                "checkpoint",
                checkpoint is not None
                and not any(isinstance(action, PrivacyAction) for action in checkpoint.actions),
            ),
        )
        for what, is_others in others:
            if is_others:
                raise UserError(
                    f"The context has a {what} {self.name!r} that comes from no policy, and it is not"
                    " overwritten; give another name"
                )
        if definition is not None and _place(definition.data) != _place(batch_definition):
            raise UserError(
                f"The checkpoint {self.name!r} of the context judges {_place(definition.data)}, which nobody"
                f" would judge any longer; give another name for {_place(batch_definition)}, or delete the"
                f" validation definition {self.name!r} first"
            )


def _place(batch_definition: Any) -> str:
    asset = batch_definition.data_asset
    return "/".join(visible(str(name)) for name in (asset.datasource.name, asset.name, batch_definition.name))


def _existing(factory: Any, what: str, name: str) -> Any:
    try:
        return factory.get(name)
    except DataContextError:  # there is none
        return None
    except Exception as error:  # noqa: BLE001 - whatever was not imported, or no longer fits
        raise UserError(
            f"The {what} {name!r} of the context cannot be loaded ({type(error).__name__}); import what its"
            " expectations and actions are defined in, or delete it"
        ) from None


Document = Mapping[str, Any]


def merge_suite(suite: Any, document: Document) -> None:
    """Bring a suite up to date that came from a policy.

    What an earlier policy wrote goes. What was added or changed since then stays, and stands beside the new.
    """
    said = _description(suite)
    expectations = list(_merged(suite.expectations, document["expectations"]))
    suite.expectations = expectations
    suite.meta = {**suite.meta, **document["meta"]}
    if suite.notes in (None, "", said):
        suite.notes = document["notes"]


def merge_actions(given: Sequence[Any], wanted: Document, *, data_set: str | None) -> list[Any]:
    """Return a checkpoint's actions, with that of ours brought up to date.

    Args:
        given: The actions it has.
        wanted: Ours, as an export writes it.
        data_set: What the policy called the data set before.
    """
    kind = _KINDS[wanted["type"]]
    merged: list[Any] = []
    for action in given:
        if not isinstance(action, PrivacyAction):
            merged.append(action)
        elif isinstance(action, kind) or action.name not in _NAMES:
            merged.append(_up_to_date(action, wanted, data_set))
    if not any(isinstance(action, kind) for action in merged):
        merged.insert(0, kind(**wanted))
    return merged


def data_set_before(suite: Any) -> str | None:
    """Return what the policy in a suite calls its data set."""
    release = _whole(suite).get("release")
    name = release.get("data_set") if isinstance(release, Mapping) else None
    return None if name is None else str(name)


_KINDS: Mapping[str, type[ValidationAction]] = {
    "record_in_ledger": RecordInLedgerAction,
    "require_privacy_verdict": RequirePrivacyVerdictAction,
}
_NAMES = frozenset(name.replace("_", " ") for name in _KINDS)
"""What an export calls its action; others of these kinds were added by somebody."""


def _merged(given: Sequence[Any], wanted: Sequence[Document]) -> Iterator[Any]:
    left = list(given)
    for document in wanted:
        same = next((one for one in left if _says(one, document)), None)
        if same is None:
            yield ExpectationConfiguration(**{k: v for k, v in document.items() if k != "id"}).to_domain_obj()
            continue
        left = [one for one in left if one is not same]
        if _mark(same) or isinstance(same, ExpectTableToMeetPrivacyPolicy):
            same.meta = {**(same.meta or {}), **document["meta"]}
        yield same
    yield from (one for one in left if not _is_as_written(one))


def _says(expectation: Any, document: Document) -> bool:
    stated = expectation.configuration
    return bool(stated.type == document["type"] and dict(stated.kwargs) == dict(document["kwargs"]))


def _is_as_written(expectation: Any) -> bool:
    """Return whether an expectation is one that an earlier policy wrote, and nobody changed it since."""
    mark = _mark(expectation)
    if isinstance(expectation, ExpectTableToMeetPrivacyPolicy):
        return bool(mark)  # the verdict of a policy that is no longer the one approved
    stated = expectation.configuration
    return bool(mark) and mark.get(WRITTEN) == written_digest(stated.type, stated.kwargs)


def _mark(expectation: Any) -> Mapping[str, Any]:
    mark = (expectation.meta or {}).get(MARK)
    return mark if isinstance(mark, Mapping) else {}


def _whole(suite: Any) -> Mapping[str, Any]:
    """Return the policy whose verdict a suite holds."""
    wholes = (one for one in suite.expectations if isinstance(one, ExpectTableToMeetPrivacyPolicy))
    policy: Mapping[str, Any] = next((one.policy for one in wholes if _mark(one)), {})
    return policy


def _description(suite: Any) -> Any:
    return _whole(suite).get("description")


def _up_to_date(action: Any, wanted: Document, data_set: str | None) -> Any:
    if action.policy_sha256 is None:
        return action
    changes = {name: value for name, value in wanted.items() if name.endswith("_sha256")}
    if "data_set" in wanted and action.data_set == data_set:
        changes["data_set"] = wanted["data_set"]
    return action.copy(update=changes)
