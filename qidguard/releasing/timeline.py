"""The history of data sets as a list of events, one for each audit and each decision of a person."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import ExitCode

if TYPE_CHECKING:
    from qidguard.ledger import Entry

_FAILED = {int(ExitCode.BLOCKED): "blocked"}
"""What a run that ended before a verdict is called: one over its privacy budget was blocked."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One line of the history.

    Args:
        at: The moment, UTC.
        data_set: The data set.
        what: ``published``, ``published by exception``, ``not published``, ``blocked``, ``failed``,
            ``cut off``, ``unfinished``, ``audit passed``, ``audit blocked``, ``exception``,
            ``revoked``, ``withdrawn`` or ``spent``.
        id: The id to ask ``qidguard show`` for.
        detail: The release, the reason or the sum, in one line.
    """

    at: str
    data_set: str
    what: str
    id: str
    detail: str


def events(entries: Sequence["Entry"]) -> list[Event]:
    """Return the events that entries tell, in their order.

    Args:
        entries: Entries of the ledger in the order of their sequence.

    Returns:
        One event for each audit, failure, exception, revocation and spending.

    Units:
        Moments in UTC.

    Raises:
        KeyError: When an entry lacks what its kind always says.

    Example:
        >>> events([])
        []
    """
    by_audit: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        if entry.kind in {"releasing", "released", "abandoned"}:
            by_audit.setdefault(str(entry.payload["audit_id"]), {})[entry.kind] = entry
    tellers: dict[str, Callable[[Entry], tuple[str, str, str]]] = {
        "audited": lambda e: _audited(e, by_audit.get(e.id, {})),
        "checked": _checked,
        "failed": lambda e: (_FAILED.get(e.payload["exit_code"], "failed"), e.id, str(e.payload["error"])),
        "exception": lambda e: ("exception", e.id, _exception(e.payload)),
        "revoked": lambda e: ("revoked", e.id, f"{e.payload['exception_id']}: {e.payload['reason']}"),
        "withdrawn": lambda e: ("withdrawn", e.id, f"{e.payload['release_id']}: {e.payload['reason']}"),
        "spent": lambda e: ("spent", e.id, _spent(e.payload)),
    }
    found = []
    for entry in entries:
        if entry.kind in tellers:
            what, entry_id, detail = tellers[entry.kind](entry)
            moment = entry.at.strftime("%Y-%m-%d %H:%M:%S")
            found.append(Event(at=moment, data_set=entry.data_set, what=what, id=entry_id, detail=detail))
    return found


def _audited(entry: "Entry", after: dict[str, "Entry"]) -> tuple[str, str, str]:
    said = entry.payload
    if said["outcome"] == "blocked":
        reasons = [*said["blocks"], *said["missed"]]
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        return "blocked", entry.id, f"{reasons[0] if reasons else 'no threshold'}{more}"
    release_id = str(said["release_id"])
    if "released" in after:
        if said["outcome"] == "passed_by_exception":
            names = ", ".join(exception["id"] for exception in said["exceptions"])
            return "published by exception", entry.id, f"{release_id} ({names})"
        return "published", entry.id, release_id
    if "abandoned" in after:
        return "cut off", entry.id, f"{release_id}: {after['abandoned'].payload['reason']}"
    if "releasing" in after:
        return "unfinished", entry.id, f"{release_id}: the next run will confirm or abandon it"
    return "not published", entry.id, f"{release_id}: it passed, and was not published"


def _checked(entry: "Entry") -> tuple[str, str, str]:
    said = entry.payload
    of = f"{said['release_id']}: " if said["release_id"] else ""
    if said["outcome"] == "passed":
        return "audit passed", entry.id, f"{of}{len(said['figures'])} thresholds hold"
    reasons = [*said["blocks"], *said["missed"]]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return "audit blocked", entry.id, f"{of}{reasons[0] if reasons else 'no threshold'}{more}"


def _exception(said: Any) -> str:
    return (
        f"by {said['by']} until {said['expires']}, covers {'; '.join(said['thresholds'])}: {said['reason']}"
    )


def _spent(said: Any) -> str:
    of = f" of {said['population']}" if said["population"] else ""
    rho = f", ρ = {said['rho']}" if said["rho"] != "0" else ""
    return f"ε = {said['epsilon']}, δ = {said['delta']}{rho}{of} by {said['anonymiser']}"
