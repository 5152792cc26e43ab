"""What ``qidguard.discover`` finds, and what it says of it."""

import math
from dataclasses import replace
from itertools import combinations

import pytest

import qidguard
from qidguard.auditing.candidates import left_out
from qidguard.auditing.roles import Recognition
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
    """What recognizers call something else, and a constant, are left out, each with why; others are not."""
    found = qidguard.discover(frame, objective=D)
    assert found.candidates == ("age", "ward", "band")
    assert set(found.left_out) == {"ssn", "site", "illness"}
    assert found.left_out["illness"].startswith("recognizers call it sensitive: its name has 'illness'")
    assert found.left_out["site"] == "it has one value only"
    assert found.left_out["ssn"].startswith("it looks like a direct identifier: its name has 'ssn'")


def test_candidates_bring_back_what_recognizers_leave_out(frame):
    """A person's word goes before that of recognizers."""
    found = qidguard.discover(frame, objective=D, candidates=["age", "illness"])
    assert found.candidates == ("age", "illness")


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
    """Each has the distinction that counting its distinct rows gives, and no other set is better."""
    found = qidguard.discover(frame, objective=D, ranked=5, candidates=["age", "ward", "band", "illness"])
    assert [one.fitness for one in found.sets] == [distinct_share(frame, one.qids) for one in found.sets]
    assert [one.figures for one in found.sets] == [(one.fitness,) for one in found.sets]
    every = [
        distinct_share(frame, qids)
        for size in range(1, 5)
        for qids in combinations(["age", "ward", "band", "illness"], size)
    ]
    assert [one.fitness for one in found.sets] == sorted(every, reverse=True)[:5]
    assert found.quasi_identifiers == ("age", "ward")
    assert (found.search.is_optimum, found.search.stopped_by) == (True, StoppedBy.FINISHED)
    assert found.search.evaluations == 15


@pytest.mark.slow
def test_the_way_says_which_column_moved_what(frame):
    """Age enters first (4 of 8 combinations), then ward doubles the distinction."""
    way = qidguard.discover(frame, objective=SHORT).explained[0]
    assert [entry.columns for entry in way] == [("age",), ("ward",)]
    assert [entry.figures[0] for entry in way] == [0.5, 1.0]
    assert way[0].gain is None
    assert way[0].moves == (None, None)
    assert way[1].moves[0] == 0.5
    assert way[1].gain == pytest.approx(0.5 - 0.1)
    assert way[1].fitness == qidguard.discover(frame, objective=SHORT).best.fitness


def test_a_wide_set_is_explained_with_few_sets(monkeypatch, frame):
    """Where the steps would take too many sets, what is left enters at once."""
    monkeypatch.setattr("qidguard.discovering.running.MOST_SETS", 4)
    found = qidguard.discover(
        frame, objective={"column_count": 1}, candidates=["age", "ward", "band", "illness"]
    )
    way = next(w for s, w in zip(found.sets, found.explained, strict=False) if len(s.qids) == 4)
    assert [len(entry.columns) for entry in way] == [1, 3]
    assert way[-1].figures == (4.0,)


def test_explaining_ends_soon_after_the_budget(monkeypatch, frame):
    """When the time is up, what is left enters at once; without a budget every step is taken."""
    with monkeypatch.context() as late:
        late.setattr("qidguard.discovering.running.seconds_left", lambda _: 0.0)
        hurried = qidguard.discover(frame, objective=D).explained[0]
    assert [entry.columns for entry in hurried] == [("age", "ward")]
    patient = qidguard.discover(frame, objective=D, budget_seconds=math.inf).explained[0]
    assert [entry.columns for entry in patient] == [("age",), ("ward",)]


def test_columns_say_in_how_many_good_sets_they_are(frame):
    """The share of a column is that of the ranked sets that hold it."""
    found = qidguard.discover(frame, objective=D, ranked=4)
    for column in found.columns:
        name = column.facts.name
        assert column.share == sum(name in one.qids for one in found.sets) / 4
        assert column.is_found == (name in found.quasi_identifiers)


