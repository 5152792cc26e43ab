"""Plans of a series: simulated releases by stub anonymizers, whose figures can be told by hand."""

import json

import jsonschema
import pandas as pd
import pytest

from hospital_files import hospital_policy
from plugged import host_with
from qidguard.sdk import (
    UNKNOWN,
    Choice,
    DataError,
    ExitCode,
    NotMeasurable,
    Parameter,
    PolicyRehearsal,
    UserError,
)
from qidguard_series import plan_series
from qidguard_series.keeping import Keeping
from qidguard_series.planning import plain_method
from qidguard_series.plugin import published_series_plan_schema
from series import all_alike, keeper, people, publish_everybody, rules

MOVE = {"leave": 0.1, "come": 0.1}


def plan(number=20, *, anonymizers=None, policy=None, table=None, **asked):
    """Return a plan for some people by one stub, which shows the first ones for ever."""
    host = host_with([keeper()] if anonymizers is None else anonymizers)
    given = {"leavers_stay": ["until_k"], "releases": 3, "anonymizer": "keeper", **MOVE, **asked}
    return plan_series(people(number) if table is None else table, policy or rules(), host=host, **given)


def figures(way, *names):
    """Return some figures of each release."""
    return [tuple(getattr(one, name) for name in names) for one in way.releases]


def test_who_is_shown_for_ever_is_stale_and_who_comes_waits():
    """Of twenty two leave and two come each time: nobody is told apart, four are not as they are.

    All cells are one class, so NCP is 1; who waits is lost as well. Each release alone loses less.
    """
    found = plan()
    (way,) = found.ways
    names = (
        "present",
        "published",
        "fresh",
        "stale",
        "oldest",
        "waiting",
        "longest",
        "isolated",
        "smallest",
        "ncp",
    )
    assert figures(way, *names) == [
        (20, 20, 20, 0, 0, 0, 0, 0, 20, 1),
        (20, 20, 18, 2, 1, 2, 1, 0, 20, 1),
        (20, 20, 16, 4, 2, 4, 2, 0, 20, 1),
    ]
    assert (way.is_had, way.fresh_share, way.stale_share, way.most("oldest")) == (True, 0.8, 0.2, 2)
    assert (way.loss_mean, len(found.alone), 0 < found.alone_mean < 1) == (1, 3, True)


def test_each_release_alone_publishes_cells_as_the_way_does():
    """Sets of up to 9 values stand beside sets of up to 9, and what brackets say goes before a default."""
    sets = Parameter(name="largest_set", type=int, default=9, meaning="values")
    host = host_with([keeper(parameters=(sets,))])
    rehearsal = PolicyRehearsal.of(people(9), rules(), host=host)
    for method, expected in (("keeper", 9), ("keeper[largest_set=2]", 2)):
        way = Keeping(method=Choice.read(method), leavers_stay=None, label="one")
        assert str(plain_method(way, rehearsal)) == f"mondrian[largest_set={expected}]"


def test_who_leaves_at_once_is_told_apart():
    """Two left and two came: each pair is a joint class of its own, below k = 3; that is told."""
    found = plan(anonymizers=[keeper(publish_everybody)])
    (way,) = found.ways
    assert figures(way, "intersection", "differencing", "isolated")[:2] == [(20, 20, 0), (18, 2, 4)]
    assert (way.is_had, found.exit_code) == (False, ExitCode.BLOCKED)
    assert "persons stand in joint classes of fewer than 3" in str(found)
    assert "No way that was tried keeps the series." in str(found)


def test_companions_and_dissolved_groups_are_counted():
    """Of a class of ten and one of eight, one person of the first goes, and all of the second."""

    def by_sex(records, _, task):
        sex = records.codes(("sex",))[:, 0]
        kept = sex > 0
        if task.earlier.releases:
            kept = sex == 1
            kept[kept.nonzero()[0][0]] = False
        return all_alike(kept)

    table = people(18).assign(sex=["f"] * 10 + ["m"] * 8)
    (way,) = plan(table=table, anonymizers=[keeper(by_sex)], leave=0, come=0, releases=2).ways
    assert figures(way, "companions", "dissolved") == [(0, 0), (9, 0)]


