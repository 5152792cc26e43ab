"""A checkpoint whose policy was not judged fails loudly, whatever the library left out of its suite."""

import json
from pathlib import Path
from typing import Any

import pytest

from audited import TABLE, policy
from gx_project import exported, new_context, opened, run
from qidguard.core.errors import UserError
from qidguard.ledger import open_ledger

pytestmark = pytest.mark.gx

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
PASSWORD = "hunter2-never-shown"  # noqa: S105 - a made-up one, which no text may show
BAD = TABLE.assign(age=[30, 30, 31, 41, 41, 41], illness=[*["flu"] * 5, SECRET])


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Return the home folder, in which the ledger is."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QIDGUARD_LEDGER", raising=False)
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path, home) -> Path:
    """Return the folder of a file project beside the home."""
    assert home.parent == tmp_path
    new_context(tmp_path / "project")
    return tmp_path / "project"


def entries(home: Path) -> list[Any]:
    """Return what the ledger holds."""
    with open_ledger(str(home / "ledger.db")) as ledger:
        return list(ledger.entries())


def test_a_suite_whose_classes_were_not_imported_never_passes(folder, home, monkeypatch):
    """The library leaves out what it does not know, and what is left passes; the checkpoint raises then."""
    from great_expectations.expectations import registry

    exported(folder, policy())
    known = {name: one for name, one in registry._registered_expectations.items() if "privacy" not in name}
    monkeypatch.setattr(registry, "_registered_expectations", known)
    with pytest.raises(UserError, match="run without the verdict of its policy; import"):
        run(opened(folder), "p", TABLE)
    assert [entry.payload["outcome"] for entry in entries(home)] == ["blocked"]


def test_a_checkpoint_that_records_nothing_needs_the_verdict_too(folder, monkeypatch):
    """Without a ledger the action that asks for the verdict raises."""
    from great_expectations.expectations import registry

    exported(folder, policy(), is_recorded=False)
    assert run(opened(folder), "p", TABLE).success is True
    known = {
        name: one for name, one in registry._registered_expectations.items() if "expect_table_" not in name
    }
    monkeypatch.setattr(registry, "_registered_expectations", known)
    with pytest.raises(UserError, match="run without the verdict of its policy"):
        run(opened(folder), "p", TABLE)


def test_a_checkpoint_without_our_import_cannot_be_loaded(folder, monkeypatch):
    """An action that nobody imported is an error of the library, recorded or not."""
    from great_expectations.checkpoint import checkpoint

    monkeypatch.setattr(checkpoint._VALIDATION_ACTION_REGISTRY, "_registered_actions", {})
    for is_recorded in (True, False):
        name = f"recorded-{is_recorded}"
        exported(folder, policy(), name=name, is_recorded=is_recorded)
        with pytest.raises(Exception, match=r"record_in_ledger|require_privacy_verdict|validation action"):
            opened(folder).checkpoints.get(name)


def test_another_policys_verdict_is_not_enough(folder, home):
    """The checkpoint asks for the verdict of the policy it was exported with, by its digest."""
    exported(folder, policy())
    checkpoint = folder / "gx" / "checkpoints" / "p.json"
    before = checkpoint.read_text(encoding="utf-8")
    stricter = policy(thresholds=[{"metric": "k_anonymity", "at_least": 2}])
    exported(folder, stricter, name="other")
    suite = json.loads((folder / "gx" / "expectations" / "other.json").read_text(encoding="utf-8"))
    suite |= {"name": "p", "id": json.loads((folder / "gx" / "expectations" / "p.json").read_text())["id"]}
    (folder / "gx" / "expectations" / "p.json").write_text(json.dumps(suite), encoding="utf-8")
    assert before == checkpoint.read_text(encoding="utf-8")
    with pytest.raises(UserError, match="without the verdict of its policy"):
        run(opened(folder), "p", TABLE)
    assert [entry.payload["outcome"] for entry in entries(home)] == ["blocked"]
