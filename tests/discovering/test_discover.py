"""What ``qidguard.discover`` finds, and what it says of it."""

import math
from dataclasses import replace
from itertools import combinations

import pytest

import qidguard
from qidguard.auditing.candidates import left_out
from qidguard.auditing.recognizing import Recognition
from qidguard.sdk import (
    ColumnFacts,
    DecidedBy,
    Evidence,
    Objective,
    Role,
    RoleProposal,
    StoppedBy,
    Term,
    UserError,
    ValueType,
)

D = {"distinction": 1}
SHORT = {"distinction": 1, "column_count": -0.1}


def distinct_share(frame, qids) -> float:
    """Return the number of distinct rows over ``qids`` for each record."""
    return len(frame[list(qids)].drop_duplicates()) / len(frame)


def test_candidates_are_what_may_be_a_quasi_identifier(frame):
    """What recognizers call something else, and a constant, are left out, each with why, but if named."""
    before = frame.copy(deep=True)
    found = qidguard.discover(frame, objective=D)
    assert found.candidates == ("age", "ward", "band")
    assert {name: why.split(":")[0] for name, why in found.left_out.items()} == {
        "ssn": "it looks like a direct identifier",
        "site": "it has one value only",
        "illness": "recognizers call it sensitive",
    }
    assert "It cannot know which of them an outsider knows" in found.notes[0]
    assert "cannot know" in str(found)
    named = qidguard.discover(frame, objective=D, candidates=["site", "illness", "ssn"])
    assert (named.candidates, named.left_out["age"]) == (
        ("ssn", "site", "illness"),
        "it is not among the candidates named",
    )
    assert before.equals(frame)


def test_what_is_only_asked_or_a_qid_as_well_is_searched():
    """A question leaves nothing out, and a column may be known by outsiders and sensitive at once."""
    why = Evidence(by=DecidedBy.LEXICON, sentence="a word")
    sure = {role: RoleProposal.of("x", role, 0.9, why) for role in Role}
    qid = sure[Role.QUASI_IDENTIFIER]
    both = replace(qid, assignment=replace(qid.assignment, is_also_sensitive=True))
    facts = [ColumnFacts(name="x", value_type=ValueType.TEXT, records=9, distinct=3, missing=0)]
    gone = {Role.DIRECT_IDENTIFIER, Role.SENSITIVE, Role.TARGET, Role.TREATMENT, Role.WEIGHT}
    for role, proposal in sure.items():
        assert bool(left_out(facts, Recognition(proposals={"x": proposal}))) == (role in gone), role
    asked = RoleProposal.of("x", Role.SENSITIVE, 0.3, why)
    for kept in (both, asked):
        assert left_out(facts, Recognition(proposals={"x": kept})) == {}


def test_sets_are_ranked_by_their_own_figures(frame):
    """Each has the distinction that counting its distinct rows gives, and columns say in how many."""
    names = ["age", "ward", "band", "illness"]
    found = qidguard.discover(frame, objective=D, ranked=5, candidates=names)
    every = [distinct_share(frame, qids) for size in range(1, 5) for qids in combinations(names, size)]
    assert [one.fitness for one in found.sets] == sorted(every, reverse=True)[:5]
    assert [one.fitness for one in found.sets] == [distinct_share(frame, one.qids) for one in found.sets]
    assert [one.figures for one in found.sets] == [(one.fitness,) for one in found.sets]
    assert found.quasi_identifiers == ("age", "ward")
    search = found.search
    assert (search.is_optimum, search.stopped_by, search.evaluations) == (True, StoppedBy.FINISHED, 15)
    for column in found.columns:
        name = column.facts.name
        assert column.share == sum(name in one.qids for one in found.sets) / 5
        assert column.is_found == (name in found.quasi_identifiers)


@pytest.mark.slow
def test_the_way_says_which_column_moved_what(frame):
    """Age enters first (4 of 8 combinations), then ward doubles the distinction."""
    first, second = qidguard.discover(frame, objective=SHORT).explained[0]
    assert (first.columns, first.figures[0], first.gain, first.moves) == (("age",), 0.5, None, (None, None))
    assert (second.columns, second.figures[0], second.moves[0]) == (("ward",), 1.0, 0.5)
    assert second.gain == pytest.approx(0.5 - 0.1)
    assert second.fitness == qidguard.discover(frame, objective=SHORT).best.fitness


def test_a_wide_set_is_explained_with_few_sets(monkeypatch, frame):
    """Where the steps would take too many sets, what is left enters at once."""
    monkeypatch.setattr("qidguard.discovering.running.MOST_SETS", 4)
    names = ["age", "ward", "band", "illness"]
    found = qidguard.discover(frame, objective={"column_count": 1}, candidates=names)
    way = next(w for s, w in zip(found.sets, found.explained, strict=False) if len(s.qids) == 4)
    assert ([len(entry.columns) for entry in way], way[-1].figures) == ([1, 3], (4.0,))


