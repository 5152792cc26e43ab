"""Tests of what proposed roles do: what counts where recognizers decide, and what a person is asked."""

from typing import Any

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import DecidedBy, Evidence, Role, RoleProposal
from tests.auditing.test_content import Asking, alone

QID, DIRECT, SENSITIVE = Role.QUASI_IDENTIFIER, Role.DIRECT_IDENTIFIER, Role.SENSITIVE


def proposal(column: str, role: Role, confidence: float) -> RoleProposal:
    """Return a proposal by a name."""
    why = Evidence(by=DecidedBy.LEXICON, sentence=f"its name means {role.value}")
    return RoleProposal.of(column, role, confidence, why)


FRAME = pd.DataFrame({"age": [30, 30, 40, 40], "race": ["a", "b", "a", "b"], "x": [7, 7, 7, 7]})
K2 = {"metric": "k_anonymity", "at_least": 2}
L2 = {"metric": "distinct_l_diversity", "at_least": 2}
AUTO = {"quasi_identifiers": "auto", "insensitive": ["race"]}


def judged(
    *proposals: RoleProposal,
    frame: Any = FRAME,
    unnamed: str = "block",
    limits: Any = (K2,),
    roles: Any = AUTO,
) -> Any:
    """Return the report on a frame where these proposals decide, age being a QID."""
    host = alone(Asking(say=lambda: [proposal("age", QID, 0.9), *proposals]))
    fields = {"qidguard": 1, "name": "p", "roles": roles, "unnamed_columns": unnamed}
    with qidguard.audit(frame, policy=fields | {"thresholds": list(limits)}, host=host) as found:
        return found.report


def measured(report: Any) -> list[Any]:
    """Return the figures of a report, over which columns and beside which."""
    found = [result.measurement for result in report.verdict.thresholds]
    return [(one.value, one.qids, one.sensitive) for one in found]


OPEN, HARMLESS = Role.UNCLASSIFIED, Role.INSENSITIVE


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("role", "confidence", "under_block", "under_insensitive", "under_qid"),
    [
        (QID, 0.5, QID, QID, QID),
        (QID, 0.49, OPEN, OPEN, QID),
        (SENSITIVE, 0.5, SENSITIVE, SENSITIVE, QID),
        (SENSITIVE, 0.49, OPEN, OPEN, QID),
        (DIRECT, 0.5, OPEN, OPEN, OPEN),
        (DIRECT, 0.49, OPEN, OPEN, QID),
        (Role.ENTITY, 0.9, OPEN, OPEN, OPEN),
        (Role.WEIGHT, 0.5, Role.WEIGHT, Role.WEIGHT, QID),
        (Role.INSENSITIVE, 0.9, OPEN, HARMLESS, QID),
        (Role.TARGET, 0.9, OPEN, HARMLESS, QID),
        (None, 0, OPEN, HARMLESS, QID),
    ],
)
def test_what_a_proposed_role_does_where_recognizers_decide(
    role: Role | None, confidence: float, under_block: Role, under_insensitive: Role, under_qid: Role
):
    """Every proposed role counts or blocks; what unnamed columns are holds where nothing is proposed."""
    proposals = [] if role is None else [proposal("x", role, confidence)]
    frame = FRAME.assign(x=[1, 1, 2, 2]) if role is Role.ENTITY else FRAME
    for unnamed, expected in zip(
        ("block", "insensitive", "quasi_identifier"), (under_block, under_insensitive, under_qid), strict=True
    ):
        report = judged(*proposals, frame=frame, unnamed=unnamed)
        assert report.columns[2].assignment.role is expected, unnamed
        is_open = expected is OPEN or (unnamed == "block" and expected is SENSITIVE)
        named = [block for block in report.verdict.blocks if "'x' is not named" in block.sentence]
        assert bool(named) == is_open, unnamed


RACES = (proposal("race", QID, 0.9), proposal("race", SENSITIVE, 0.7))
BESIDE_AGE = [(1, ("age", "race"), None), (2, ("age",), "race")]


@pytest.mark.parametrize(
    ("said", "roles", "figures"),
    [
        ([proposal("x", SENSITIVE, 0.9)], AUTO, [(2, ("age",), None), (1, ("age",), "x")]),
        (RACES, {"quasi_identifiers": "auto", "insensitive": ["x"]}, BESIDE_AGE),
        ([], {"quasi_identifiers": ["age", "race"], "sensitive": ["race"], "insensitive": ["x"]}, BESIDE_AGE),
    ],
    ids=["recognized", "recognized as both", "named as both"],
)
def test_a_sensitive_column_is_measured_beside_the_others(said: Any, roles: Any, figures: Any) -> None:
    """Also where it is a QID at once: grouped by for k, and learned beside age alone for l."""
    report = judged(*said, limits=(K2, L2), roles=roles)
    assert measured(report) == figures
    column = next(c for c in report.columns if c.facts.name == figures[1][2])
    assert column.assignment.is_sensitive
    assert column.assignment.is_also_sensitive == (figures is BESIDE_AGE)
    assert report.verdict.blocks == ()


def test_a_sensitive_column_alone_is_measured_beside_nothing():
    """The only QID cannot be what is learned beside the QIDs: the policy is at fault."""
    roles = {"quasi_identifiers": ["race"], "sensitive": ["race"], "insensitive": ["x", "age"]}
    with pytest.raises(qidguard.PolicyError, match="the only quasi-identifier, and it is measured"):
        judged(roles=roles, limits=(K2, L2))


