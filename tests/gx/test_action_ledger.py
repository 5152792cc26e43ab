"""A checkpoint whose verdict cannot be recorded fails loudly, and shows no secret of the ledger's address."""

import sqlite3
import traceback

import pytest

from audited import TABLE, policy
from gx_project import exported, opened, run
from qidguard.core.errors import QidguardError
from qidguard.ledger import open_ledger
from qidguard_expectations import RecordInLedgerAction

pytestmark = pytest.mark.gx

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
PASSWORD = "hunter2-never-shown"  # noqa: S105 - a made-up one, which no text may show
BAD = TABLE.assign(age=[30, 30, 31, 41, 41, 41], illness=[*["flu"] * 5, SECRET])


def test_a_ledger_that_cannot_be_written_fails_the_run(folder, home):
    """The run raises, although every expectation passed: a verdict without a trace counts for nothing."""
    exported(folder, policy())
    run(opened(folder), "p", TABLE)
    with sqlite3.connect(home / "ledger.db") as database:
        database.execute("DROP TABLE chain_head")
    database.close()
    with pytest.raises(QidguardError):
        run(opened(folder), "p", TABLE)


def test_a_ledger_that_cannot_be_reached_fails_the_run_without_its_secret(folder, monkeypatch):
    """An address out of the environment is used, and no part of its user, password or query is shown."""
    monkeypatch.setenv("QIDGUARD_LEDGER", f"postgresql://officer:{PASSWORD}@127.0.0.1:1/evidence")
    exported(folder, policy())
    with pytest.raises(QidguardError) as raised:
        run(opened(folder), "p", TABLE)
    assert PASSWORD not in str(raised.value)
    assert PASSWORD not in "".join(traceback.format_exception(raised.value))


def test_any_other_error_is_told_by_its_kind_alone(folder, monkeypatch):
    """What a library says may hold a password."""
    exported(folder, policy())

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(PASSWORD)

    monkeypatch.setattr("qidguard_expectations.actions.record_verdicts", broken)
    with pytest.raises(QidguardError, match=r"could not be written to the ledger \(RuntimeError\)") as raised:
        run(opened(folder), "p", TABLE)
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://officer:{PASSWORD}@server/evidence",
        f"postgresql://server/evidence?password={PASSWORD}",
        f"postgresql://officer:{PASSWORD}@[server/evidence",
    ],
)
def test_an_address_with_a_password_is_refused(address):
    """A checkpoint's file holds its actions, so the address has to be a variable; the refusal shows none."""
    with pytest.raises(ValueError, match="write \\$\\{NAME\\}") as raised:
        RecordInLedgerAction(name="record", ledger=address)
    assert PASSWORD not in str(raised.value)


def test_an_address_comes_from_a_variable(folder, tmp_path, monkeypatch):
    """``${NAME}`` stands in the file, its value nowhere."""
    monkeypatch.setenv("EVIDENCE", f"sqlite:///{tmp_path}/elsewhere-{PASSWORD}.db")
    exported(folder, policy())
    found = opened(folder)
    checkpoint = found.checkpoints.get("p")
    said = checkpoint.actions[0].dict() | {"ledger": "${EVIDENCE}", "data_set": "own"}
    checkpoint.actions[0] = RecordInLedgerAction(**said)
    checkpoint.save()
    stored = (folder / "gx" / "checkpoints" / "p.json").read_text(encoding="utf-8")
    loaded = opened(folder).checkpoints.get("p")
    assert ("${EVIDENCE}" in stored, PASSWORD in stored) == (True, False)
    assert PASSWORD not in repr(loaded)
    loaded.run(batch_parameters={"dataframe": TABLE})
    with open_ledger(f"{tmp_path}/elsewhere-{PASSWORD}.db") as ledger:
        assert len(list(ledger.entries())) == 1