def test_roles_add_what_is_found_and_take_nothing_away(frame):
    """Ward is one by statistics, age stays one by name, and an unknown column is never called safe."""
    roles = {
        r.column: r
        for r in qidguard.discover(frame.rename(columns={"band": "xyzzy"}), objective=SHORT).roles()
    }
    assert {name: role.role for name, role in roles.items()} == {
        "ssn": Role.DIRECT_IDENTIFIER,
        "age": Role.QUASI_IDENTIFIER,
        "ward": Role.QUASI_IDENTIFIER,
        "xyzzy": Role.UNCLASSIFIED,
        "site": Role.UNCLASSIFIED,
        "illness": Role.SENSITIVE,
    }
    assert roles["age"].decided_by is DecidedBy.LEXICON
    assert roles["ward"].decided_by is DecidedBy.STATISTICS
    assert roles["ward"].reason.endswith("best sets; raised distinction by 0.5")


def test_a_quasi_identifier_by_name_stays_one_although_the_search_leaves_it_out(frame):
    """Sex is constant here but for one record, and the search takes age: names keep their word."""
    frame["sex"] = ["f"] * 7 + ["m"]
    found = qidguard.discover(frame, objective=D, largest=1)
    assert found.quasi_identifiers == ("age",)
    assert {r.column: r.role for r in found.roles()}["sex"] is Role.QUASI_IDENTIFIER
    assert any("Found by name and not by the search: 'sex'" in note for note in found.notes)


def test_every_discovery_says_what_it_cannot_know(frame):
    """Counts are no knowledge of what outsiders hold."""
    found = qidguard.discover(frame, objective=D)
    assert "It cannot know which of them an outsider knows" in found.notes[0]
    assert "cannot know" in str(found)


def test_a_policy_says_what_is_no_candidate_and_how_to_search(frame):
    """Its roles leave columns out, and its discovery section is what nobody overrides."""
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {
            "quasi_identifiers": ["age"],
            "sensitive": ["illness"],
            "insensitive": ["ward"],
            "entity": "ssn",
        },
        "preset": "pdpc-sg-5",
        "discovery": {"strategy": "greedy", "objective": D, "seed": 3, "largest": 1, "budget_seconds": 9},
    }
    found = qidguard.discover(frame, policy=policy)
    assert found.candidates == ("age", "band")
    assert found.left_out["ward"] == "the policy says that it is insensitive"
    assert found.left_out["ssn"] == "the policy says that it is the entity"
    assert (found.strategy, found.search.seed, found.largest, found.budget_seconds) == ("greedy", 3, 1, 9)
    assert found.entities == 8
    other = qidguard.discover(frame, policy=policy, strategy="exhaustive", seed=4, largest=2, objective=SHORT)
    assert (other.strategy, other.search.seed, other.largest) == ("exhaustive", 4, 2)
    assert [term.metric for term in other.terms] == ["distinction", "column_count"]


@pytest.mark.slow
def test_the_policys_parameters_go_with_the_policys_strategy(frame):
    """Another strategy does not get them."""
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["age"]},
        "preset": "pdpc-sg-5",
        "discovery": {"strategy": "beam", "objective": D, "parameters": {"width": 2}},
    }
    assert qidguard.discover(frame, policy=policy).parameters["width"] == 2
    assert qidguard.discover(frame, policy=policy, parameters={"width": 3}).parameters["width"] == 3
    assert "width" not in qidguard.discover(frame, policy=policy, strategy="greedy").parameters


def test_persons_are_entities(frame):
    """Two records a person: over ward each person is in both classes, so nobody is told apart by it."""
    frame["person"] = ["p", "p", "q", "q", "r", "r", "s", "s"]
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["age"], "entity": "person", "insensitive": ["illness", "ssn"]},
        "preset": "pdpc-sg-5",
    }
    found = qidguard.discover(frame, policy=policy, objective=D)
    assert (found.entities, found.best.fitness) == (4, 1.0)
    assert found.quasi_identifiers == ("age",)


