"""The answer of work that went on by itself, as a file: a verdict or a failure, read strictly."""

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from qidguard import UserError
from qidguard_provider.verdicts import BLOCKED, BY_EXCEPTION, PASSED, Failure, Judged

if TYPE_CHECKING:
    from qidguard.sdk import RunOptions


FORMAT = "qidguard-deferred-answer/1"

_TEXT = (str, type(None))
_TYPES: dict[str, tuple[type, ...]] = {
    "data_set": (str,),
    "outcome": (str,),
    **dict.fromkeys(("policy", "audit_id", "release_id", "address", "source"), _TEXT),
    **dict.fromkeys(("sentences", "missed_metrics", "notes", "advice"), (list,)),
    **dict.fromkeys(("is_coverable", "is_remediable", "is_fault"), (bool,)),
}


def written(answer: Judged | Failure) -> bytes:
    """Return an answer as bytes; the report stays where it was made.

    Example:
        >>> read(written(Failure(sentence="It is gone.")))
        Failure(sentence='It is gone.', is_final=False)
    """
    said: dict[str, Any] = {"format": FORMAT}
    if isinstance(answer, Failure):
        said["failure"] = {"sentence": answer.sentence, "is_final": answer.is_final}
    else:
        said["judged"] = {name: getattr(answer, name) for name in _TYPES}
    return json.dumps(said).encode()


def read(content: bytes) -> Judged | Failure | None:
    """Return an answer; None for what is none, as a whole and in every part."""
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.pop("format", None) != FORMAT or len(said) != 1:
        return None
    ((kind, given),) = said.items()
    if not isinstance(given, dict):
        return None
    return {"failure": _failure, "judged": _judged}.get(kind, _nothing)(given)


def _failure(given: dict[str, Any]) -> Failure | None:
    sentence, is_final = given.get("sentence"), given.get("is_final")
    if len(given) != len(fields(Failure)) or not isinstance(sentence, str) or not isinstance(is_final, bool):
        return None
    return Failure(sentence=sentence, is_final=is_final)


def _judged(given: dict[str, Any]) -> Judged | None:
    if given.keys() != _TYPES.keys() or not all(isinstance(given[n], kinds) for n, kinds in _TYPES.items()):
        return None
    lists = {name: value for name, value in given.items() if isinstance(value, list)}
    if not all(isinstance(part, str) for value in lists.values() for part in value):
        return None
    if given["outcome"] not in {PASSED, BY_EXCEPTION, BLOCKED}:
        return None
    return Judged(**{**given, **{name: tuple(value) for name, value in lists.items()}})


def _nothing(given: dict[str, Any]) -> None:
    del given


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
    from qidguard.sdk import is_recorded

    is_asked_for = data_set in {None, judged.data_set} and release_id in {None, judged.release_id}
    if judged.audit_id is None:
        if judged.is_passed:
            raise _doubted(judged)
        return
    is_so = is_recorded(
        options,
        audit_id=judged.audit_id,
        outcome=judged.outcome,
        data_set=judged.data_set,
        release_id=judged.release_id,
        address=judged.address,
        is_release=kind == "release",
    )
    if not is_so or not is_asked_for:
        raise _doubted(judged)


def _doubted(judged: "Judged") -> UserError:
    return UserError(
        f"The answer of the work says {judged.outcome!r} of {judged.data_set!r}, and the ledger has no such"
        " verdict of this task, so nothing is let through; clear the task to have it judged again, and ask"
        " who can write where answers lie."
    )
