"""A draft is valid YAML, names who decided and why, and leaves what nobody knows to a person."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.kind import ColumnKind, KindAssignment
from qidguard.core.outside import IdentifyingColumn
from qidguard.core.recognizer import Evidence, RoleProposal
from qidguard.core.report import ColumnReport
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.policy import Source, draft_policy, parse_policy

HOSTILE = [
    'a "quoted" name', "it's", "a: b", "# no comment", "x # y", "- dash", "no", "null", "~", "2020",
    "2020-01-01", "1e3", "true", "", " ", "?", "*", "&a", "!!str", "{a}", "[a]", "line\nbreak", "tab\there",
    "naïve 🩺", "\u2028", "\x85", "SELECT; DROP TABLE", "%YAML 1.1", "x" * 300, "many words " * 40,
]  # fmt: skip


def report(name: str, role: Role, reason: str = "token 'x'", distinct: int = 4) -> ColumnReport:
    """Return a column of 8 records with a role that the lexicon proposed."""
    facts = ColumnFacts(name=name, value_type=ValueType.TEXT, records=8, distinct=distinct, missing=0)
    decided_by = DecidedBy.NOBODY if role is Role.UNCLASSIFIED else DecidedBy.LEXICON
    return ColumnReport(
        facts=facts, assignment=RoleAssignment(column=name, role=role, decided_by=decided_by, reason=reason)
    )


def test_a_draft_lists_columns_by_role_with_reasons() -> None:
    """Roles, who decided and why stand beside each column; the policy blocks what is undecided."""
    text = draft_policy(
        [
            report("age", Role.QUASI_IDENTIFIER, "age"),
            report("disease", Role.SENSITIVE),
            report("patient", Role.DIRECT_IDENTIFIER),
            report("id", Role.DIRECT_IDENTIFIER, distinct=8),
            report("shoe", Role.UNCLASSIFIED),
        ],
        source=Source(delimiter=";", header=True, missing=["?", "NA"]),
    )
    policy = parse_policy(text)
    assert policy.named_columns == ("age", "disease", "patient", "id")
    assert policy.unnamed_columns == "block"
    assert policy.source == Source(delimiter=";", header=True, missing=["?", "NA"])
    assert [t.text for t in policy.thresholds] == ["k_anonymity ≥ 11"]
    assert "    - age  # lexicon: age\n" in text
    assert "  # - shoe  # text, 4 distinct values\n" in text
    assert "  # entity: patient  # 4 distinct values in 8 records\n" in text
    assert "# entity: id" not in text
    assert "  # - metric: distinct_l_diversity\n" in text


def test_a_draft_asks_about_columns_that_identify_people_and_accepts_none() -> None:
    """Beside each, listed or open, stands what it looks like; the two ways out are comments that load."""
    identifying = [
        IdentifyingColumn(column=name, role=role, reason="nobody else\nhas it")
        for name, role in (("w: x", Role.WEIGHT), ("note", Role.SENSITIVE), ("visit", Role.UNCLASSIFIED))
    ]
    columns = [
        report("age", Role.QUASI_IDENTIFIER),
        report("w: x", Role.WEIGHT),
        report("note", Role.SENSITIVE),
        report("visit", Role.UNCLASSIFIED),
    ]
    text = draft_policy(columns, identifying=identifying)
    asked = [
        line for line in text.splitlines() if line.endswith("nobody else has it: drop it, or accept it?")
    ]
    assert [line.split("#")[0].strip(" -") for line in asked] == ["note", "weight: 'w: x'", ""]
    assert parse_policy(text).accepted == ()
    assert "accept" not in draft_policy(columns)
    hint = text[text.index("# release:\n#   drop: ['w: x']") :]
    section = hint[hint.index("# accepted:") : hint.index("#     reason: ") + 14].replace("# ", "")
    accepted = parse_policy(f"{text}\n{section}we drew it ourselves\n").accepted
    assert [one.columns for one in accepted] == [("w: x",)]


def test_roles_that_hold_one_column_take_the_first() -> None:
    """A second target is left as a comment for a person."""
    columns = [report("age", Role.QUASI_IDENTIFIER), report("a", Role.TARGET), report("b", Role.TARGET)]
    text = draft_policy(columns)
    assert parse_policy(text).roles.target == "a"
    assert "  # target: b  #" in text


def test_undeclared_missing_values_are_proposed_in_a_comment() -> None:
    """The draft names the columns and proposes texts; without the comment marks they are declared."""
    marked = ColumnFacts(
        name="race", value_type=ValueType.TEXT, records=8, distinct=4, missing=0, undeclared_missing=3
    )
    age = report("age", Role.QUASI_IDENTIFIER)
    text = draft_policy([age, ColumnReport(facts=marked, assignment=age.assignment)])
    assert "counts as a value in race (3 records)." in text
    assert parse_policy(text).source.missing == ()
    confirmed = text.replace("# source:", "source:").replace("#   missing:", "  missing:")
    assert "?" in parse_policy(confirmed).source.missing
    within = draft_policy(
        [age, ColumnReport(facts=marked, assignment=age.assignment)], source=Source(delimiter=";")
    )
    confirmed = parse_policy(within.replace("#   missing:", "  missing:"))
    assert (confirmed.source.delimiter, "?" in confirmed.source.missing) == (";", True)
    assert "missing:" not in draft_policy([age])


def test_made_up_names_are_to_be_replaced() -> None:
    """A file without a header gets the lines that name its columns, commented."""
    columns = [report("column_0", Role.QUASI_IDENTIFIER), report("column_1", Role.INSENSITIVE)]
    text = draft_policy(columns)
    confirmed = parse_policy(
        text.replace("# source:", "source:").replace("#   header:", "  header:").replace("#   co", "  co")
    )
    assert (confirmed.source.header, confirmed.source.columns) == (False, ("column_0", "column_1"))
    assert "header: false" not in draft_policy(columns[1:])


@given(
    names=st.lists(st.text(st.characters(codec="utf-8")), unique=True, min_size=1, max_size=4),
    reason=st.text(st.characters(codec="utf-8")),
    title=st.text(st.characters(codec="utf-8")).filter(str.strip),
)
@example(names=HOSTILE, reason="token 'x'", title="draft")
def test_any_names_come_back_as_they_were(names: list[str], reason: str, title: str) -> None:
    """No name or reason can break the text, or smuggle a field into it."""
    columns = [report(name, Role.QUASI_IDENTIFIER, reason) for name in names]
    policy = parse_policy(draft_policy(columns, name=title, source=Source(suppression_mark=names[0])))
    assert policy.roles.quasi_identifiers == tuple(names)
    assert (policy.name, policy.source.suppression_mark) == (title, names[0])
    assert policy.named_columns == tuple(names)
    undecided = [report("age", Role.QUASI_IDENTIFIER), *(report(n, Role.UNCLASSIFIED, reason) for n in names)]
    assert parse_policy(draft_policy(undecided)).named_columns == ("age",)


def proposed(name: str, role: Role, confidence: float, reason: str) -> RoleProposal:
    """Return a proposal of the lexicon."""
    return RoleProposal.of(name, role, confidence, Evidence(by=DecidedBy.LEXICON, sentence=reason))


def test_a_question_stands_in_the_draft() -> None:
    """What recognizers are not sure of is asked with its reason, and decided nowhere."""
    asked = proposed("num", Role.SENSITIVE, 0.3, "the table is of patients")
    open_ = RoleAssignment(
        column="num",
        role=Role.UNCLASSIFIED,
        decided_by=DecidedBy.LEXICON,
        reason="is it a sensitive attribute? the table is of patients",
    )
    facts = report("num", Role.UNCLASSIFIED).facts
    column = ColumnReport(facts=facts, assignment=open_, proposals=(asked,))
    text = draft_policy([column, report("age", Role.QUASI_IDENTIFIER)])
    expected = "  # - num  # lexicon, confidence 0.3: is it a sensitive attribute? the table is of patients\n"
    assert expected in text
    assert "Nobody knows these columns" not in text
    assert "num" not in parse_policy(text).named_columns


def test_a_qid_that_is_sensitive_too_stands_in_both_lists() -> None:
    """The draft loads, and race is both; rivals of a role stand beside it."""
    role = RoleAssignment(
        column="race",
        role=Role.QUASI_IDENTIFIER,
        decided_by=DecidedBy.LEXICON,
        reason="its name has 'race'",
        is_also_sensitive=True,
    )
    proposals = (
        proposed("race", Role.QUASI_IDENTIFIER, 0.9, "its name has 'race'"),
        proposed("race", Role.SENSITIVE, 0.8, "its name has 'race'"),
        proposed("race", Role.TARGET, 0.2, "it may be predicted"),
    )
    facts = report("race", Role.QUASI_IDENTIFIER).facts
    text = draft_policy([ColumnReport(facts=facts, assignment=role, proposals=proposals)])
    policy = parse_policy(text)
    assert (policy.roles.quasi_identifiers, policy.roles.sensitive) == (("race",), ("race",))
    assert "race  # lexicon, confidence 0.9: its name has 'race'; or target, confidence 0.2: it may" in text


@pytest.mark.parametrize(("distinct", "is_shown"), [(8, False), (4, True), (1, False)])
def test_only_a_key_that_repeats_is_offered_as_entity(distinct: int, is_shown: bool) -> None:  # noqa: FBT001 - a case
    """A direct identifier that never repeats, or is one value, tells no persons with several records."""
    text = draft_policy([report("mrn", Role.DIRECT_IDENTIFIER, distinct=distinct)])
    assert ("# entity: mrn" in text) == is_shown


def test_a_draft_without_a_qid_waits_for_a_person() -> None:
    """It is a policy as it stands: recognizers are asked again, and what nobody names blocks."""
    policy = parse_policy(draft_policy([report("x", Role.UNCLASSIFIED)]))
    assert policy.is_auto
    assert policy.unnamed_columns == "block"


def kinded(name: str, kind: ColumnKind, confidence: float) -> ColumnReport:
    """Return a sensitive column of a kind that content shows."""
    shown = KindAssignment(
        kind=kind, decided_by=DecidedBy.CONTENT, reason="why # so\nit is", confidence=confidence
    )
    return replace(report(name, Role.SENSITIVE), kind=shown)


def test_a_draft_writes_kinds_and_asks_what_is_unsure() -> None:
    """What is proposed stands as a kind, what is unsure is a question in a comment."""
    text = draft_policy([kinded("a", ColumnKind.CODE, 0.5), kinded("b", ColumnKind.COUNT, 0.49)])
    assert parse_policy(text).kinds == {"a": ColumnKind.CODE}
    assert "  a: code  # content, confidence 0.5: why # so it is\n" in text
    assert "  # b: count?  # counts; content, confidence 0.49: why # so it is\n" in text


def test_a_draft_has_hierarchies_of_quasi_identifiers_alone() -> None:
    """Of columns with a published system, one with a strange name among them, a sensitive one has none."""
    columns = [report("zip: 5", Role.QUASI_IDENTIFIER), report("diag", Role.SENSITIVE)]
    text = draft_policy(columns, ready={"zip: 5": "us_zip3", "diag": "icd9", "other": "icd9"})
    assert {name: one.ready for name, one in parse_policy(text).hierarchies.items()} == {"zip: 5": "us_zip3"}


def test_a_draft_of_questions_alone_states_no_kind() -> None:
    """Where nothing is sure the whole section is a comment, and the draft is a policy."""
    text = draft_policy([kinded("b", ColumnKind.COUNT, 0.4)])
    assert parse_policy(text).kinds == {}
    assert "# kinds:\n" in text


@pytest.mark.parametrize("name", [*HOSTILE, "<<", "=", "x" * 3_000, "a:", ": a", "? a", "'", '"', "\\"])
def test_kinds_of_columns_with_strange_names_are_read_back(name: str) -> None:
    """Whatever a column is called, its kind is read back as it was written."""
    text = draft_policy([kinded(name, ColumnKind.TEXT, 0.9), kinded(f"{name}2", ColumnKind.TEXT, 0.1)])
    assert parse_policy(text).kinds == {name: ColumnKind.TEXT}
