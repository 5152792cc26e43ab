"""A ledger that 0.1.0 wrote is read, shown and decided upon by today's code."""

import json
from dataclasses import replace
from datetime import date

import pytest

from noise import costs
from old_ledger import ENTRIES, NOW, excepted, judged, restore, rules, table
from qidguard import release
from qidguard.host import load_host
from qidguard.interfaces.cli import main
from qidguard.ledger import KINDS, open_ledger
from qidguard.releasing.history.overview import overview
from qidguard.releasing.history.published import published
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.sdk import Parameter, QidguardError, UserError


@pytest.fixture
def options(tmp_path, monkeypatch):
    """Return the options of a home with the old ledger, which is also that of the commands."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    return restore(tmp_path / "home")


@pytest.fixture
def ledger(options):
    """Return the old ledger, open."""
    with open_ledger(f"{options['home']}/ledger.db") as opened:
        yield opened


@pytest.fixture
def publish(options, tmp_path):
    """Return what releases a table under a policy."""

    def run(source, policy, **changes):
        to = str(tmp_path / "published")
        return release(source, policy=policy, to=to, now=NOW, **options | changes)

    return run


class Noise:
    """An anonymizer that says what it costs; the budget stops it before it runs."""

    name = "noise"
    title = "draws noise"
    parameters = (Parameter(name="epsilon", type=float, minimum=0.0, maximum=10.0, meaning="ε"),)

    def privacy_guarantee(self, records, arguments, task):
        """Say that ε is spent."""
        return costs(repr(arguments["epsilon"]))

    def anonymize(self, records, arguments, task):
        """Fail the test: nothing may be drawn."""
        raise AssertionError("noise was drawn")


@pytest.fixture
def costly():
    """Return the installed plugins and the anonymizer above."""
    installed = load_host()
    own = dict(installed.registry["anonymizers"]) | {"noise": Noise()}
    return replace(installed, registry=dict(installed.registry) | {"anonymizers": own})


def test_it_verifies_and_holds_every_kind(ledger):
    """The hashes are those of today's code, whatever the payloads are called; every kind that there was."""
    assert ledger.check() == ()
    found = list(ledger.entries())
    assert (len(found), {entry.kind for entry in found}) == (ENTRIES, set(KINDS) - {"accepted"})


@pytest.mark.usefixtures("options")
def test_history_tells_every_event(capsys):
    """Also what was spent, whose anonymizer was spelled in another way."""
    assert main(["history", "--format", "json"]) == 0
    told = [(e["data_set"], e["what"]) for e in json.loads(capsys.readouterr().out)]
    assert told == [
        ("ward", "published"),
        ("ward", "audit passed"),
        ("ward", "audit blocked"),
        ("school", "published"),
        ("survey", "spent"),
        ("survey", "published"),
        ("survey", "blocked"),
        ("pilot", "blocked"),
        ("pilot", "exception"),
        ("pilot", "published by exception"),
        ("panel", "blocked"),
        ("panel", "exception"),
        ("panel", "revoked"),
        ("census", "published"),
        ("census", "withdrawn"),
        ("claims", "failed"),
        ("cut", "cut off"),
        ("cut", "failed"),
        ("late", "unfinished"),
    ]
    assert main(["history", "survey"]) == 0
    assert "by noise" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("options")
def test_show_prints_the_receipt_of_a_remedy(ledger, capsys):
    """The record of 0.1.0 calls its anonymizer by another key."""
    audit_id = next(e.id for e in ledger.entries(data_set="school", kinds={"audited"}))
    assert main(["show", audit_id]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "small_class_suppression, suppression of records in small classes (k=3" in said
    assert main(["show", audit_id, "--format", "json"]) == 0
    receipt = json.loads(capsys.readouterr().out)["record"]["suppression"]
    assert receipt["records_suppressed"] == 2


def test_the_overview_tells_how_each_data_set_stands(ledger):
    """One line for each data set, with what is published and excepted."""
    lines = overview(ledger.entries(), today=date(2026, 11, 22))
    assert {line.data_set: str(line.last.status) for line in lines} == {
        "census": "withdrawn",
        "claims": "failed",
        "cut": "failed",
        "late": "unfinished",
        "panel": "blocked",
        "pilot": "published by exception",
        "school": "published",
        "survey": "blocked",
        "ward": "blocked",
    }
    by_name = {line.data_set: line for line in lines}
    assert (by_name["pilot"].valid_exceptions, by_name["panel"].valid_exceptions) == (1, 0)


def excused(*but):
    """Return that the other data sets of the ledger, of the same persons, are accepted beside one."""
    names = {"census", "claims", "cut", "late", "panel", "pilot", "school", "survey", "ward"} - set(but)
    return [{"data_set": name, "reason": "each is for readers of its own"} for name in sorted(names)]


@pytest.mark.slow
def test_a_release_is_held_against_an_old_one(publish):
    """Who is missing beside the release of 0.1.0 stands alone; the same people again are well hidden."""
    alone = publish(table().iloc[1:], judged() | {"thresholds": judged()["thresholds"][2:]})
    assert [str(t.measurement.value) for t in alone.report.verdict.thresholds] == ["1"]
    assert not alone.is_published
    release = {"data_set": "ward", "unrelated": excused("ward")}
    assert publish(table(), judged() | {"release": release}).is_published


@pytest.mark.slow
def test_an_old_exception_lets_nothing_through(publish):
    """It names neither the source nor how many persons it concerns; a revoked one never did."""
    strangers = table(2)
    strangers["person"] = [f"stranger {name}" for name in strangers["person"]]
    for data_set in ("pilot", "panel"):
        assert publish(strangers, excepted(data_set)).outcome.value == "blocked"


@pytest.mark.slow
def test_what_was_spent_stays_spent(publish, costly):
    """The budget of 1/10 was used up by 0.1.0."""
    remedy = {"anonymizer": "noise", "parameters": {"epsilon": 0.1}}
    budget, release = (
        {"epsilon": 0.1, "population": "patients"},
        {"data_set": "survey", "unrelated": excused()},
    )
    own = rules("survey", remedy=remedy, privacy_budget=budget, release=release)
    with pytest.raises(QidguardError, match="'survey' to ε = 1/5, above its budget of 1/10"):
        publish(table().assign(person=[f"other {i}" for i in range(6)]), own, host=costly)


def test_what_is_published_is_known(ledger, options):
    """Neither what was withdrawn, nor what was cut off; what never said how it ended may be out."""
    names = [(made.data_set, made.release_id) for made in published(ledger)]
    assert names == [("late", "r1"), ("pilot", "r2"), ("school", "r1"), ("survey", "r1"), ("ward", "r1")]
    with pytest.raises(UserError, match="was withdrawn"):
        reaudit("census", "r1", policy=rules("census"), home=options["home"], now=NOW)