def test_rivals_are_kept():
    """The surest role wins; the others stand beside it with their confidence."""
    report = judged(proposal("x", SENSITIVE, 0.5), proposal("x", Role.WEIGHT, 0.8))
    column = report.columns[2]
    assert (column.assignment.role, column.confidence) == (Role.WEIGHT, 0.8)
    assert [(p.assignment.role, p.confidence) for p in column.rivals] == [(SENSITIVE, 0.5)]


def test_a_key_that_does_not_repeat_is_a_question():
    """A key of persons is proposed only where each has some records and no more than fifty in the mean."""
    report = judged(proposal("x", Role.ENTITY, 0.9))
    assert "is it the key of persons?" in report.verdict.blocks[0].sentence


@pytest.mark.parametrize("names", [("race",), ("race", "x")])
@pytest.mark.parametrize("quasi_identifiers", [["age"], "auto"])
@pytest.mark.parametrize("confidence", [0.9, 0.3])
def test_a_qid_that_is_sensitive_is_open_where_nobody_names_it(
    names: tuple[str, ...], quasi_identifiers: Any, confidence: float
) -> None:
    """The audit is blocked and no fault: what is left open keeps no word of being sensitive."""
    both = [proposal(name, role, confidence) for name in names for role in (QID, SENSITIVE)]
    insensitive = [name for name in ("race", "x") if name not in names]
    roles = {"quasi_identifiers": quasi_identifiers, "insensitive": insensitive}
    report = judged(*both, roles=roles)
    assert report.exit_code == 1
    if quasi_identifiers == "auto" and confidence > 0.5:
        assert all(c.assignment.is_also_sensitive for c in report.columns if c.facts.name in names)
        return
    open_ = {c.facts.name for c in report.columns if c.assignment.role is OPEN}
    assert open_ == set(names)
    assert not any(c.assignment.is_sensitive for c in report.columns)
    assert report.next_steps.undecided == len(names)


def sentences(report: Any, *parts: str) -> list[str]:
    """Return the sentences that block and have one of these parts."""
    said = [block.sentence for block in report.verdict.blocks]
    return [sentence for sentence in said if any(part in sentence for part in parts)]


def constant(names: list[str]) -> pd.DataFrame:
    """Return one class with more columns."""
    return pd.DataFrame({"age": [1, 1], **{name: [7, 8] for name in names}})


@pytest.mark.parametrize("columns", [3, 4, 30])
def test_many_open_columns_are_one_list(columns: int) -> None:
    """Up to three have a sentence each; what is to be decided is told as lines of the policy in any case."""
    names = [f"c{i}" for i in range(columns)]
    report = judged(frame=constant(names), roles={"quasi_identifiers": ["age"]})
    said = sentences(report, "")
    if columns == 3:
        assert [s.split("'")[1] for s in said] == names
    else:
        more = " and 6 more" if columns == 30 else ""
        asked = "columns are not named by the policy; give each a role or drop it"
        assert said == [f"{columns} {asked}: {', '.join(map(repr, names[:24]))}{more}."]
    lines = [f"  # - {name}  # no recognizer knows it" for name in names]
    assert report.next_steps.to_decide == ("  # which of these lists?", *lines)


SENSITIVE_EACH = ("looks like: sensitive", "look sensitive, and no threshold limits what is learned")
NAMED_EACH = ("its name would be published", "their names would")


@pytest.mark.parametrize("columns", [3, 4])
@pytest.mark.parametrize(
    ("name", "proposed", "words"), [("c{}", SENSITIVE, SENSITIVE_EACH), ("P00{}1234", None, NAMED_EACH)]
)
def test_many_columns_that_block_alike_are_one_list(
    name: str, proposed: Role | None, words: tuple[str, str], columns: int
) -> None:
    """So are those that no threshold limits, and those that are called like values, told by their place."""
    names = [name.format(i) for i in range(columns)]
    said = [proposal(n, proposed, 0.9) for n in names if proposed]
    found = sentences(judged(*said, frame=constant(names), roles={"quasi_identifiers": "auto"}), *words)
    if columns == 3:
        assert [words[0] in sentence for sentence in found] == [True] * 3
        return
    shown = ", ".join(map(repr, names)) if proposed else "columns 2, 3, 4, 5"
    assert [(words[1] in sentence, sentence.endswith(f": {shown}.")) for sentence in found] == [(True, True)]


def test_what_recognizers_are_sure_of_is_offered_under_its_role() -> None:
    """A QID that is sensitive, too, stands under both; a name that YAML would misread is quoted."""
    report = judged(*RACES, roles={"quasi_identifiers": ["age"]})
    lines = report.next_steps.to_decide
    assert [line.split("  #")[0] for line in lines] == [
        "  quasi_identifiers:", "    - race", "  sensitive:", "    - race", "", "",
    ]  # fmt: skip
    assert lines[-1] == "  # - x  # no recognizer knows it"


@pytest.mark.parametrize(
    ("least", "more", "method"),
    [
        (3, {}, "blocks"),
        (3, {"remedy": {"anonymizer": "mondrian"}}, ""),
        (2, {}, None),
        (4, {}, "blocks"),
        (5, {}, None),
        (5, {"remedy": {"anonymizer": "mondrian"}}, None),
    ],
)
def test_the_next_command_is_of_a_method_that_may_help(least: int, more: Any, method: str | None) -> None:
    """The policy's remedy, else the first that suits most tables; none of a table of fewer persons than k."""
    roles = {"quasi_identifiers": ["age"], "insensitive": ["race", "x"]}
    fields = {"qidguard": 1, "name": "p", "roles": roles, "thresholds": [{**K2, "at_least": least}], **more}
    with qidguard.audit(FRAME, policy=fields) as found:
        steps = found.report.next_steps
    assert (steps.method, steps.source, steps.policy, steps.to_decide) == (method, None, None, ())
