"""The privacy budget is charged before noise is drawn, exactly, and never exceeded."""

import pytest

from noise import Spending
from plugged import host_with
from qidguard import ExitCode
from qidguard.releasing import run as releasing
from qidguard.releasing.history.timeline import events
from qidguard.sdk import QidguardError
from releases import people, policy

DRAWN = []


@pytest.fixture
def host():
    """Return the installed plugins and an anonymizer that costs ε, which notes that it ran."""
    DRAWN.clear()
    return host_with([Spending(DRAWN.append)])


def rules(epsilon=0.1, budget=None, data_set="people", **more):
    """Return a policy whose remedy spends ``epsilon`` of a budget."""
    remedy = {"anonymizer": "noise", "parameters": {"epsilon": epsilon}}
    release = {"data_set": data_set}
    budget = {"epsilon": 0.3} | more if budget is None else budget
    return policy(remedy=remedy, privacy_budget=budget, release=release)


SOURCE = people(groups=2, size=6).iloc[:-3]


@pytest.mark.slow
def test_three_tenths_are_three_releases_of_one_tenth(place, host):
    """0.1 + 0.1 + 0.1 is exactly 0.3: the third passes, the fourth is blocked before noise is drawn."""
    for _ in range(3):
        assert place.release(SOURCE, rules(), host=host).is_published
    assert len(DRAWN) == 3
    with pytest.raises(QidguardError, match=r"budget") as raised:
        place.release(SOURCE, rules(), host=host)
    assert raised.value.exit_code is ExitCode.BLOCKED
    assert (len(DRAWN), len(place.releases())) == (3, 3)
    assert [e.payload["epsilon"] for e in place.entries("spent")] == ["1/10"] * 3
    assert events(place.entries())[-1].what == "blocked"


@pytest.mark.slow
def test_data_sets_of_one_population_share_a_budget(place, host):
    """What one data set spends of a population the other one lacks; another population is untouched."""

    def run(data_set, population):
        source = SOURCE.assign(person=data_set + SOURCE["person"])
        return place.release(source, rules(0.2, data_set=data_set, population=population), host=host)

    assert run("stays", "patients").is_published
    with pytest.raises(QidguardError, match="patients"):
        run("visits", "patients")
    assert run("staff", "employees").is_published


@pytest.mark.slow
def test_the_same_table_under_other_names_spends_one_budget(place, host):
    """Where the policy names no data set, the bytes tell that it is the same one."""
    for name, is_spent in (("first", False), ("second", True)):
        asked = {key: value for key, value in rules(0.3).items() if key != "release"} | {"name": name}
        if is_spent:
            with pytest.raises(QidguardError, match=r"budget"):
                place.release(SOURCE, asked, host=host, data_set=name)
        else:
            place.release(SOURCE, asked, host=host, data_set=name)
    assert len(DRAWN) == 1


@pytest.mark.slow
def test_what_was_drawn_stays_spent(place, host, monkeypatch):
    """A release that fails after its noise was drawn does not give the budget back."""

    def fail(*_):
        raise OSError("gone")

    monkeypatch.setattr(releasing, "publish", fail)
    with pytest.raises(OSError, match="gone"):
        place.release(SOURCE, rules(), host=host)
    assert len(place.entries("spent")) == 1


@pytest.mark.slow
def test_what_is_blocked_whatever_is_drawn_is_not_charged(place, host):
    """A policy that does not watch earlier releases, or a signature without a key: nothing is drawn."""
    watched = rules()
    assert place.release(SOURCE, watched, host=host).is_published
    for blocked, said in (
        (watched | {"thresholds": [{"metric": "k_anonymity", "at_least": 5}]}, "limits what they reveal"),
        (watched | {"release": {"data_set": "people", "signature": "required"}}, "demands a signature"),
    ):
        made = place.release(SOURCE, blocked, host=host)
        assert (made.is_published, sum(said in reason for reason in made.reasons)) == (False, 1)
    assert len(DRAWN) == len(place.entries("spent")) == 1
