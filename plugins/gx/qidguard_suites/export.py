"""A policy as what a Great Expectations project keeps: a suite, a validation definition and a checkpoint."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.host import load_host
from qidguard_suites.files import Document, write_files
from qidguard_suites.project import Named, Project, WantedNames
from qidguard_suites.suite import MARK, stable_id, suite_of
from qidguard.policy import load_policy

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard_suites.project import Data
    from qidguard.policy import Policy

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
    host: "Host | None" = None,
) -> Export:
    """Return a policy as documents of a project; nothing is written and no table is read."""
    rules = load_policy(policy)
    called = suite_name(rules, name)
    suite = suite_of(rules, called, host or load_host(), has_history=has_history, has_original=has_original)
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
    """Write the documents as files of the project; see ``write_files``."""
    return write_files(project.folder, export.files, is_forced=is_forced)


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
            "asset": _bundle(data.asset),
            "batch_definition": _bundle(data.batch_definition),
            "datasource": _bundle(data.data_source),
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


def _bundle(named: Named) -> Document:
    return {"id": named.id, "name": named.name}
