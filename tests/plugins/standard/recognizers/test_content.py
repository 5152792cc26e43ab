"""What the content of columns says of their roles."""

import math
import random
from dataclasses import replace

import pytest

from identifier_columns import IDENTIFIERS, SPELLINGS, identifiers
from lookalike_columns import LOOKALIKES, lookalike
from looked import looked
from qidguard.sdk import ColumnFacts, ColumnShape, Look, Role, RoleProposal, ValueType
from qidguard_standard.recognizers.content import Content
from qidguard_standard.recognizers.content.check_digits import CheckedNumber, checked_numbers
from qidguard_standard.recognizers.content.saying import orders_against_chance
from qidguard_standard.recognizers.content.vocabularies import vocabularies
from random_strings import share_that_passes

CONTENT = Content()
TESTS = CONTENT.tests
DRAWS = 1_000
LETTER = ColumnShape(
    looked_at=2,
    shortest=1,
    typical=1,
    longest=1,
    is_same_length=True,
    digits=0.0,
    letters=1.0,
    blanks=0.0,
    words=1.0,
)


def surest(*columns: ColumnFacts) -> dict[str, RoleProposal]:
    """Return the surest proposal for each column that has one."""
    return {p.assignment.column: p for p in sorted(CONTENT.propose(columns), key=lambda p: p.confidence)}


def role_of(values: list[str]) -> tuple[Role, bool] | None:
    """Return what a single column of some values is taken for, and whether that is sure."""
    found = surest(looked("x", values, TESTS)).get("x")
    return None if found is None else (found.assignment.role, found.is_sure)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("spelling", range(SPELLINGS))
def test_identifiers_are_found_by_their_values_alone(spelling, seed) -> None:
    """Of thirty kinds of identifiers at least 95 % are proposed in their role, however they are written."""
    columns = [looked(kind, identifiers(kind, spelling, seed, 200), TESTS) for kind in IDENTIFIERS]
    found = surest(*columns)
    right = [
        kind
        for kind, (role, _) in IDENTIFIERS.items()
        if kind in found and found[kind].is_sure and found[kind].assignment.role.value == role
    ]
    assert len(IDENTIFIERS) == 30
    assert len(right) >= 0.95 * len(IDENTIFIERS), set(IDENTIFIERS) - set(right)


@pytest.mark.samples(1)
@pytest.mark.parametrize("seed", [2, 3])
def test_harmless_lookalikes_raise_no_alarm(seed) -> None:
    """Of a hundred look-alikes none is proposed as more than a QID, and at most two are asked about."""
    columns = [looked(name, lookalike(name, seed, 200), TESTS) for name in LOOKALIKES]
    alarms = {
        name: p for name, p in surest(*columns).items() if p.assignment.role is not Role.QUASI_IDENTIFIER
    }
    assert len(LOOKALIKES) == 100
    assert not [name for name, p in alarms.items() if p.is_sure]
    assert len(alarms) <= 2, set(alarms)


@pytest.mark.samples(17)
@pytest.mark.parametrize("number", checked_numbers(), ids=lambda n: n.test.name)
def test_the_chance_of_a_number_is_measured(number: CheckedNumber) -> None:
    """Of random strings of its shape the stated share passes, four standard errors of both draws left."""
    chance = number.test.chance
    share = share_that_passes(number.test, number.shapes[0], draws=DRAWS, seed=1)
    assert abs(share - chance) <= 4 * math.sqrt(chance * (1 - chance) / DRAWS) + 3 / DRAWS


def test_about_fifty_kinds_of_personal_numbers_are_known() -> None:
    """Each has a name of its own, and hardly anything passes one by chance."""
    assert sum(not number.is_harmless for number in checked_numbers()) >= 50
    assert len({test.name for test in TESTS}) == len(TESTS)
    assert max(number.test.chance for number in checked_numbers()) < 0.15


def test_shifted_rows_do_not_hide_an_identifier() -> None:
    """Four values in a hundred that are something else leave a column of IBANs one."""
    values = identifiers("iban", 0, 5, 192) + [f"x{n}" for n in range(8)]
    random.Random(5).shuffle(values)  # noqa: S311 - reproducible, no secret
    assert role_of(values) == (Role.DIRECT_IDENTIFIER, True)


def test_few_values_that_check_are_a_question() -> None:
    """Four numbers of nine digits may check by chance once in ten thousand; three hundred may not."""
    assert role_of(identifiers("bsn", 0, 5, 4)) == (Role.DIRECT_IDENTIFIER, False)
    assert role_of(identifiers("bsn", 0, 5, 300)) == (Role.DIRECT_IDENTIFIER, True)
    assert role_of(identifiers("bsn", 0, 5, 2)) is None


