"""A question that fits its batch: the policy, what it demands, and what an engine has to open for it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qidguard.auditing.context import engine_settings
from qidguard.auditing.judging import AuditPlan, plan
from qidguard.auditing.reading import read_options
from qidguard.core.errors import PolicyError, UserError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard_expectations.questions import ExpectationQuestion
from qidguard_suites.embedded import without_places
from qidguard.policy import load_policy, parse_policy
from qidguard.policy.origin import value_digest

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Task:
    """One question about one batch.

    Args:
        text: The question as metrics are told it.
        asked: The question.
        plan: What its policy demands of these columns.
        options: What values mean; how a file is read is the data source's business.
    """

    text: str
    asked: ExpectationQuestion
    plan: AuditPlan
    options: ReadOptions

    @property
    def sharing(self) -> tuple[str, ReadOptions, Needs, bool]:
        """What must be equal for two tasks to be answered from one opened table."""
        alike = replace(self.plan.needs, columns=None, rest=(), compared=())
        # a table that is kept whole does not say which columns carry others
        return self.plan.policy.engine, self.options, alike, self.plan.needs.columns is None

    @property
    def settings(self) -> EngineSettings:
        """The resources that the policy grants."""
        return engine_settings(self.plan.policy)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns to read: those of a threshold, or None: an audit describes every column."""
        kept = self.plan.needs.columns
        if self.asked.kind == "policy" or kept is None:
            return None
        more = (self.plan.needs.entity, self.plan.needs.weight)
        wanted = {*kept, *self.plan.needs.rest, *(name for name in more if name is not None)}
        return tuple(name for name in self.plan.names if name in wanted)


_OWN_WORDS = (
    (re.compile(r"^(policy: )?(threshold on )?", re.MULTILINE), ""),
    (re.compile(r"^roles lacks 'quasi_identifiers', which is required"), "quasi_identifiers is missing"),
    (re.compile(r"\broles\.|\bthresholds\[0\]\."), ""),
    (re.compile(r"\bthresholds\[0\]"), "the expectation"),
    (re.compile(r"(?<=^quasi_identifiers must be a list of columns), or auto"), ""),
)
"""Where a policy has what an expectation is given as an argument, and what is said instead."""


def task(text: str, asked: ExpectationQuestion, names: tuple[str, ...], host: "Host") -> Task:
    """Return the task that a question makes of a batch with these columns.

    Example:
        >>> from qidguard.host import load_host
        >>> asked = ExpectationQuestion(kind="threshold", policy={"qidguard": 1, "name": "p"})
        >>> task(asked.text, asked, ("age",), load_host())
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PolicyError: the policy lacks 'roles', which is required; write for \
example roles: {quasi_identifiers: [age, sex]}
    """
    try:
        policy = load_policy(asked.policy)
        if asked.kind == "policy":
            policy = _approved(asked, policy)
        planned = plan(policy, names, host)
    except PolicyError as error:
        # nobody wrote a policy for a single threshold
        raise PolicyError(in_own_words(str(error)) if asked.kind == "threshold" else str(error)) from None
    if asked.kind == "threshold":
        check_comparable(planned.demands or ())
        needs = replace(planned.needs, compared=())  # a figure says nothing of other columns
        if not any(demand.question.metric.needs_rest for demand in planned.demands or ()):
            needs = replace(needs, rest=())
        planned = replace(planned, needs=needs)
    options = ReadOptions().meaning_as(read_options(policy.source, policy.order))
    return Task(text=text, asked=asked, plan=planned, options=options)


def union(columns: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return all columns, each once; None, which is every column, where one of them is None.

    Example:
        >>> union([("a", "b"), ("b", "c")]), union([("a",), None])
        (('a', 'b', 'c'), None)
    """
    every: dict[str, None] = {}
    for names in columns:
        if names is None:
            return None
        every |= dict.fromkeys(names)
    return tuple(every)


def _approved(asked: ExpectationQuestion, policy: "Policy") -> "Policy":
    """Return the policy under the digest of its file; one that is not the approved one is refused.

    Then the suite was edited by hand, or is another version's.
    """
    fits = {policy.digest, value_digest(asked.policy)}
    if asked.digest is None or asked.digest not in fits:
        raise PolicyError(
            f"policy_sha256 is not that of the policy {policy.name!r} inside this expectation, so it may have"
            " been changed since it was approved; export it again"
        )
    if asked.written is None:
        return policy
    whole = parse_policy(asked.written, "policy_text")
    if without_places(whole) != without_places(policy):
        raise PolicyError(
            f"policy_text is not the text of the policy {policy.name!r} inside this expectation, so one of"
            " them was changed since it was approved; export it again"
        )
    return policy.narrowed({}, whole)


def check_comparable(demands: "Iterable[Demand]") -> None:
    """Refuse a metric that compares a table with others: a batch stands alone."""
    for demand in demands:
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


def in_own_words(sentence: str) -> str:
    """Return a sentence about a policy without the places that only a policy has."""
    for place, words in _OWN_WORDS:
        sentence = place.sub(words, sentence)
    return sentence