def test_explaining_ends_soon_after_the_budget(monkeypatch, frame):
    """When the time is up, what is left enters at once; without a budget every step is taken."""
    with monkeypatch.context() as late:
        late.setattr("qidguard.discovering.running.seconds_left", lambda _: 0.0)
        hurried = qidguard.discover(frame, objective=D).explained[0]
    assert [entry.columns for entry in hurried] == [("age", "ward")]
    patient = qidguard.discover(frame, objective=D, budget_seconds=math.inf).explained[0]
    assert [entry.columns for entry in patient] == [("age",), ("ward",)]


def test_roles_add_what_is_found_and_take_nothing_away(frame):
    """Ward is one by statistics, age stays one by name, and an unknown column is never called safe."""
    found = qidguard.discover(frame.rename(columns={"band": "xyzzy"}), objective=SHORT).roles()
    assert {one.column: (one.role, one.decided_by) for one in found} == {
        "ssn": (Role.DIRECT_IDENTIFIER, DecidedBy.LEXICON),
        "age": (Role.QUASI_IDENTIFIER, DecidedBy.LEXICON),
        "ward": (Role.QUASI_IDENTIFIER, DecidedBy.STATISTICS),
        "xyzzy": (Role.UNCLASSIFIED, DecidedBy.NOBODY),
        "site": (Role.UNCLASSIFIED, DecidedBy.NOBODY),
        "illness": (Role.SENSITIVE, DecidedBy.LEXICON),
    }
    assert found[2].reason.endswith("best sets; raised distinction by 0.5")
    frame["sex"] = ["f"] * 7 + ["m"]  # the search takes age: names keep their word
    other = qidguard.discover(frame, objective=D, largest=1)
    assert other.quasi_identifiers == ("age",)
    assert {r.column: r.role for r in other.roles()}["sex"] is Role.QUASI_IDENTIFIER
    assert any("Found by name and not by the search: 'sex'" in note for note in other.notes)


def policy(discovery, **roles):
    """Return a policy of a preset with these roles and this section."""
    fields = {"qidguard": 1, "name": "p", "preset": "pdpc-sg-5"}
    return fields | {"roles": {"quasi_identifiers": ["age"], **roles}, "discovery": discovery}


def test_a_policy_says_what_is_no_candidate_and_how_to_search(frame):
    """Its roles leave columns out, and its discovery section is what nobody overrides."""
    section = {"strategy": "greedy", "objective": D, "seed": 3, "largest": 1, "budget_seconds": 9}
    rules = policy(section, sensitive=["illness"], insensitive=["ward"], entity="ssn")
    found = qidguard.discover(frame, policy=rules)
    assert (found.candidates, found.entities) == (("age", "band"), 8)
    assert found.left_out["ward"] == "the policy says that it is insensitive"
    assert found.left_out["ssn"] == "the policy says that it is the entity"
    assert (found.strategy, found.search.seed, found.largest, found.budget_seconds) == ("greedy", 3, 1, 9)
    other = qidguard.discover(frame, policy=rules, strategy="exhaustive", seed=4, largest=2, objective=SHORT)
    assert (other.strategy, other.search.seed, other.largest) == ("exhaustive", 4, 2)
    assert [term.metric for term in other.terms] == ["distinction", "column_count"]


@pytest.mark.slow
def test_the_policys_parameters_go_with_the_policys_strategy(frame):
    """Another strategy does not get them."""
    rules = policy({"strategy": "beam", "objective": D, "parameters": {"width": 2}})
    given = ({}, {"parameters": {"width": 3}}, {"strategy": "greedy"})
    found = [qidguard.discover(frame, policy=rules, **more).parameters.get("width") for more in given]
    assert found == [2, 3, None]


def test_persons_are_entities(frame):
    """Two records a person: over ward each person is in both classes, so nobody is told apart by it."""
    frame["person"] = ["p", "p", "q", "q", "r", "r", "s", "s"]
    rules = policy({"objective": D}, entity="person", insensitive=["illness", "ssn"])
    found = qidguard.discover(frame, policy=rules)
    assert (found.entities, found.best.fitness, found.quasi_identifiers) == (4, 1.0, ("age",))


@pytest.mark.slow
def test_scores_hold_each_set_against_the_truth(frame):
    """Of the truth, age and band, the best set {age, ward} has one: recall and precision are one half."""
    found = qidguard.discover(frame, objective=SHORT, truth=["band", "age"])
    assert (found.truth, found.quasi_identifiers) == (("age", "band"), ("age", "ward"))
    # ssn, site and illness of the four others are not found
    scores = {name: found.best.scores[name] for name in ("recall", "precision", "specificity")}
    assert scores == {"recall": 0.5, "precision": 0.5, "specificity": 3 / 4}
    without = qidguard.discover(frame, objective=D)
    assert (without.best.scores, without.with_names) == ({}, {})
    frame["sex"] = ["f"] * 7 + ["m"]  # the search alone misses it, and its name tells
    named = qidguard.discover(frame, objective=D, largest=1, truth=["age", "sex"])
    assert (named.best.scores["recall"], named.with_names["recall"]) == (0.5, 1.0)


RATIO = Objective(
    name="mine",
    title="Mine",
    terms=(Term(metric="distinction"), Term(metric="delta_distinction")),
    divisors=(Term(metric="attribute_length_penalty", weight=2),),
)
TWO = {"objective": {"l_diversity": 1}, "sensitive": ["illness", "band"], "candidates": ["age", "ward"]}