def test_a_way_that_cannot_be_had_says_why_and_at_which_release():
    """The others are done all the same, and it is told before anything is tried what cannot be had."""

    def refuse(records, arguments, task):
        if arguments["leavers_stay"] == "0" and task.earlier.releases:
            raise NotMeasurable("groups are too small")
        return publish_first(records, arguments, task)

    publish_first = keeper().do
    heard = Heard()
    found = plan(anonymizers=[keeper(refuse)], leavers_stay=[0, "until_k"], progress=heard)
    assert [(way.label, way.reason, len(way.releases)) for way in found.ways] == [
        ("stay 0", "release 2: keeper: groups are too small", 1),
        ("stay until_k", "", 3),
    ]
    assert heard.told == list(found.remarks)
    assert "stay 0: where leavers go at once, 3 of one group have to leave" in found.remarks[0]
    assert "a group needs about 30 persons, and there are 20: it cannot be had" in found.remarks[0]
    assert [way.label for way in found.ranked] == ["stay until_k"]


class Heard:
    """Hears of steps, and of what must not be missed before any release was made."""

    def __init__(self):
        self.told, self.steps = [], []

    def step(self, title, done, total):
        """Hear a step."""
        self.steps.append((title, done, total))

    def tell(self, sentence):
        """Hear a sentence."""
        assert not any(title.startswith("planning") for title, *_ in self.steps)
        self.told.append(sentence)


def test_every_combination_of_choices_is_a_way():
    """Two stays and two waits are four; they reach the anonymizer and tell the ways apart."""
    given = []

    def tell(_, arguments, task):
        given.append((arguments["leavers_stay"], arguments["newcomers_wait"]))
        return all_alike(task.earlier.gone == 0)

    asked = {"leavers_stay": [6, "until_k"], "newcomers_wait": [0, 2], "releases": 2, "leave": 0}
    labels = ["stay 6, wait 0", "stay 6, wait 2", "stay until_k, wait 0", "stay until_k, wait 2"]
    assert [way.label for way in plan(anonymizers=[keeper(tell)], **asked).ways] == labels
    assert given[::2] == [("6", 0), ("6", 2), ("until_k", 0), ("until_k", 2)]


def test_stays_are_tried_that_nobody_named_and_the_one_for_a_series_is_taken():
    """Leavers stay 0, 6 or 12 releases or until k; the installed anonymizer for a series is found."""
    parameters = (*keeper().parameters, Parameter(name="turnover", type=float, default=0.0, meaning="share"))
    seen = []

    def tell(_, arguments, task):
        seen.append(arguments["turnover"])
        return all_alike(task.earlier.gone == 0)

    host = host_with([keeper(tell, parameters=parameters)])
    installed = [n for n, one in host.anonymizers.items() if getattr(one, "needs_last_values", False)]
    asked = {"anonymizer": None if installed == ["keeper"] else "keeper", "leavers_stay": None}
    found = plan_series(people(20), rules(), host=host, releases=2, **MOVE, **asked)
    assert [way.keeping.leavers_stay for way in found.ways] == [0, 6, 12, "until_k"]
    assert set(seen) == {0.1}


def test_exits_are_told_where_they_are_known():
    """An anonymizer hears of exits in the way that knows them, and of none in the other."""
    waves = []

    def tell(_, __, task):
        waves.append(set(task.earlier.exit_wave.tolist()) == {UNKNOWN})
        return all_alike(task.earlier.gone == 0)

    found = plan(anonymizers=[keeper(tell)], exits="both", releases=2)
    assert [way.label for way in found.ways] == ["stay until_k", "stay until_k, exit known"]
    assert waves == [True, True, False, False]


def test_earlier_files_are_the_first_releases():
    """Two of ten left between the files and one came, and it goes on so: of nine one, of eight two leave."""
    table = people(11)
    asked = {"leave": None, "come": None, "change": 0.0, "releases": 4}
    found = plan(table=table.iloc[2:], earlier=[table.iloc[:10]], **asked)
    assert (found.true_releases, found.releases, found.persons) == (2, 4, 10)
    assert (found.turnover.leave, found.turnover.come) == (0.2, 0.1)
    assert figures(found.ways[0], "present", "stale") == [(10, 0), (9, 2), (8, 3), (7, 5)]


def test_who_left_by_a_column_of_the_series_is_not_present():
    """The table keeps two leavers with their day: the others begin; what is tried goes before the policy."""
    table = people(12).assign(left=[*["2026-01-31"] * 2, *[None] * 10])
    remedy = {"anonymizer": "keeper", "parameters": {"leavers_stay": "until_k"}}
    policy = rules(k=2) | {"series": {"left_on": "left"}, "remedy": remedy}
    given = {
        "table": table,
        "policy": policy | {"release": {"earlier_releases": "judged"}},
        "anonymizer": None,
    }
    found = plan(leavers_stay=None, **given)
    assert (found.persons, found.ways[0].label) == (10, "as it is")
    tried = plan(leavers_stay=[6], releases=2, **given)
    assert [str(way.keeping.method) for way in tried.ways] == ["keeper[leavers_stay='6']"]


