"""What a person answered to a task that asked, checked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from qidguard.core.errors import UserError

APPROVAL = ["Approve"]
"""The one answer that lets something through, as Airflow's approval task leaves it."""

LEAST_REASON = 10
"""How many characters a reason has at least; the form asks for as many."""

MOST_DAYS = 366
"""What outlives a year is no exception; no policy allows more either."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A person's approval.

    Args:
        who: The name, else the id, of the person who answered.
        at: When.
        reason: Why.
        days: For how many days, counted from the answer; None where nothing is said.
    """

    who: str
    at: datetime
    reason: str
    days: int | None

    @classmethod
    def of(cls, left: Any) -> Self:
        """Return the approval in what an approval task left.

        Args:
            left: Chosen options, form, person and moment, as ``ask.output`` hands them on.

        Returns:
            The same, checked.

        Raises:
            UserError: When it is no approval, nobody gave it, or its form is not filled in as it must be.

        Example:
            >>> form = {"reason": "a pilot, agreed with the board", "days": 7}
            >>> left = {"chosen_options": ["Approve"], "params_input": form}
            >>> left |= {"responded_by_user": {"id": "7", "name": "Roe"}}
            >>> Answer.of({**left, "responded_at": "2026-11-21T12:00:00+00:00"}).who
            'Roe'
        """
        if not isinstance(left, Mapping):
            raise UserError(
                "answer must be what the task that asks leaves, as a whole; write answer=ask.output and let"
                " a person answer."
            )
        if list(left.get("chosen_options") or ()) != APPROVAL:
            raise UserError("The answer is not an approval, so nothing is let through; ask again.")
        who = _name(left.get("responded_by_user"))
        if not who or left.get("timedout"):
            raise UserError("Nobody answered in time, and no default lets anything through; ask again.")
        form = left.get("params_input")
        said = form if isinstance(form, Mapping) else {}
        return cls(
            who=who, at=_moment(left.get("responded_at")), reason=_reason(said), days=_days(said.get("days"))
        )


def _name(user: Any) -> str:
    given = [user.get("name"), user.get("id")] if isinstance(user, Mapping) else []
    return next((text for part in given if (text := str(part or "").strip())), "")


def _moment(at: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    except ValueError:
        moment = None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise UserError(
            "The answer does not say when it was given (responded_at), so its days cannot be counted; hand it"
            " on as answer=ask.output."
        )
    return moment.astimezone(UTC)


def _reason(form: Mapping[Any, Any]) -> str:
    reason = form.get("reason")
    text = reason.strip() if isinstance(reason, str) else ""
    if len(text) < LEAST_REASON:
        raise UserError(
            f"An exception needs a reason of at least {LEAST_REASON} characters; ask again and write one."
        )
    return text


def _days(given: Any) -> int | None:
    if given is None:
        return None
    days = int(given) if re.fullmatch(r"[0-9]{1,3}", str(given)) else 0
    if not 1 <= days <= MOST_DAYS:
        raise UserError(
            f"days must be a whole number from 1 to {MOST_DAYS}, not {str(given)[:20]!r}; correct it."
        )
    return days
