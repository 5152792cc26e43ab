"""What outsiders can plausibly know goes, on wide tables, before what is merely distinct."""

import json
import sys

import jsonschema
import numpy as np
import pandas as pd
import pytest

import qidguard
from qidguard.auditing.recognizing import Recognition
from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.kind import ColumnKind
from qidguard.core.recognizer import DiscoveryTask, Evidence, KindProposal, RoleProposal
from qidguard.core.role import DecidedBy, Role
from qidguard.discovering.console import console_text
from qidguard.discovering.discover import discover_in
from qidguard.discovering.document import published_discovery_schema
from qidguard.discovering.prepared import do_names_tell, plausibilities
from qidguard.search.protocol import Termination

WHY = Evidence(by=DecidedBy.CONTENT, sentence="of its values")
D = {"distinction": 1}
HARDLY_KNOWN = (ColumnKind.AMOUNT, ColumnKind.TEXT, ColumnKind.KEY)
OPEN_KINDS = [kind for kind in ColumnKind if kind not in HARDLY_KNOWN]


def narrow() -> pd.DataFrame:
    """Return eight records: age makes 4 classes, lab 5 in decimals."""
    return pd.DataFrame(
        {"age": [30, 30, 41, 41, 52, 52, 63, 63], "lab": [0.5, 1.25, 2.5, 3.75, 4.5, 4.5, 4.5, 4.5]}
    )


def wide(names: str, seed: int = 0, records: int = 1500) -> tuple[pd.DataFrame, list[str]]:
    """Return 60 columns of which eight are QIDs, and their names: words, codes or places."""
    draw = np.random.default_rng(seed)

    def words(several: int, before: str) -> np.ndarray:
        share = 1 / np.arange(1, several + 1) ** 0.7
        return np.array([f"{before}{i}" for i in draw.choice(several, records, p=share / share.sum())])

    known = {
        "age": draw.integers(18, 95, records),
        "sex": draw.choice(["m", "f"], records),
        "postcode": words(60, "10"),
        "marital_status": draw.choice(["single", "married", "divorced", "widowed"], records),
        "nationality": words(12, "nation "),
        "occupation": words(25, "job "),
        "education": words(6, "level "),
        "ethnicity": words(5, "group "),
    }
    other: dict[str, object] = {f"lab_{i}": np.round(draw.lognormal(2, 0.6, records), 2) for i in range(18)}
    other |= {f"events_{i}": draw.gamma(2, 9, records).astype(int) for i in range(10)}
    other |= {f"batch_{i}": words(int(draw.integers(4, 30)), "c") for i in range(12)}
    for i in range(12):
        other[f"checked_{i}"] = (draw.random(records) < draw.uniform(0.02, 0.3)).astype(int)
    frame = pd.DataFrame({**known, **other})
    frame = frame[[frame.columns[i] for i in draw.permutation(len(frame.columns))]]
    before = {"words": "", "codes": "zz", "none": "column"}[names]
    renamed = {n: f"{before}{i:02d}" if before else n for i, n in enumerate(frame.columns)}
    return frame.rename(columns=renamed), [renamed[name] for name in known]


def facts(name: str = "x", value_type: ValueType = ValueType.INTEGER, distinct: int = 4) -> ColumnFacts:
    """Return the facts of a column of 20 records."""
    return ColumnFacts(name=name, value_type=value_type, records=20, distinct=distinct, missing=0)


def known_by(
    role: Role | None = None, confidence: float = 0.9, kind: ColumnKind | None = None
) -> Recognition:
    """Return what recognizers say of the column x."""
    roles = () if role is None else (RoleProposal.of("x", role, confidence, WHY),)
    told = [] if kind is None else [KindProposal(column="x", kind=kind, confidence=0.9, evidence=(WHY,))]
    proposals = {one.assignment.column: one for one in roles}
    return Recognition(proposals=proposals, rivals={"x": roles}, kinds={one.column: one for one in told})


@pytest.mark.parametrize(
    ("column", "recognition", "share"),
    [
        (facts(), known_by(Role.QUASI_IDENTIFIER), 1.0),
        (facts(), known_by(Role.QUASI_IDENTIFIER, kind=ColumnKind.AMOUNT), 1.0),
        (facts(), known_by(Role.QUASI_IDENTIFIER, 0.3), 0.8),
        (facts(), known_by(Role.SENSITIVE, 0.3), 0.5),
        (facts(), known_by(), 0.5),
        *((facts(), known_by(kind=kind), 0.5) for kind in OPEN_KINDS),
        *((facts(), known_by(kind=kind), 0.1) for kind in HARDLY_KNOWN),
        (facts(value_type=ValueType.NUMBER), known_by(), 0.1),
        (facts(value_type=ValueType.NUMBER), known_by(kind=ColumnKind.CODE), 0.5),
        (facts(distinct=19), known_by(), 0.1),
        (facts(distinct=19, value_type=ValueType.DATE), known_by(), 0.5),
        (facts(distinct=19), known_by(kind=ColumnKind.PLACE), 0.5),
    ],
)
def test_the_plausibility_of_a_column_follows_from_what_is_known_of_it(column, recognition, share):
    """QIDs 1, questions 0.8, what outsiders hardly hold 0.1, and what nobody can say 0.5."""
    found = plausibilities([column], recognition)
    assert found["x"].share == share
    assert found["x"].why