def test_candidates_can_be_named(frame):
    """They are searched in the table's order, whatever they look like; all others are left out."""
    found = qidguard.discover(frame, objective=D, candidates=["site", "ssn"])
    assert found.candidates == ("ssn", "site")
    assert found.left_out["age"] == "it is not among the candidates named"


@pytest.mark.slow
def test_scores_hold_each_set_against_the_truth(frame):
    """Of the truth, age and band, the best set {age, ward} has one: recall and precision are one half."""
    found = qidguard.discover(frame, objective=SHORT, truth=["band", "age"])
    assert found.truth == ("age", "band")
    assert found.quasi_identifiers == ("age", "ward")
    assert (found.best.scores["recall"], found.best.scores["precision"]) == (0.5, 0.5)
    assert found.best.scores["specificity"] == 3 / 4  # ssn, site and illness of the four others are not found
    assert qidguard.discover(frame, objective=D).best.scores == {}


@pytest.mark.slow
def test_names_are_scored_with_the_search_apart(frame):
    """The search alone misses sex, which its name tells: recall 1/2, and 1 together."""
    frame["sex"] = ["f"] * 7 + ["m"]
    found = qidguard.discover(frame, objective=D, largest=1, truth=["age", "sex"])
    assert (found.best.scores["recall"], found.with_names["recall"]) == (0.5, 1.0)
    assert qidguard.discover(frame, objective=D).with_names == {}


def test_an_objective_weighs_several_sensitive_attributes_by_their_mean(frame):
    """Its weight is shared among them, so two of them do not count twice."""
    found = qidguard.discover(
        frame, objective={"l_diversity": 1}, sensitive=["illness", "band"], candidates=["age", "ward"]
    )
    assert [(t.metric, t.attribute, t.weight) for t in found.terms] == [
        ("l_diversity", "illness", 0.5),
        ("l_diversity", "band", 0.5),
    ]
    assert found.best.fitness == pytest.approx(math.fsum(found.best.figures) / 2)


def test_weights_replace_add_and_remove(frame):
    """0 takes a term out; a metric that the objective lacks is added."""
    found = qidguard.discover(
        frame, objective=SHORT, weights={"column_count": 0, "distinction": 2, "separation": 1}
    )
    assert [(t.metric, t.weight) for t in found.terms] == [("distinction", 2), ("separation", 1)]


def test_an_objective_can_be_given_whole(frame):
    """A ratio says which of its terms divide, and a change counts 0 in the end."""
    ratio = Objective(
        name="mine",
        title="Mine",
        terms=(Term(metric="distinction"), Term(metric="delta_distinction")),
        divisors=(Term(metric="attribute_length_penalty", weight=2),),
    )
    found = qidguard.discover(frame, objective=ratio, strategy="greedy")
    assert [(t.metric, t.is_divisor, t.is_change) for t in found.terms] == [
        ("distinction", False, False),
        ("delta_distinction", False, True),
        ("attribute_length_penalty", True, False),
    ]
    figures = found.best.figures
    assert figures[1] == 0
    assert found.best.fitness == pytest.approx(figures[0] / (2 * figures[2]))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_discovery_for_any_number_of_threads(frame):
    """Only times differ."""
    one, two = (
        qidguard.discover(frame, objective=SHORT, strategy="evolutionary", seed=5, threads=threads)
        for threads in (1, 2)
    )
    assert (one.sets, one.front, one.explained, one.columns) == (
        two.sets,
        two.front,
        two.explained,
        two.columns,
    )


def test_the_callers_table_is_not_changed(frame):
    """The frame is what it was."""
    before = frame.copy(deep=True)
    qidguard.discover(frame, objective=D)
    assert before.equals(frame)


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
        (
            {"objective": D, "weights": {"distinction": 0}},
            "is left without a term; give a metric another weight than 0",
        ),
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
        (
            {"strategy": "beam", "parameters": [2]},
            "parameters must be a mapping with names as keys, not list",
        ),
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
    with pytest.raises(
        UserError, match="no column is left to be searched \\('site': it has one value only\\)"
    ):
        qidguard.discover(frame[["site"]], objective=D)
