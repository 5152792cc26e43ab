"""What is published outside the quasi-identifiers: whom it tells apart, and what blocks until accepted."""

import jsonschema
import numpy as np
import pandas as pd
import pytest

import qidguard
from qidguard.core.outside import Alone
from qidguard.engines.base import ReadOptions
from qidguard.interfaces.drafting import drafted
from qidguard.policy import parse_policy
from qidguard.rendering.audit_document import AuditDocument
from qidguard.rendering.outside import NOTED_SHARE

PERSONS = 400
DRAWN = np.random.default_rng(7)
TABLE = pd.DataFrame(
    {
        "sex": np.random.default_rng(3).permutation(["f", "m"] * (PERSONS // 2)),
        "a": np.arange(PERSONS) % 20,
        "b": np.arange(PERSONS) // 20,
        "same": "x",
        "illness": np.arange(PERSONS) % 3,
    }
)
K2 = {"metric": "k_anonymity", "at_least": 2}
GRID = ("a", "b", "same")


def rest(at_most: float) -> list[dict[str, object]]:
    """Return thresholds of which one limits who is alone in the rest."""
    return [K2, {"metric": "rest_unique_share", "at_most": at_most}]


def policy(
    *insensitive: str,
    thresholds: object = (K2,),
    sensitive: object = ("illness",),
    role: object = None,
    **fields: object,
) -> dict[str, object]:
    """Return a policy on sex; one more column may have a role of its own."""
    roles = {"quasi_identifiers": ["sex"], "insensitive": insensitive, "sensitive": sensitive} | (role or {})
    return {"qidguard": 1, "name": "p", "roles": roles, "thresholds": thresholds} | fields


def accepts(*names: str) -> dict[str, object]:
    """Return the acceptance of some columns."""
    return {"accepted": [{"columns": [name], "reason": "nobody outside can know it"} for name in names]}


def audited(table: pd.DataFrame, given: dict[str, object]) -> tuple[list[str], tuple[str, ...], list[object]]:
    """Return the sentences that block, the notes and the figures of an audit."""
    with qidguard.audit(table, policy=given) as found:
        verdict = found.verdict
        assert verdict is not None
        figures = [result.measurement.value for result in verdict.thresholds]
        return [block.sentence for block in verdict.blocks], found.report.notes, figures


def test_columns_that_tell_everybody_apart_together_are_noted_with_the_fewest_that_do() -> None:
    """A and b are a person's row and column in a grid of 20 by 20; the constant column adds nothing."""
    blocks, notes, figures = audited(TABLE, policy(*GRID, thresholds=rest(0.9)))
    assert (blocks, figures) == ([], [200, 1.0])
    told = "400 of 400 persons (100.0%) are told apart from everybody else by the 4 published columns"
    assert any(note.startswith(told) for note in notes)
    assert any(note.startswith("'a' and 'b' alone tell apart 400 of them.") for note in notes)


def test_what_lies_outside_the_qids_is_measured_once_and_says_over_which_columns() -> None:
    """A preset's limit holds for every combination, and the rest is the same beside each of them."""
    fields = {"preset": "pdpc-sg-5", "combinations": [{"name": "door", "quasi_identifiers": ["sex"]}]}
    with qidguard.audit(TABLE, policy=policy(*GRID, **fields)) as found:
        assert found.verdict is not None
        results = [r for r in found.verdict.thresholds if r.measurement.metric == "rest_unique_share"]
    [result] = results
    assert result.measurement.qids == ("a", "b", "same", "illness")
    assert (result.measurement.value, result.is_met, result.is_blocking) == (1.0, False, False)


@pytest.mark.parametrize("seed", range(3))
def test_the_share_alone_is_never_above_the_average_risk_over_the_same_columns(seed: int) -> None:
    """Why presets warn at the rule's own risk: more uniques than that mean a larger average of 1/size."""
    drawn = np.random.default_rng(seed)
    table = TABLE.assign(a=drawn.integers(0, 15, PERSONS), b=drawn.integers(0, 5 + 10 * seed, PERSONS))
    [_, share] = audited(table, policy(*GRID, thresholds=rest(0.5)))[2]
    sizes = table.groupby(["a", "b", "same", "illness"])["sex"].transform("size")
    assert share == (sizes == 1).mean()
    assert 0 < share < (1 / sizes).mean()


@pytest.mark.slow
def test_what_lies_outside_the_qids_stands_in_the_report_as_values() -> None:
    """Whom the rest tells apart, the smallest sets, what identifies and why; as JSON, text and HTML too."""
    table = TABLE.assign(visit=range(PERSONS), mail=[f"p{i % 7}@example.org" for i in range(PERSONS)])
    accepted = [
        {"columns": ["mail"], "reason": "invented for teaching", "by": "A. Roe"},
        {"columns": ["same"], "reason": "it is everywhere the same"},
        {"columns": ["a"], "tells": "sex", "reason": "nobody reads it so"},
    ]
    with qidguard.audit(table, policy=policy(*GRID, "visit", "mail", accepted=accepted)) as found:
        report, stated, text = found.report, found.to_dict(), repr(found)
        page = found._repr_html_()
    assert report.outside is not None
    told, everybody = report.outside.told_apart[0], Alone(alone=PERSONS, persons=PERSONS)
    assert (told.columns, told.found) == (("a", "b", "illness", "visit"), everybody)
    assert [(few.columns, few.alone) for few in told.smallest] == [(("visit",), PERSONS)]
    visit, mail = report.outside.identifying
    assert (visit.column, visit.found, visit.accepted) == ("visit", everybody, None)
    assert (mail.column, mail.found, mail.accepted) == ("mail", None, "invented for teaching (A. Roe)")
    assert mail.reason == "100 % of its values look like e-mail addresses"
    assert [one.is_needed for one in report.accepted] == [True, False, None]
    unneeded = "The policy accepts 'same', and nothing about it would block"
    assert [note.startswith(unneeded) for note in report.notes].count(True) == 1
    jsonschema.validate(stated, AuditDocument.model_json_schema())
    assert [one["accepted"] for one in stated["outside_qids"]["identifying"]] == [None, mail.accepted]
    assert stated["accepted"][1]["reason"] == "it is everywhere the same"
    for shown in (" ".join(text.split()), page):
        assert "Outside the QIDs" in shown
        assert "It is accepted: invented for teaching (A. Roe)." in shown
        assert shown.count("are told apart from everybody else") == 1


@pytest.mark.slow
def test_only_what_is_published_and_known_counts() -> None:
    """A dropped column, a direct identifier and an accepted one are not part of the rest."""
    dropped = policy("b", "same", thresholds=rest(0.9), release={"drop": ["a"]})
    accepted = policy(*GRID, thresholds=rest(0.9), **accepts("a"))
    nothing = policy(thresholds=rest(0.9))
    tables = (TABLE, dropped), (TABLE, accepted), (TABLE[["sex", "illness"]], nothing)
    assert [audited(*given)[2] for given in tables] == [[200, 0.0]] * 3


PAIRS = {
    "insensitive": (("a", "b"), ("illness",)),
    "sensitive": ((), ("a", "b", "illness")),
    "one of each": (("a",), ("b", "illness")),
}


@pytest.mark.parametrize(("insensitive", "sensitive"), PAIRS.values(), ids=PAIRS.keys())
def test_columns_that_are_unique_together_are_judged_alike_whatever_they_are_called(
    insensitive: tuple[str, ...], sensitive: tuple[str, ...]
) -> None:
    """Sensitive or not: one figure, one limit that blocks, the same few columns, one way to accept them."""
    given = policy(*insensitive, thresholds=rest(0.5), sensitive=sensitive, release={"drop": ["same"]})
    with qidguard.audit(TABLE, policy=given) as found:
        assert found.verdict is not None
        assert [result.is_met for result in found.verdict.thresholds] == [True, False]
        assert found.report.outside is not None
        [told] = found.report.outside.told_apart
        assert not found.verdict.is_passed
    assert (set(told.columns), told.found.share) == ({"a", "b", "illness"}, 1.0)
    assert [few.columns for few in told.smallest] == [("a", "b")]
    assert told.has_sensitive
    blocks, notes, figures = audited(TABLE, given | accepts("a"))
    assert (blocks, figures) == ([], [200, 0.0])
    assert not any("nothing about it would block" in note for note in notes)


def test_common_sensitive_columns_are_told_of_nobody() -> None:
    """Three illnesses and a yes or no together tell no person of 400 apart."""
    table = TABLE.assign(smokes=np.arange(PERSONS) % 2)
    given = policy(thresholds=rest(0), sensitive=["illness", "smokes"], release={"drop": list(GRID)})
    blocks, notes, figures = audited(table, given)
    assert (blocks, figures) == ([], [200, 0.0])
    assert not any("told apart" in note for note in notes)


def test_the_rest_counts_persons_and_not_records() -> None:
    """Two records a person: whoever has one of them alone is told apart, once."""
    twice = pd.concat([TABLE, TABLE.assign(b=0)]).assign(id=[*range(PERSONS), *range(PERSONS)])
    # those with b = 0 in both records share (a, 0) with 19 others
    given = policy(*GRID, thresholds=rest(0.5), role={"entity": "id"})
    assert audited(twice, given)[2] == [200, 380 / 400]


@pytest.mark.slow
def test_the_note_begins_at_its_stated_share() -> None:
    """Of 400 persons, 20 alone are the stated 5 percent, and 19 are not."""
    for alone, is_noted in ((int(NOTED_SHARE * PERSONS), True), (int(NOTED_SHARE * PERSONS) - 1, False)):
        values = [*range(1, alone + 1), *([0] * (PERSONS - alone))]
        notes = audited(TABLE[["sex", "illness"]].assign(one=values), policy("one"))[1]
        assert any("told apart" in note for note in notes) is is_noted


@pytest.mark.slow
@pytest.mark.parametrize("engine_sees", ["all", "few"])
@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_a_column_that_is_unique_per_person_blocks_until_it_is_accepted(engine_sees: str, role: str) -> None:
    """A running number, a nearly unique one and a lab value do; a table of few persons says nothing."""
    table = TABLE.assign(
        visit=DRAWN.permutation(PERSONS),
        nearly=[*range(PERSONS - 20), *([0] * 20)],
        lab=DRAWN.normal(size=PERSONS),
        half=np.arange(PERSONS) // 2,
    )
    told = ("half", "visit", "nearly", "lab")
    by_role = {"insensitive": policy(*GRID, *told), "sensitive": policy(*GRID, sensitive=["illness", *told])}
    given = by_role[role]
    if engine_sees == "few":
        assert audited(table[:19], given)[0] == []
        return
    blocks = audited(table, given)[0]
    assert all(f"is called {role}, yet" in sentence for sentence in blocks)
    assert [sentence.split("'")[1] for sentence in blocks] == ["visit", "nearly", "lab"]
    assert "379 of the 400 persons with a value" in blocks[1]
    assert audited(table, given | accepts("visit", "nearly", "lab"))[0] == []


def test_a_unique_weight_blocks_and_one_that_repeats_does_not() -> None:
    """The weight is published with the rest."""
    given = policy(*GRID, role={"weight": "w"})
    [sentence] = audited(TABLE.assign(w=1 + np.arange(PERSONS) / 7), given)[0]
    assert sentence.startswith("Column 'w' is the weight, yet 400 of the 400 persons")
    assert audited(TABLE.assign(w=2.5), given)[0] == []


IBAN = "DE89 3704 0044 0532 0130 00"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a@example.org", "b@example.org"], "e-mail addresses"),
        (["+49 30 1234567", "(030) 123-4567"], "phone numbers"),
        ([IBAN, IBAN], "IBANs"),
        (["4111 1111 1111 1111", "5500000000000004", "340000000000009"], "payment cards"),
        (["123-45-6789", "234-56-7890"], "US Social Security numbers"),
        (["943 476 5919", "401 023 2137", "450 557 7104"], "NHS numbers"),
        (["529.982.247-25", "529.982.247-25"], "Brazilian CPFs"),
        (["111222333", "123456782", "010464554"], "Dutch BSNs"),
    ],
)
@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_what_looks_like_a_direct_identifier_blocks_whatever_it_is_called(
    values: list[str], kind: str, role: str
) -> None:
    """The content decides, in a table of any size; no value stands in the sentence."""
    table = TABLE[:6].assign(x=(values * 3)[:6])
    names = {"insensitive": GRID, "sensitive": ("illness",)}
    given = policy(role=names | {role: (*names[role], "x")})
    [sentence] = audited(table, given)[0]
    assert kind in sentence
    assert not any(value in sentence for value in values)
    assert audited(table, given | accepts("x"))[0] == []


