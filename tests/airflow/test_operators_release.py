"""Publishing in a task: once for every run, and only what passes."""

import re

import pytest
from airflow.sdk import Asset
from airflow.sdk.exceptions import AirflowFailException

from qidguard.core.errors import UserError
from qidguard_provider.operators import QidguardAuditOperator, QidguardReleaseOperator
from qidguard_provider.operators.release import release_name, run_name
from ward import FAILURE

pytestmark = pytest.mark.airflow


def _release(ward, source="ward.csv", **given):
    given = {
        "task_id": "publish",
        "policy": "ward.yaml",
        "source": source,
        "to": str(ward.published),
        **given,
    }
    return QidguardReleaseOperator(**given)


def test_a_good_table_is_published_under_the_name_of_its_run(ward, tried):
    """The release is there, its name says DAG and run, and the task leaves its address."""
    said = tried.execute(_release(ward))
    name = run_name("gate", "manual__2026-11-21T12:00:00+00:00")
    assert name.startswith("gate-manual__2026-11-21T12-00-00-00-00-")
    assert (said["outcome"], said["release_id"]) == ("passed", name)
    assert said["address"] == str(ward.published / "ward" / name)
    assert ward.releases == [name]


def test_a_bad_table_is_not_published(ward, tried):
    """The task fails, and no folder of a release is there."""
    with pytest.raises(AirflowFailException, match=f"^{re.escape(FAILURE)}$"):
        tried.execute(_release(ward, "bad.csv"))
    assert ward.releases == []
    assert tried.left["return_value"]["address"] is None


def test_a_bad_table_is_logged_with_what_would_make_it_pass(ward, tried, capfd):
    """The task's log holds the lines; what other tasks are told does not."""
    with pytest.raises(AirflowFailException):
        tried.execute(_release(ward, "bad.csv"))
    assert "What would make it pass" in "".join(capfd.readouterr())
    assert "advice" not in tried.left["return_value"]


def test_a_retry_publishes_once(ward, tried, capfd):
    """A second try of the same run finds the release of the first one, and says so."""
    first = tried.execute(_release(ward))
    tried.try_number = 2
    second = tried.execute(_release(ward))
    assert second == first
    assert len(ward.releases) == 1
    assert f"ward {first['release_id']} was published already; nothing was done." in "".join(
        capfd.readouterr()
    )


def test_another_run_publishes_another_release(ward, tried):
    """The name follows the run."""
    tried.execute(_release(ward))
    tried.run_id = "manual__2026-11-22T12:00:00+00:00"
    tried.execute(_release(ward))
    assert len(ward.releases) == 2


def test_a_run_whose_table_changed_after_it_published_fails(ward, tried):
    """A cleared task over other data makes no second release under the first one's name."""
    tried.execute(_release(ward))
    ward.write("ward.csv", ward.folder.joinpath("ward.csv").read_text() + "35,m,flu\n")
    with pytest.raises(AirflowFailException, match="was made from another source"):
        tried.execute(_release(ward))
    assert len(ward.releases) == 1


def test_a_release_may_have_a_name_of_its_own(ward, tried):
    """A given name is rendered, and made valid where it is not."""
    assert tried.execute(_release(ward, release_id="{{ dag.dag_id }}-1"))["release_id"] == "gate-1"
    said = tried.execute(_release(ward, release_id="{{ run_id }}"))
    assert said["release_id"] == release_name(tried.run_id)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gate-2026-11", "gate-2026-11"),
        ("gate 1", "gate-1-76ffb8c9"),
        ("gate:1", "gate-1-7bad7854"),
        ("-gate", "_-gate-550f0ee6"),
        ("", "_-e3b0c442"),
        ("é", "_--4a99557e"),
        ("x" * 100, "x" * 100),
    ],
)
def test_names_are_valid_and_differ_where_the_texts_do(text, name):
    """Whatever had to be changed carries eight digits of SHA-256 over the text."""
    assert release_name(text) == name


def test_the_name_of_a_run_is_its_own():
    """Neither joined parts that read the same, nor another index, nor a long name share one."""
    runs = [("a-b", "c"), ("a", "b-c"), ("a", "b"), ("a", "b", 0), ("a", "b-0"), ("a", "b", 1), ("a:b", "c")]
    runs += [("d", "x" * 200 + "1"), ("d", "x" * 200 + "2"), ("é", "c"), ("ü", "c")]
    names = [run_name(*run) for run in runs]
    assert len(set(names)) == len(runs)
    assert [release_name(name) for name in names] == names
    assert max(map(len, names)) == 100