def test_a_narrow_table_is_searched_by_the_objective_alone_unless_somebody_asks():
    """Five classes by lab, four by age: an outsider knows the age, so that is best if asked."""
    found, asked = (
        qidguard.discover(narrow(), objective=D, largest=1, prefer_known=given) for given in (None, True)
    )
    told = [
        (each.quasi_identifiers, each.best.fitness, each.best.preferred_fitness) for each in (found, asked)
    ]
    assert told == [(("lab",), 5 / 8, None), (("age",), 0.5, 0.5)]
    assert (found.prefers_known, found.without_preference) == (False, None)
    assert "plausible" not in str(found)
    assert "preferred" not in found.to_frame().to_string()
    lab = asked.sets[1]
    assert (asked.without_preference.qids, lab.fitness) == (("lab",), 5 / 8)
    assert lab.preferred_fitness == pytest.approx(5 / 8 * 0.1**4)
    for said in ("by the objective alone the search finds lab (0.6250)", "--no-prefer-known"):
        assert any(said in note for note in asked.notes)


ALSO = [(a, b) for a in ("greedy", "tabu", "evolutionary") for b in ("recognition", "linear")][1:]


@pytest.mark.parametrize(
    ("strategy", "objective"),
    [("greedy", "recognition"), *(pytest.param(*pair, marks=pytest.mark.slow) for pair in ALSO)],
)
def test_what_would_be_best_without_is_what_the_same_search_finds_without(strategy, objective):
    """Sixty columns: a climb from the preferred sets ends up to a fifth lower than a search of its own."""
    frame, _ = wide("words", records=60)
    mine = {"objective": objective, "strategy": strategy, "seed": 3, "budget_seconds": 600}
    with_it, without = (qidguard.discover(frame, prefer_known=given, **mine) for given in (None, False))
    assert set(with_it.without_preference.qids) == set(without.quasi_identifiers) != set(with_it.best.qids)
    assert with_it.without_preference.fitness == without.best.fitness > with_it.best.fitness


def test_a_second_search_that_is_cut_short_leaves_the_best_set_seen(with_offers):
    """Ctrl-C before its first set, and a gate, which makes none: the note says "seen"."""
    asked = []

    class Once:
        name, title, parameters = "once", "age, then nothing", ()

        def search(self, problem, _arguments, _seed):
            asked.append(problem)
            if len(asked) > 1:
                raise KeyboardInterrupt
            problem.evaluate([frozenset({"age"})])
            return Termination()

    mine = {"objective": D, "largest": 1, "prefer_known": True}
    found = qidguard.discover(narrow(), strategy="once", host=with_offers(search_strategies=Once()), **mine)
    assert (found.quasi_identifiers, found.without_preference.qids, len(asked)) == (("age",), ("lab",), 2)
    assert any("by the objective alone the best set seen is lab (0.6250)" in note for note in found.notes)
    task = DiscoveryTask(strategy="greedy", **mine)
    with qidguard.audit(narrow()) as audited:
        gate = discover_in(audited.table, ["age", "lab"], task, must_finish=True)
    assert any("the best set seen is lab" in note for note in gate.notes)


def test_a_set_of_a_policy_counts_as_known_and_the_policy_can_ask():
    """The policy calls lab a QID and asks for the preference; nothing is more plausible, so lab is best."""
    rules = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["lab"]},
        "unnamed_columns": "insensitive",
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        "discovery": {"prefer_known": True, "objective": D, "largest": 1},
    }
    frame = narrow().assign(score=[0.25, 0.5, 0.75, 1.5, 2.5, 3.5, 4.5, 4.5])
    found = qidguard.discover(frame, rules)
    assert found.prefers_known
    assert found.columns[1].plausibility.share == 1
    assert found.quasi_identifiers == ("lab",)
    assert qidguard.discover(frame, rules, prefer_known=False).quasi_identifiers == ("score",)


@pytest.mark.slow
def test_columns_that_are_equally_plausible_are_searched_as_without():
    """Sixteen columns of two codes: the answer holds no preference, for there is none."""
    frame = pd.DataFrame({f"zz{i}": [(row >> i % 4) & 1 for row in range(16)] for i in range(16)})
    found = [qidguard.discover(frame, objective=D, prefer_known=given) for given in (None, False)]
    assert [one.prefers_known for one in found] == [False, False]
    assert found[0].sets == found[1].sets


