"""Whether an answer is true: what lets something through must stand in the ledger, by this very task."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from qidguard.interfaces.airflow.verdicts import Judged
    from qidguard.ledger import Ledger
    from qidguard.releasing.context import RunOptions

_VERDICTS = {"audited", "checked"}


def check_answer(
    judged: "Judged", options: "RunOptions", *, kind: str, data_set: str | None, release_id: str | None
) -> None:
    """Hold an answer against the ledger.

    The file of an answer lies where whoever has Airflow's account can write; the ledger is a verified chain.

    Args:
        judged: What the answer says.
        options: Where the ledger is, and which task asks.
        kind: What the work was.
        data_set: The data set that was asked for; None for any.
        release_id: The release that was asked for; None for none.

    Raises:
        UserError: Where the ledger does not say the same.
    """
    from qidguard.evidence.home import Home
    from qidguard.releasing.opening import opened_ledger

    if judged.audit_id is None:
        if judged.is_passed:
            raise _doubted(judged)
        return
    with opened_ledger(Home.at(options["home"]), options["ledger"], datetime.now(UTC)) as ledger:
        is_so = _is_recorded(ledger, judged, options["origin"]) and (
            kind != "release" or not judged.is_passed or _is_out(ledger, judged, release_id)
        )
    is_asked_for = data_set in {None, judged.data_set} and release_id in {None, judged.release_id}
    if not is_so or not is_asked_for:
        raise _doubted(judged)


def _is_recorded(ledger: "Ledger", judged: "Judged", origin: Mapping[str, str]) -> bool:
    """Whether the ledger has this verdict by this try, or the release that an earlier one made."""
    entry = ledger.entry(judged.audit_id or "")
    if entry is None or entry.kind not in _VERDICTS or entry.data_set != judged.data_set:
        return False
    said = entry.payload
    if said["outcome"] != judged.outcome or said["release_id"] != judged.release_id:
        return False
    by = said["by"]
    is_own = isinstance(by, Mapping) and all(by.get(part) == value for part, value in origin.items())
    return is_own or (judged.is_passed and judged.address is not None and entry.kind == "audited")


def _is_out(ledger: "Ledger", judged: "Judged", release_id: str | None) -> bool:
    """Whether the ledger says that this release was published there, and not that it was withdrawn."""
    from qidguard.ledger import read
    from qidguard.ledger.payloads import Released, Withdrawn

    entries = list(ledger.entries(data_set=judged.data_set, kinds={"released", "withdrawn"}))
    released = [read(entry, Released).payload for entry in entries if entry.kind == "released"]
    withdrawn = {read(entry, Withdrawn).payload.audit_id for entry in entries if entry.kind == "withdrawn"}
    return any(
        (made.audit_id, made.release_id, made.address) == (judged.audit_id, release_id, judged.address)
        for made in released
        if made.audit_id not in withdrawn
    )


def _doubted(judged: "Judged") -> UserError:
    return UserError(
        f"The answer of the work says {judged.outcome!r} of {judged.data_set!r}, and the ledger has no such"
        " verdict of this task, so nothing is let through; clear the task to have it judged again, and ask"
        " who can write where answers lie."
    )