@pytest.mark.parametrize("given", [{}, {"release_id": None}])
def test_each_mapped_task_makes_a_release_of_its_own(ward, tried, given):
    """A try of the same index makes the same one, whatever the task is called."""
    names = []
    for index, task_id in ((0, "publish"), (1, "publish"), (1, "again")):
        tried.map_index = index
        operator = _release(ward, task_id=task_id, **given)
        names.append(tried.execute(operator)["release_id"])
        assert operator.release_id == names[-1]  # what Airflow shows as rendered
    assert names == [run_name("gate", tried.run_id, index) for index in (0, 1, 1)]
    assert len(ward.releases) == 2


@pytest.mark.parametrize("name", ["", " ", "{{ '' }}", "{{ none }}", "None"])
def test_a_name_that_came_to_nothing_is_a_mistake(ward, tried, name):
    """Else every run would share one."""
    with pytest.raises(AirflowFailException, match="The release has no name: release_id came to"):
        tried.execute(_release(ward, release_id=name))
    assert ward.releases == []


def test_long_names_are_cut():
    """A name has at most 100 characters, and still tells one text from another."""
    names = {release_name("x" * 101), release_name("x" * 102)}
    assert {len(name) for name in names} == {100}
    assert len(names) == 2


def test_a_relative_destination_is_refused(tried, ward):
    """Where it would lie depends on the worker."""
    with pytest.raises(AirflowFailException, match="to must be an absolute path or a URL, not 'published'"):
        tried.execute(_release(ward, to="published"))


def test_without_a_destination_the_policy_names_it(ward, tried):
    """``release.destination`` is where it goes."""
    policy = ward.folder.joinpath("ward.yaml").read_text()
    ward.write("own.yaml", policy.replace("{data_set", f"{{destination: {ward.published}, data_set"))
    tried.execute(_release(ward, to=None, policy="own.yaml"))
    assert len(ward.releases) == 1


def test_the_event_of_an_outlet_says_what_was_published(ward, tried):
    """Consumers of the Asset learn data set, release, audit and address."""
    asset = Asset(name="ward", uri="file:///srv/ward")
    said = tried.execute(_release(ward, outlets=[asset]))
    parts = ("data_set", "release_id", "audit_id", "address")
    assert tried.events[asset].extra == {part: said[part] for part in parts}


def test_the_event_of_a_blocked_release_says_nothing(ward, tried):
    """Nothing was published, so there is nothing to say."""
    asset = Asset(name="ward", uri="file:///srv/ward")
    with pytest.raises(AirflowFailException):
        tried.execute(_release(ward, "bad.csv", outlets=[asset]))
    assert tried.events[asset].extra == {}


@pytest.mark.parametrize("kind", [QidguardAuditOperator, QidguardReleaseOperator])
def test_a_task_with_an_outlet_must_fail_on_block(kind):
    """Airflow tells the consumers of an outlet of every success, so a block must be none."""
    with pytest.raises(UserError, match="Task 't' has an outlet, whose consumers run after every success"):
        kind(task_id="t", policy="/p.yaml", outlets=[Asset(name="w", uri="file:///w")], fail_on_block=False)


def test_an_outlet_that_came_later_makes_a_block_fail_too(ward, tried):
    """Outlets may be added after the task was made."""
    operator = _release(ward, "bad.csv", fail_on_block=False)
    operator.outlets.append(Asset(name="ward", uri="file:///srv/ward"))
    with pytest.raises(AirflowFailException):
        tried.execute(operator)


def test_a_block_by_thresholds_alone_is_coverable_where_somebody_may_approve(ward, tried):
    """Without approvers nobody could let it pass."""
    key = "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    policy = ward.folder.joinpath("ward.yaml").read_text()
    ward.write("own.yaml", policy + f"exceptions: {{approvers: [{{name: Ann, key: '{key}'}}]}}\n")
    without = tried.execute(_release(ward, "bad.csv", fail_on_block=False))
    approved = tried.execute(_release(ward, "bad.csv", policy="own.yaml", fail_on_block=False))
    assert (without["is_coverable"], approved["is_coverable"]) == (False, True)


def test_a_block_by_more_than_thresholds_is_not_coverable(ward, tried):
    """A column that nobody decided blocks, and no exception covers that."""
    key = "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    policy = ward.folder.joinpath("ward.yaml").read_text().replace("sensitive: [illness]", "sensitive: []")
    ward.write("own.yaml", policy + f"exceptions: {{approvers: [{{name: Ann, key: '{key}'}}]}}\n")
    said = tried.execute(_release(ward, "bad.csv", policy="own.yaml", fail_on_block=False))
    assert (said["outcome"], said["is_coverable"]) == ("blocked", False)
