"""How a search ends: by itself, by its budget, by Ctrl-C, by a fault."""

import re

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import (
    DiscoveryTask,
    NotMeasurable,
    Objective,
    PluginError,
    RecognitionScore,
    StoppedBy,
    Term,
    Termination,
    UserError,
    discover_in,
)

D = {"distinction": 1}
CANDIDATES = ["age", "ward", "band"]


class Strategy:
    """A strategy that looks at single columns, then does what a test tells it to."""

    name = "mine"
    title = "Mine"
    parameters = ()

    def __init__(self, then) -> None:
        self.then = then

    def search(self, problem, arguments, seed):
        """Look at each column, then go on as told."""
        problem.evaluate([frozenset({name}) for name in problem.candidates])
        return self.then(problem)


def interrupt(_problem):
    """Press Ctrl-C."""
    raise KeyboardInterrupt


def never_end(problem):
    """Search until the budget ends it."""
    while not problem.is_stopped:
        pass
    return Termination()


def crash(_problem):
    """Fail with a value of the table."""
    raise RuntimeError("flu")


@pytest.fixture
def ending(frame, with_offers):
    """Return a discovery by a strategy that ends as told."""

    def found(then, **more):
        host = with_offers(search_strategies=Strategy(then))
        return qidguard.discover(frame, objective=D, strategy="mine", host=host, **more)

    return found


def test_ctrl_c_gives_the_best_seen(ending):
    """The sets seen so far come back, explained, with a note that it was interrupted."""
    found = ending(interrupt)
    assert (found.search.stopped_by, found.quasi_identifiers) == (StoppedBy.INTERRUPTED, ("age",))
    assert found.explained[0][0].columns == ("age",)
    assert any("The search was interrupted; this is the best of the 3 sets seen" in n for n in found.notes)
    assert "FOUND SO FAR" in str(found)


@pytest.fixture
def no_descent(monkeypatch):
    """Keep no time for the descent, so that what is found is what the strategy saw."""
    monkeypatch.setattr("qidguard.search.run.DESCENT_SHARE", 0)


@pytest.mark.clock
@pytest.mark.usefixtures("no_descent")
def test_a_budget_gives_the_best_seen(ending):
    """The note says that another run may end elsewhere."""
    found = ending(never_end, budget_seconds=0.2)
    told = (found.search.stopped_by, found.quasi_identifiers, found.search.is_optimum)
    assert told == (StoppedBy.BUDGET, ("age",), False)
    assert any("its budget of 0.2 seconds" in note for note in found.notes)


def test_every_search_ends_with_a_descent(ending):
    """A strategy that looks at single columns only finds age; the host goes on to age and ward."""
    found = ending(lambda _: Termination(reason="enough"), budget_seconds=float("inf"))
    assert found.quasi_identifiers == ("age", "ward")
    assert re.match("enough; .*were measured, and a better one was found$", found.search.reason)


@pytest.mark.clock
@pytest.mark.usefixtures("no_descent")
def test_who_must_finish_gets_no_half_answer(frame, with_offers):
    """A budget is an answer that does not exist, and Ctrl-C stays Ctrl-C."""
    with qidguard.audit(frame) as audit:
        for then, error in ((never_end, NotMeasurable), (interrupt, KeyboardInterrupt)):
            host = with_offers(search_strategies=Strategy(then))
            task = DiscoveryTask(objective=D, strategy="mine", budget_seconds=0.2, host=host)
            assert discover_in(audit.table, CANDIDATES, task).quasi_identifiers == ("age",)
            with pytest.raises(error):
                discover_in(audit.table, CANDIDATES, task, must_finish=True)


def test_ctrl_c_while_explaining_keeps_what_was_found(frame, monkeypatch):
    """Who is in a hurry gets the sets without the way to them."""

    def impatient(*_: object):
        raise KeyboardInterrupt

    monkeypatch.setattr("qidguard.discovering.running.steps_to", impatient)
    found = qidguard.discover(frame, objective=D)
    assert (found.explained, found.quasi_identifiers) == ((), ("age", "ward"))
    assert "Why these columns" not in str(found)
    assert found.why("age").startswith("in ")