def test_ordinary_codes_look_like_nothing() -> None:
    """Years, amounts, postcodes, dates, ICD codes and random numbers of nine digits are no identifiers."""
    drawn = np.random.default_rng(3)
    table = TABLE.assign(
        year=1950 + drawn.integers(0, 60, PERSONS),
        zip=[f"{n:05d}" for n in drawn.integers(1000, 99999, PERSONS) // 700 * 700],
        icd=[f"E{n}.{n % 9}" for n in drawn.integers(10, 60, PERSONS)],
        amount=drawn.integers(10**8, 10**9, PERSONS // 4).repeat(4),
        seen=[f"{1 + n % 28:02d}-{1 + n % 12:02d}-2020" for n in drawn.integers(0, 300, PERSONS)],
    )
    names = [name for name in table if name not in {"sex", "illness"}]
    assert audited(table, policy(*names))[0] == []


@pytest.mark.slow
def test_a_name_that_recognizers_know_as_a_direct_identifier_blocks() -> None:
    """Who calls first_name insensitive has to say why."""
    given = policy(*GRID, "first_name")
    assert audited(TABLE.assign(first_name="Ann"), given)[0] == []  # one value names nobody
    [sentence] = audited(TABLE.assign(first_name=[f"n{i // 5}" for i in range(PERSONS)]), given)[0]
    assert "looks like a direct identifier: its name has 'first name'" in sentence


@pytest.mark.slow
def test_a_draft_asks_about_every_column_that_its_audit_blocks() -> None:
    """Contents under a harmless name, a unique weight, and a column that nobody knows."""
    table = TABLE.assign(
        diagnosis=[f"p{i % 7}@example.org" for i in range(PERSONS)],
        measured=DRAWN.normal(size=PERSONS),
        age=np.arange(PERSONS) % 5,
    )
    with qidguard.audit(table) as found:
        assert found.report.outside is not None
        text = drafted(found.report.columns, "draft", ReadOptions(), found.report.outside.identifying)
    drawn = parse_policy(text)
    assert drawn.accepted == ()
    asked = [line for line in text.splitlines() if line.endswith(": drop it, or accept it?")]
    with qidguard.audit(table, policy=drawn) as found:
        assert found.verdict is not None
        blocked = [b.sentence.split("'")[1] for b in found.verdict.blocks if b.rule == "accepted"]
        listed = "".join(b.sentence for b in found.verdict.blocks if b.rule == "unnamed_columns")
    assert blocked == ["diagnosis"]
    assert "'measured'" in listed
    assert [any(name in line for line in asked) for name in (*blocked, "measured")] == [True, True]


def test_an_audit_without_a_policy_says_it_as_a_note() -> None:
    """Nobody has decided on roles yet, so nothing blocks."""
    with qidguard.audit(TABLE) as found:
        assert any("are told apart from everybody else by" in note for note in found.report.notes)
