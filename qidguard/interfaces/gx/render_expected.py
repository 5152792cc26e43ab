"""What an expectation demands, as one sentence with its figures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qidguard.interfaces.gx.render_words import Sentence, Words
from qidguard.report.figure import SHARE
from qidguard.report.printable import visible

Given = Mapping[str, Any]


def expected(expectation_type: str, given: Given) -> Sentence:
    """Return the sentence of an expectation.

    Args:
        expectation_type: The type as suites write it, in snake_case.
        given: What the expectation was given, by argument, and its ``meta``.

    Returns:
        One sentence with a full stop; for a type that is not known here, its name.

    Units:
        Shares and risks in percent, everything else as it was given.

    Raises:
        Nothing of its own: what is missing is left out of the sentence.

    Example:
        >>> given = {"quasi_identifiers": ["age", "sex"], "at_least": 5}
        >>> expected("expect_table_k_anonymity_to_be_at_least", given).text
        'Every class over age, sex must hold at least 5 records (k-anonymity).'
    """
    words = Words()
    write = _SENTENCES.get(expectation_type)
    if write is None:
        return words.sentence(words.part(visible(expectation_type.replace("_", " "))) + ".")
    return words.sentence(write(words, given))


def _k_anonymity(words: Words, given: Given) -> str:
    limit = words.limit(given.get("at_least"), "")
    return f"Every class over {_columns(words, given)} must hold at least {limit} {_persons(words, given)} \
(k-anonymity)."


def _l_diversity(words: Words, given: Given) -> str:
    over, of = _columns(words, given), words.columns([str(given.get("sensitive"))])
    limit = words.limit(given.get("at_least"), "")
    if given.get("model", "distinct") == "entropy":
        return f"Every class over {over} must hold at least {limit} effective values of {of}, \
counted by their entropy (entropy l-diversity){_by_entity(words, given)}."
    return f"Every class over {over} must hold at least {limit} different values of {of} \
(distinct l-diversity){_by_entity(words, given)}."


def _t_closeness(words: Words, given: Given) -> str:
    over, of = _columns(words, given), words.columns([str(given.get("sensitive"))])
    limit = words.limit(given.get("at_most"), "")
    kind = "ordered" if given.get("ordered") else "equal"
    return f"In every class over {over} the values of {of} must be spread as in the whole table, \
at a distance of at most {limit} (t-closeness, {kind} distance){_by_entity(words, given)}."


_STATISTIC = {"maximum": "highest", "average": "average"}


def _risk(words: Words, given: Given) -> str:
    statistic = _STATISTIC.get(str(given.get("statistic", "maximum")), "highest")
    attacker = words.part(visible(str(given.get("attacker", "prosecutor"))))
    limit = words.limit(given.get("at_most"), SHARE)
    return f"The {statistic} re-identification risk over {_columns(words, given)} must be at most {limit} \
({attacker} attacker){_by_entity(words, given)}."


def _share_at_risk(words: Words, given: Given) -> str:
    limit = words.limit(given.get("at_most"), SHARE)
    persons = "entities" if given.get("entity") else "records"
    over = _columns(words, given)
    if given.get("k") is not None:
        return f"At most {limit} of the {persons} may stand in a class of fewer than \
{words.limit(given['k'], '')} over {over} (share at risk){_by_entity(words, given)}."
    return f"At most {limit} of the {persons} may have a re-identification risk above \
{words.limit(given.get('risk'), SHARE)} over {over} (share at risk){_by_entity(words, given)}."


def _metric(words: Words, given: Given) -> str:
    metric = words.part(visible(str(given.get("metric")).replace("_", " ")))
    verb = "should" if given.get("on_miss") == "warn" else "must"
    sensitive = given.get("sensitive")
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive or ())
    of = f" of {words.columns(names)}" if names else ""
    set_to = ", ".join(
        f"{words.part(visible(str(name)))} = {words.limit(value, '')}"
        for name, value in sorted(dict(given.get("parameters") or {}).items())
    )
    sides = (("at least", given.get("at_least")), ("at most", given.get("at_most")))
    asked = " and ".join(f"{side} {words.limit(value, '')}" for side, value in sides if value is not None)
    combination = given.get("combination", "default")
    named = "" if combination == "default" else f" (combination {words.part(visible(str(combination)))})"
    return f"The metric {metric}{of}{f' ({set_to})' if set_to else ''} over {_columns(words, given)} \
{verb} be {asked}{named}{_by_entity(words, given)}."


def _columns_as_approved(words: Words, given: Given) -> str:
    columns = list(given.get("columns") or ())
    policy = given.get("policy_name")
    whose = f" by the policy {words.part(visible(str(policy)))}" if policy else ""
    number = words.limit(len(columns), "")
    return f"The table must have exactly the {number} columns approved{whose}: {words.columns(columns)}."


def _policy(words: Words, given: Given) -> str:
    policy = given.get("policy")
    name = policy.get("name") if isinstance(policy, Mapping) else None
    called = f" {words.part(visible(str(name)))}" if name else ""
    digest = _reviewed_digest(given)
    version = f" (SHA-256 {words.part(digest[:12] + '…')})" if digest else ""
    return f"The table must pass the whole privacy policy{called}{version}, as qidguard audit judges it."


def _reviewed_digest(given: Given) -> str:
    """Return the digest of the policy's file, by which reviewers know it; else that of what is embedded."""
    meta = given.get("meta")
    approved = meta.get("qidguard") if isinstance(meta, Mapping) else None
    reviewed = approved.get("sha256") if isinstance(approved, Mapping) else None
    return visible(str(reviewed or given.get("policy_sha256") or ""))


def _columns(words: Words, given: Given) -> str:
    names: Sequence[str] = [str(name) for name in given.get("quasi_identifiers") or ()]
    attacker = given.get("attacker")
    known = attacker.get("knows_any") if isinstance(attacker, Mapping) else None
    some = f"any {words.limit(known, '')} of " if known is not None else ""
    return some + words.columns(names)


def _persons(words: Words, given: Given) -> str:
    entity = given.get("entity")
    return f"entities told apart by {words.columns([str(entity)])}" if entity else "records"


def _by_entity(words: Words, given: Given) -> str:
    entity = given.get("entity")
    return f", entities told apart by {words.columns([str(entity)])}" if entity else ""


_SENTENCES: Mapping[str, Callable[[Words, Given], str]] = {
    "expect_table_k_anonymity_to_be_at_least": _k_anonymity,
    "expect_table_l_diversity_to_be_at_least": _l_diversity,
    "expect_table_t_closeness_to_be_at_most": _t_closeness,
    "expect_table_reidentification_risk_to_be_at_most": _risk,
    "expect_table_share_at_risk_to_be_at_most": _share_at_risk,
    "expect_table_privacy_metric_to_be_within": _metric,
    "expect_table_columns_to_be_as_approved": _columns_as_approved,
    "expect_table_to_meet_privacy_policy": _policy,
}
