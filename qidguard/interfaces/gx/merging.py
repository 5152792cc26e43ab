"""A policy brought up to date where it was added before: what users added beside it stays."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from great_expectations.checkpoint.actions import ValidationAction
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from qidguard.interfaces.gx.action import PrivacyAction, RecordInLedgerAction, RequirePrivacyVerdictAction
from qidguard.interfaces.gx.expectations.policy import ExpectTableToMeetPrivacyPolicy
from qidguard.interfaces.suite.suite import MARK, WRITTEN, written_digest

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