def test_old_isbns_are_no_nhs_numbers() -> None:
    """Both check alike; an X at the end tells books from patients."""
    assert role_of(lookalike("isbn10", 4)) is None
    assert role_of(identifiers("nhs", 0, 4)) == (Role.DIRECT_IDENTIFIER, True)


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (["m", "f"], Role.QUASI_IDENTIFIER),
        (["männlich", "weiblich", "divers"], Role.QUASI_IDENTIFIER),
        (["S", "M"], None),
        (["t", "f"], None),
        (["Married", "Single", "Divorced"], Role.QUASI_IDENTIFIER),
        (["casado", "soltero", "viudo"], Role.QUASI_IDENTIFIER),
        (["White", "Black", "Asian", "Other"], Role.QUASI_IDENTIFIER),
        (["white", "black", "red", "blue"], None),
        (["katholisch", "evangelisch", "jüdisch"], Role.SENSITIVE),
        (["<=50K", ">50K"], Role.SENSITIVE),
        (["[0-10)", "[10-20)", "[20-30)"], Role.QUASI_IDENTIFIER),
        (["open", "closed"], None),
        (["Monday", "Tuesday"], None),
        (["m"], None),
    ],
)
def test_values_of_a_vocabulary_say_what_a_column_is(values, role) -> None:
    """Words of persons are known in seven languages; what they share with sizes and colors is left alone."""
    found = role_of(values * 10)
    assert (None if found is None else found[0]) == role


def test_a_race_is_quasi_identifying_and_sensitive() -> None:
    """Rivals are given side by side, so that a column may be both."""
    facts = looked("x", ["White", "Asian", "Hispanic", "Other"], TESTS)
    assert [p.assignment.role for p in CONTENT.propose([facts])] == [Role.QUASI_IDENTIFIER, Role.SENSITIVE]


def test_forenames_alone_are_a_question() -> None:
    """Beside surnames they are those of persons; alone they may be those of storms."""
    full = [text.split() for text in identifiers("name", 1, 6)]
    first, last = (looked(name, [w[at] for w in full], TESTS) for at, name in enumerate(("a", "b")))
    assert not surest(first)["a"].is_sure
    both = surest(first, last)
    assert all(both[name].is_sure and both[name].assignment.role is Role.DIRECT_IDENTIFIER for name in "ab")


def test_long_texts_that_differ_are_a_question() -> None:
    """Notes may name persons, so a person is asked."""
    shape = ColumnShape(
        looked_at=90, shortest=16, typical=64, longest=256, is_same_length=False,
        digits=0.0, letters=0.8, blanks=0.15, words=14.5,
    )  # fmt: skip
    notes = ColumnFacts(name="n", value_type=ValueType.TEXT, records=90, distinct=88, missing=0, shape=shape)
    assert [(p.assignment.role, p.is_sure) for p in CONTENT.propose([notes])] == [
        (Role.DIRECT_IDENTIFIER, False)
    ]


def test_nothing_is_said_where_values_were_not_tested() -> None:
    """An engine that hands out no values leaves looks and shape empty."""
    facts = ColumnFacts(name="ssn", value_type=ValueType.TEXT, records=9, distinct=9, missing=0)
    assert CONTENT.propose([facts]) == ()


@pytest.mark.parametrize(("share", "expected"), [(0.1, 0.0), (0.05, 0.0), (1.0, 10.0)])
def test_orders_against_chance(share, expected) -> None:
    """Ten values that all pass a test of one in ten are ten powers of ten from chance."""
    look = Look(kind="cards", share=share, test="card", looked_at=10, chance=0.1)
    assert orders_against_chance(look) == pytest.approx(expected)


@pytest.mark.slow
def test_reasons_name_kinds_and_shares_only() -> None:
    """No value of a column stands in what is said of it."""
    for kind in IDENTIFIERS:
        values = identifiers(kind, 0, 7, 60)
        for proposal in CONTENT.propose([looked("x", values, TESTS)]):
            assert not any(value.casefold() in proposal.assignment.reason.casefold() for value in values)


FEW = {
    "two forenames": ("c0", ["Anna", "Jan"] * 20, (Role.DIRECT_IDENTIFIER, False)),
    "two phone numbers": ("c0", ["+49 30 901820", "+41 44 6321111"] * 20, (Role.DIRECT_IDENTIFIER, False)),
    "three months": ("c0", ["June", "May", "August"] * 20, None),
    "a sex": ("c0", ["F", "M"] * 20, (Role.QUASI_IDENTIFIER, True)),
    "degrees of a charge": ("charge_degree", ["F", "M"] * 20, (Role.QUASI_IDENTIFIER, False)),
    "a color that is a surname": ("c0", ["White"] * 500 + [f"Q{i}x" for i in range(30)], None),
}


@pytest.mark.parametrize("what", FEW)
def test_few_values_are_asked_about_beside_persons(what: str) -> None:
    """Two names may be those of the only two people; one frequent surname is no name of anybody."""
    name, values, expected = FEW[what]
    sex = looked("sex", ["male", "female"] * 20, TESTS)
    column = looked(name, values, TESTS)
    shaped = replace(column, shape=LETTER) if max(map(len, values)) == 1 else column
    found = surest(shaped, sex).get(name)
    assert (None if found is None else (found.assignment.role, found.is_sure)) == expected


def test_vocabularies_are_case_folded_and_have_titles() -> None:
    """Each holds at least a dozen words."""
    assert all(v.test.words is None or len(v.test.words) >= 12 for v in vocabularies())
    assert all((v.test.words is None) == v.is_phrase and v.test.title for v in vocabularies())
