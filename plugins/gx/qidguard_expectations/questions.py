"""What an expectation asks of a batch, as a text that metrics can be told and told apart by."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from qidguard.sdk import (
    BatchQuestion,
    InternalError,
    PolicyError,
    UserError,
    demands,
    load_host,
    load_policy,
    parse_policy,
    value_digest,
)
from qidguard_suites.embedded import without_places

if TYPE_CHECKING:
    from qidguard.sdk import Demand, Policy

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

    @property
    def of_batch(self) -> BatchQuestion:
        """What is asked of a batch that is held; PolicyError or UserError where no batch could answer it.

        Example:
            >>> asked = ExpectationQuestion(kind="threshold", policy={"qidguard": 1, "name": "p"})
            >>> asked.of_batch
            Traceback (most recent call last):
            ...
            qidguard.core.errors.PolicyError: the policy lacks 'roles', which is required; write for \
example roles: {quasi_identifiers: [age, sex]}
        """
        if self.kind == "policy":
            return BatchQuestion(policy=self._approved(load_policy(self.policy)))
        try:
            policy = load_policy(self.policy)
            check_comparable(demands(policy, policy.roles.qids, load_host()))
        except PolicyError as error:
            raise self.in_own_words(error) from None
        return BatchQuestion(
            policy=policy, is_figure=True, combination=self.combination, is_blocking=self.is_blocking
        )

    def in_own_words(self, error: PolicyError) -> PolicyError:
        """Return an error without the places that only a policy has: nobody wrote one for a threshold."""
        return PolicyError(in_own_words(str(error))) if self.kind == "threshold" else error

    def _approved(self, policy: "Policy") -> "Policy":
        """Return the policy under the digest of its file; one that is not the approved one is refused.

        Then the suite was edited by hand, or is another version's.
        """
        if self.digest is None or self.digest not in {policy.digest, value_digest(self.policy)}:
            raise PolicyError(
                f"policy_sha256 is not that of the policy {policy.name!r} inside this expectation, so it may"
                " have been changed since it was approved; export it again"
            )
        if self.written is None:
            return policy
        whole = parse_policy(self.written, "policy_text")
        if without_places(whole) != without_places(policy):
            raise PolicyError(
                f"policy_text is not the text of the policy {policy.name!r} inside this expectation, so one"
                " of them was changed since it was approved; export it again"
            )
        return policy.narrowed({}, whole)


_OWN_WORDS = (
    (re.compile(r"^(policy: )?(threshold on )?", re.MULTILINE), ""),
    (re.compile(r"^roles lacks 'quasi_identifiers', which is required"), "quasi_identifiers is missing"),
    (re.compile(r"\broles\.|\bthresholds\[0\]\."), ""),
    (re.compile(r"\bthresholds\[0\]"), "the expectation"),
    (re.compile(r"(?<=^quasi_identifiers must be a list of columns), or auto"), ""),
)
"""Where a policy has what an expectation is given as an argument, and what is said instead."""


def in_own_words(sentence: str) -> str:
    """Return a sentence about a policy without the places that only a policy has."""
    for place, words in _OWN_WORDS:
        sentence = place.sub(words, sentence)
    return sentence


def check_comparable(asked: "Iterable[Demand]") -> None:
    """Refuse a metric that compares a table with others: a batch stands alone."""
    for demand in asked:
        metric = demand.question.metric
        others = (
            (metric.needs_history, "earlier releases"),
            (metric.needs_original, "the table that this one was made from"),
        )
        for is_needed, what in others:
            if is_needed:
                raise UserError(
                    f"{metric.name} is measured against {what}, which a batch of Great Expectations does not"
                    " know; put it in the policy and publish with: qidguard release"
                )