def test_the_answer_says_how_plausible_each_column_is_and_why():
    """The document, which fits its schema, the table of sets, the console and the notebook."""
    found = qidguard.discover(narrow(), objective=D, prefer_known=True)
    document = json.loads(found.to_json())
    jsonschema.Draft202012Validator(json.loads(published_discovery_schema())).validate(document)
    assert [one["plausibility"]["share"] for one in document["columns"]] == [1.0, 0.1]
    assert document["without_preference"]["quasi_identifiers"] == ["age", "lab"]
    row = found.to_frame().set_index("quasi_identifiers").loc[[("age", "lab")]].iloc[0]
    assert (row["plausibility"], row["fitness"] > row["preferred_fitness"]) == (pytest.approx(0.55), True)
    text = console_text(found)
    assert "plausible 1: a proposed QID" in " ".join(text.split())
    assert "preferred fitness, then fitness by the objective" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "plausible 1: a proposed QID" in found._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize(("names", "is_on"), [("words", True), ("codes", False), ("none", False)])
def test_where_no_name_tells_anything_nobody_is_preferred_unless_somebody_asks(names, is_on):
    """That nobody calls zz17 a quasi-identifier is no evidence; a search in a table of words prefers."""
    frame, _ = wide(names, records=200)
    asked = {"strategy": "greedy", "objective": D, "largest": 1}
    found = [qidguard.discover(frame, prefer_known=given, **asked) for given in (None, True)]
    assert [one.prefers_known for one in found] == [is_on, True]


def test_names_tell_when_they_do_so_of_a_tenth_of_the_columns():
    """One name is enough for ten columns and not for eleven; what content tells does not count."""
    named = RoleProposal.of("x", Role.SENSITIVE, 0.9, Evidence(by=DecidedBy.LEXICON, sentence="its name"))
    by_name, by_content = Recognition(proposals={"x": named}), known_by(Role.QUASI_IDENTIFIER)
    asked = ((10, by_name), (11, by_name), (5, by_content))
    assert [do_names_tell(*each) for each in asked] == [True, False, False]


GAINED = {
    # names, objective → F1 at least, more than without at least
    ("words", "recognition"): (0.95, 0.5),
    ("codes", "recognition"): (0.35, 0.05),
    ("none", "recognition"): (0.35, 0.05),
    ("words", "linear"): (0.95, 0.5),
    ("codes", "linear"): (0.5, 0.2),
    ("none", "linear"): (0.5, 0.2),
}


@pytest.mark.slow
@pytest.mark.parametrize(("names", "objective"), GAINED)
def test_a_wide_table_gives_its_quasi_identifiers_where_names_tell_some_of_them(names, objective):
    """Sixty columns: the F1 with the preference, and how much better that is than without."""
    frame, truth = wide(names)
    mine = {"objective": objective, "truth": truth, "budget_seconds": 600}
    by = [qidguard.discover(frame, prefer_known=given, **mine).best.scores for given in (True, False)]
    for given, scores in zip((True, False), by, strict=True):
        shown = ", ".join(f"{name} {score:.2f}" for name, score in scores.items())
        sys.stdout.write(f"{names}, {objective}, prefer_known={given}: {shown}\n")
    least, gained = GAINED[names, objective]
    assert by[0]["f1_score"] >= least
    assert by[0]["f1_score"] - by[1]["f1_score"] >= gained


@pytest.mark.slow
@pytest.mark.realdata
def test_the_best_set_of_a_hospital_table_is_what_outsiders_know_and_no_number_of_an_encounter(data):
    """Fifty columns, all that vary searched: numbers go out, age, race, gender and specialty are in."""
    frame = pd.read_csv(data / "hospital" / "diabetic_data.csv", na_values="?", dtype=str, nrows=3000)
    candidates = [name for name in frame.columns if len(frame[name].value_counts()) > 1]
    truth = json.loads((data / "roles.json").read_text())["hospital"]["quasi_identifier"]
    mine = {"objective": "linear", "candidates": candidates, "truth": truth, "budget_seconds": 600}
    known, plain = (qidguard.discover(frame, prefer_known=given, **mine) for given in (None, False))
    numbers = {"encounter_id", "patient_nbr"}
    assert {"age", "race", "gender", "medical_specialty"} <= set(known.quasi_identifiers)
    assert (bool(numbers & {*known.quasi_identifiers}), bool(numbers & {*plain.quasi_identifiers})) == (
        False,
        True,
    )
    assert known.best.scores["precision"] >= 0.8 > plain.best.scores["precision"]


@pytest.mark.parametrize("given", [1, "yes"])
def test_anything_but_true_and_false_is_refused(given):
    """One sentence names the argument."""
    with pytest.raises(qidguard.UserError, match="prefer_known must be True, False or None"):
        qidguard.discover(narrow(), objective=D, prefer_known=given)