def test_a_plan_is_told_in_a_document_in_words_and_drawn():
    """Counts and shares, and nobody's name; by what it ranks; a line a way, one for each release alone."""
    found = plan(leavers_stay=[0, "until_k"])
    document = json.loads(found.to_json())
    jsonschema.validate(document, json.loads(published_series_plan_schema()))
    assert (document["best"], document["ways"][0]["releases"][1]["stale"]) == ("stay 0", 2)
    assert "p17" not in found.to_json() + str(found) + found._repr_html_()
    told = " ".join(str(found).split())
    assert "Ranked by the mean NCP of who is there, where who is not shown counts as lost." in told
    assert "For how long a leaver's last values may stay is a legal decision" in told
    assert "by mondrian, and isolates people together with the others" in told
    drawn = found.plot()
    spec = drawn.vega_lite
    assert [panel["encoding"]["y"]["field"] for panel in spec["hconcat"]] == ["loss", "stale"]
    assert {row["way"] for row in spec["data"]["values"]} == {"stay 0", "stay until_k"}
    assert len(spec["hconcat"][0]["layer"][1]["data"]["values"]) == 3
    assert "dashed: each release alone, by mondrian" in spec["title"]["subtitle"]
    assert "stay 0: NCP 100 % and 20 % stale after 3 releases" in drawn.alternative


def test_ctrl_c_leaves_the_ways_that_are_done():
    """The second way is stopped: the first is there, and the plan says that it is not whole."""

    def stop(_, arguments, task):
        if arguments["leavers_stay"] != "0":
            raise KeyboardInterrupt
        return all_alike(task.earlier.gone == 0)

    found = plan(anonymizers=[keeper(stop)], leavers_stay=[0, 6])
    assert ([way.label for way in found.ways], found.is_interrupted) == (["stay 0"], True)
    assert "Interrupted: ways are missing." in str(found)


WITHOUT_K = {"thresholds": [{"metric": "share_unique", "at_most": 0.5}]}


@pytest.mark.samples(6)
@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"leave": None, "come": None}, "nobody says who moves from one release to the next"),
        ({"releases": 1}, "a series has 2 to 1,000 releases, not 1"),
        ({"seed": -1}, "the seed is a whole number from 0 on, not -1"),
        ({"exits": "guessed"}, "exits are unknown, known or both, not 'guessed'"),
        ({"first": 30}, "the first release has 1 to 20 persons"),
        ({"anonymizer": "no_such"}, "there is no anonymizer 'no_such'"),
        ({"anonymizer": "mondrian"}, "mondrian has no parameter leavers_stay"),
        ({"anonymizer": "keeper[leavers_stay=6]"}, "leavers_stay stands in brackets after keeper"),
        ({"anonymizer": "keeper[j=6]"}, "keeper: unknown parameter 'j'"),
        ({"group_size": [6]}, "keeper has no parameter first_groups"),
        ({"newcomers_wait": [-1]}, "keeper: parameter 'newcomers_wait' must be at least 0"),
        ({"leavers_stay": [6, 6]}, "stands twice"),
        ({"policy": rules() | {"roles": {"quasi_identifiers": "auto"}}}, "leaves them to recognizers"),
        ({"policy": rules() | WITHOUT_K}, "a plan needs k"),
        ({"earlier": [people(5)], "first": 3}, "leave first out"),
        ({"earlier": [people(5)], "policy": rules(entity=None)}, "write roles.entity"),
        ({"table": pd.DataFrame({"person": ["p"]})}, "has no column 'age'"),
    ],
)
def test_mistakes_are_one_sentence(asked, sentence):
    """What was asked for and is wrong."""
    with pytest.raises((UserError, DataError)) as raised:
        plan(**asked)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_nothing_is_drawn_of_nothing():
    """No way made a release."""

    def refuse(*_):
        raise NotMeasurable("nothing can be done")

    with pytest.raises(NotMeasurable, match="no way could make a release"):
        plan(anonymizers=[keeper(refuse)]).plot()


def test_what_stands_for_records_of_other_tables_is_held():
    """Else a plan would show groups that a release may not form, and too small a loss."""
    policy = hospital_policy()
    task = PolicyRehearsal.of(dict.fromkeys(policy["tables"], "t.csv"), policy).task
    assert (task.held, task.sensitive_beside) == (("encounters", "codes"), ("conditions.code",))