def test_an_objective_weighs_what_it_is_told_to(frame):
    """Several sensitive attributes share a weight; 0 takes a term out; divisors divide, changes count 0."""
    found = qidguard.discover(frame, **TWO)
    told = [(t.metric, t.attribute, t.weight) for t in found.terms]
    assert told == [("l_diversity", "illness", 0.5), ("l_diversity", "band", 0.5)]
    assert found.best.fitness == pytest.approx(math.fsum(found.best.figures) / 2)
    weights = {"column_count": 0, "distinction": 2, "separation": 1}
    changed = qidguard.discover(frame, objective=SHORT, weights=weights)
    assert [(t.metric, t.weight) for t in changed.terms] == [("distinction", 2), ("separation", 1)]
    ratio = qidguard.discover(frame, objective=RATIO, strategy="greedy")
    assert [(t.metric, t.is_divisor, t.is_change) for t in ratio.terms] == [
        ("distinction", False, False),
        ("delta_distinction", False, True),
        ("attribute_length_penalty", True, False),
    ]
    share, change, penalty = ratio.best.figures
    assert (change, ratio.best.fitness) == (0, pytest.approx(share / (2 * penalty)))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_discovery_for_any_number_of_threads(frame):
    """Only times differ."""
    asked = {"objective": SHORT, "strategy": "evolutionary", "seed": 5}
    found = [qidguard.discover(frame, threads=threads, **asked) for threads in (1, 2)]
    one, two = ((each.sets, each.front, each.explained, each.columns) for each in found)
    assert one == two


def test_missing_values_are_a_value_of_their_own(frame):
    """Ward a, b and missing make three classes."""
    frame.loc[0, "ward"] = None
    found = qidguard.discover(frame, objective=D, candidates=["ward"])
    assert found.best.fitness == 3 / 8


@pytest.mark.samples(3)
@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"objective": "recogniton"}, "there is no objective 'recogniton'; did you mean 'recognition'?"),
        ({"objective": {"distinctoin": 1}}, "there is no metric 'distinctoin'; did you mean 'distinction'?"),
        ({"objective": {}}, "an objective weighs at least one metric"),
        ({"objective": {"distinction": math.nan}}, "the weight of 'distinction' must be finite"),
        ({"objective": 5}, "an objective is a name, metrics with their weights, or an Objective, not int"),
        ({"objective": {"accuracy": 1}}, "'accuracy' is measured beside a target column; name one"),
        ({"weights": {"distinction": 0}}, "is left without a term; give a metric another weight than 0"),
        ({"strategy": "gredy"}, "there is no search strategy 'gredy'; did you mean 'greedy'?"),
        ({"strategy": "beam", "parameters": {"wide": 2}}, "strategy 'beam': unknown parameter 'wide'"),
        ({"parameters": {"width": 2}}, "parameters belong to a strategy; name one beside them"),
        ({"candidates": ["agee"]}, "candidates: the table has no column 'agee'; did you mean 'age'?"),
        ({"candidates": []}, "no column is left to be searched"),
        ({"truth": ["agee"]}, "truth: the table has no column 'agee'; did you mean 'age'?"),
        ({"target": "agee"}, "target: the table has no column 'agee'; did you mean 'age'?"),
        ({"target": "age", "candidates": ["age"]}, "candidates: 'age' is the target"),
        ({"seed": -1}, "the seed must be at least 0, not -1"),
        ({"budget_seconds": 0}, "budget_seconds must be above 0, not 0"),
        ({"largest": 0}, "the largest set may have 1..3 columns, not 0"),
        ({"ranked": 0}, "at least 1 set must be ranked, not 0"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"largest": "2"}, "largest must be a whole number, not '2'"),
        ({"ranked": True}, "ranked must be a whole number, not True"),
        ({"strategy": 5}, "strategy must be a name, not 5"),
        ({"budget_seconds": "9"}, "budget_seconds must be a number of seconds, not '9'"),
        ({"weights": ["distinction"]}, "weights must be a mapping with names as keys, not list"),
        ({"strategy": "beam", "parameters": [2]}, "parameters must be a mapping with names as keys, not"),
        ({"objective": {1: 2}}, "an objective weighs metrics by name, and 1 is none"),
        ({"objective": {"distinction": 1e300}}, "must lie in -1e+15..1e+15, not 1e+300"),
        ({"target": "age", "treatment": "age"}, "'age' cannot be the target and the treatment"),
        ({"candidates": "ae"}, "candidates: the table has no column 'ae'"),
    ],
)
def test_mistakes_are_said_in_one_sentence(frame, wrong, expected):
    """The rule, the value and the remedy."""
    with pytest.raises(UserError) as caught:
        qidguard.discover(frame, **({"objective": D} | wrong))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_is_left_to_search_where_all_is_constant(frame):
    """The sentence names the columns and why."""
    said = r"no column is left to be searched \('site': it has one value only\)"
    with pytest.raises(UserError, match=said):
        qidguard.discover(frame[["site"]], objective=D)
