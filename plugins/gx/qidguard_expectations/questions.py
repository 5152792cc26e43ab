"""What an expectation asks of a batch, as a text that metrics can be told and told apart by."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from qidguard.core.errors import InternalError

Kind = Literal["threshold", "policy", "columns", "refused"]


@dataclass(frozen=True, kw_only=True)
class ExpectationQuestion:
    """One question.

    Args:
        kind: Whether it is about one threshold, a whole policy, or the columns alone; or refused, where what
            a run gave to the expectation makes no question.
        policy: A policy as a mapping; of a threshold, one that says nothing else. Empty for columns.
        combination: What results call the QIDs of a threshold.
        is_blocking: Whether a missed threshold fails; else it only warns.
        digest: The SHA-256 that the policy had when it was approved, hex.
        written: The text of the policy's file, which its own SHA-256 is of; None where there is none.
        columns: The approved columns.
        reason: Why it is refused; empty for any other kind.
    """

    kind: Kind
    policy: Mapping[str, Any]
    combination: str = "default"
    is_blocking: bool = True
    digest: str | None = None
    written: str | None = None
    columns: tuple[str, ...] = ()
    reason: str = ""

    @property
    def text(self) -> str:
        """The question as JSON with sorted keys; equal questions have equal texts.

        Example:
            >>> one, two = {"a": 1, "b": 2}, {"b": 2, "a": 1}
            >>> ExpectationQuestion(kind="policy", policy=one).text == ExpectationQuestion(
            ...     kind="policy", policy=two
            ... ).text
            True
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        # what JSON does not know, such as a date, becomes its text and is judged as that
        return json.dumps(fields, sort_keys=True, default=str)

    @classmethod
    def parse(cls, text: object) -> Self:
        """Return the question of a text; InternalError when it is none."""
        try:
            fields = json.loads(str(text))
            return cls(**fields | {"columns": tuple(fields["columns"])})
        except (KeyError, TypeError, ValueError):
            raise InternalError("What the expectation asks did not reach its metric.") from None
