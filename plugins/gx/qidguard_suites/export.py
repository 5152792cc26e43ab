"""A policy as what a Great Expectations project keeps: a suite, a validation definition and a checkpoint."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.sdk import UserError, load_policy, write_texts
from qidguard_suites.project import Project, WantedNames
from qidguard_suites.suite import MARK, Document, stable_id, suite_of

if TYPE_CHECKING:
    from qidguard.sdk import Policy
    from qidguard_suites.project import Data

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, kw_only=True)
class Export:
    """A policy for a project.

    Args:
        name: What suite, validation definition and checkpoint are called.
        suite: The suite.
        validation_definition: Which batch the suite judges.
        checkpoint: The checkpoint.
        notes: What a reader must know beside them, one sentence each.
    """

    name: str
    suite: Document
    validation_definition: Document
    checkpoint: Document
    notes: tuple[str, ...]

    @property
    def files(self) -> dict[str, Document]:
        """Path in the project's folder → document."""
        return {
            f"expectations/{self.name}.json": self.suite,
            f"validation_definitions/{self.name}.json": self.validation_definition,
            f"checkpoints/{self.name}.json": self.checkpoint,
        }


def export_policy(
    policy: "Policy | str | PathLike[str] | Mapping[str, Any]",
    *,
    project: Project,
    name: str | None = None,
    wanted: WantedNames | None = None,
    is_recorded: bool = True,
    has_history: bool = True,
    has_original: bool = True,
) -> Export:
    """Return a policy as documents of a project; nothing is written and no table is read."""
    rules = load_policy(policy)
    called = suite_name(rules, name)
    suite = suite_of(rules, called, has_history=has_history, has_original=has_original)
    data = project.find(wanted or WantedNames(), called)
    approved = suite.document["meta"][MARK]
    digests = {
        "approved_sha256": approved["sha256"],
        "policy_sha256": suite.document["expectations"][-1]["kwargs"]["policy_sha256"],
        "reviewed_sha256": approved.get("reviewed_sha256"),
    }
    return Export(
        name=called,
        suite=suite.document,
        validation_definition=_validation_definition(called, data),
        checkpoint=_checkpoint(called, _actions(rules, digests, is_recorded=is_recorded)),
        notes=suite.notes,
    )


def write_export(export: Export, project: Project, *, is_forced: bool = False) -> dict[str, bool]:
    """Write the documents as files of the project; see ``qidguard.sdk.write_texts``."""
    return write_texts(project.folder, texts_of(export, project), is_forced=is_forced)


def texts_of(export: Export, project: Project) -> dict[str, str]:
    """Return path in the project's folder → text; what says the same already stays as it stands there."""
    texts = {}
    for path, document in export.files.items():
        there = _text(project.folder / path)
        texts[path] = there if _says_the_same(there, document) else text_of(document)
    return texts


def text_of(document: Document) -> str:
    """Return a document as the stores of Great Expectations write it, to the byte."""
    return json.dumps(document, indent=2, sort_keys=True)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except (OSError, ValueError):
        return ""


def _says_the_same(text: str, document: Document) -> bool:
    try:
        return _agree(document, json.loads(text))
    except (ValueError, RecursionError):
        return False


def _agree(ours: Any, there: Any) -> bool:
    """Return whether two documents say the same; an id that we do not know may be any."""
    if isinstance(ours, Mapping) and isinstance(there, Mapping):
        is_named = {"id", "name"} == set(ours) == set(there) and ours["id"] is None
        return (is_named and ours["name"] == there["name"]) or (
            set(ours) == set(there) and all(_agree(ours[key], there[key]) for key in ours)
        )
    if isinstance(ours, list) and isinstance(there, list):
        return len(ours) == len(there) and all(map(_agree, ours, there))
    return type(ours) is type(there) and bool(ours == there)


def suite_name(policy: "Policy", given: str | None) -> str:
    """Return what suite and checkpoint are called; UserError for a name that cannot be a file's."""
    if given is None:
        made = re.sub(r"[^A-Za-z0-9_-]+", "-", policy.name).strip("-")[:100]
        return made if _NAME.fullmatch(made) else "privacy"
    if not _NAME.fullmatch(given):
        raise UserError(
            f"The name {given!r} must be of at most 100 letters, digits, '_' and '-', and not begin with '-';"
            " choose another with --name"
        )
    return given


def _actions(
    policy: "Policy", digests: Mapping[str, str | None], *, is_recorded: bool
) -> list[dict[str, Any]]:
    """Return what a checkpoint does after it has judged: it sees to the verdict, and builds the Data Docs.

    The first one is ours in any case: where its class was not imported, the checkpoint cannot be loaded. An
    expectation whose class was not imported is left out of its suite, which then passes.
    """
    ours: dict[str, Any] = {
        **digests,
        "name": "require privacy verdict",
        "type": "require_privacy_verdict",
    }
    if is_recorded:
        ours = {
            **digests,
            "data_set": policy.release.data_set,
            "home": None,
            "ledger": None,
            "name": "record in ledger",
            "type": "record_in_ledger",
        }
    return [ours, {"name": "update data docs", "site_names": [], "type": "update_data_docs"}]


def _validation_definition(name: str, data: "Data") -> Document:
    return {
        "data": {
            "asset": asdict(data.asset),
            "batch_definition": asdict(data.batch_definition),
            "datasource": asdict(data.data_source),
        },
        "id": stable_id("validation definition", name),
        "name": name,
        "suite": {"id": stable_id("suite", name), "name": name},
    }


def _checkpoint(name: str, done: list[dict[str, Any]]) -> Document:
    return {
        "actions": done,
        "id": stable_id("checkpoint", name),
        "name": name,
        "result_format": "SUMMARY",
        "validation_definitions": [{"id": stable_id("validation definition", name), "name": name}],
    }