FAILED = "search strategy 'mine' failed with TypeError"


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (crash, "search strategy 'mine' failed with RuntimeError"),
        *((lambda _, wrong=wrong: Termination(**wrong), FAILED) for wrong in ({"state": None}, {"said": 5})),
        (lambda _: Termination(state={"rate": "fast"}), FAILED),
        (lambda _: Termination(is_optimum="yes"), FAILED),
    ],
)
def test_a_broken_strategy_is_named_and_tells_no_value(ending, then, said):
    """The error names the plugin and its version; what it says is checked where it is said."""
    with pytest.raises(PluginError) as caught:
        ending(then)
    assert f"plugin 'mine' of mine 1.0: {said}" in str(caught.value)
    assert "flu" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RuntimeError("flu"), "failed with RuntimeError"),
        *((share, r"gave .*no share 0\.\.1") for share in (float("nan"), float("inf"), 1.5, -0.1)),
    ],
)
def test_a_broken_score_is_its_plugins_fault(frame, with_offers, answer, said):
    """NaN would be no JSON, and a share above 1 would be believed."""

    def compute(*_: object) -> float:
        if isinstance(answer, Exception):
            raise answer
        return answer

    score = RecognitionScore(name="odd", title="Odd", formula="?", source="?", compute=compute)
    with pytest.raises(PluginError, match=rf"plugin 'mine' of mine 1\.0: score 'odd' {said}"):
        qidguard.discover(frame, objective=D, truth=["age"], host=with_offers(recognition_scores=score))


def test_an_objective_that_weighs_what_nobody_offers_is_its_plugins_fault(frame, with_offers):
    """Who asks for it by name made no mistake: exit 3, and the plugin that offers it is named."""
    theirs = Objective(name="theirs", title="theirs", terms=(Term(metric="distinctoin"),))
    words = r"plugin 'mine' of mine 1\.0: objective 'theirs' cannot be measured.*'distinctoin'.*'distinction'"
    with pytest.raises(PluginError, match=words) as raised:
        qidguard.discover(frame, objective="theirs", host=with_offers(objectives=theirs))
    assert raised.value.exit_code == 3


def test_without_a_strategy_nothing_can_be_searched(frame, without_kinds):
    """The error says that a plugin is missing."""
    with pytest.raises(PluginError, match="no loaded plugin offers a search strategy; install one that does"):
        qidguard.discover(frame, objective=D, host=without_kinds("search_strategies"))


def test_where_nothing_can_be_measured_the_reason_is_said(frame):
    """A mean squared error needs numbers, and illness is text."""
    with pytest.raises(NotMeasurable, match="no set that was looked at has a fitness; of the first one: "):
        qidguard.discover(frame, objective={"mean_squared_error": -1}, target="illness")


@pytest.mark.slow
def test_the_number_of_sets_chooses_the_strategy(frame, monkeypatch):
    """Few sets are tried one and all; with more, or with metrics that are no group-by, it evolves."""
    assert qidguard.discover(frame, objective=D).strategy == "exhaustive"
    twelve = pd.DataFrame({f"c{i}": [(row * (i + 3)) % 7 for row in range(8)] for i in range(12)})
    found = qidguard.discover(twelve, objective="recognition", prefer_known=False, candidates=list(twelve))
    assert found.search.is_optimum
    for several, slow, objective, said in (
        (6, None, D, "7 sets are too many to try each"),
        (100, 6, "recognition", "own_information taking its own pass"),
    ):
        monkeypatch.setattr("qidguard.discovering.choosing.FEW_SETS", several)
        if slow is not None:
            monkeypatch.setattr("qidguard.discovering.choosing.FEW_SLOW_SETS", slow)
        found = qidguard.discover(frame, objective=objective)
        assert (found.strategy, said in found.strategy_reason) == ("evolutionary", True)


@pytest.mark.slow
def test_the_front_can_be_searched_for(frame):
    """A strategy whose objectives may be pareto is told so, unless somebody says otherwise."""
    asked = {"objective": {"distinction": 1, "column_count": -1}, "strategy": "evolutionary"}
    own = {"is_pareto": True, "parameters": {"objectives": "weighted"}}
    found = [qidguard.discover(frame, **asked, **more) for more in ({}, {"is_pareto": True}, own)]
    assert [one.parameters["objectives"] for one in found] == ["weighted", "pareto", "weighted"]
    assert {one.qids for one in found[1].front} == {("age",), ("age", "ward")}


@pytest.mark.parametrize(
    "wrong", [{"seed": -1}, {"budget_seconds": 0}, {"budget_seconds": float("nan")}, {"largest": 0}]
)
def test_a_task_is_checked_when_made(wrong):
    """Its fields are numbers that can be meant."""
    with pytest.raises(ValueError, match=r"must be|cannot be"):
        DiscoveryTask(**wrong)


def test_the_plan_is_heard_before_the_search(frame):
    """It says the way and the reason."""
    heard = []
    found = qidguard.discover(frame, objective=D, on_plan=heard.append)
    assert heard == [found.plan]


def test_what_no_engine_opens_is_said():
    """As for an audit."""
    with pytest.raises(UserError, match="cannot open what is a Python int"):
        qidguard.discover(5)
