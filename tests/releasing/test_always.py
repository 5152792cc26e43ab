"""What is always applied is never skipped because the policy holds already: noise, and what a policy says."""

import numpy as np
import pandas as pd
import pytest

from noise import costs
from plugged import Coarse, Doing, host_with
from qidguard import audit
from qidguard.core.errors import InternalError
from qidguard.releasing.deciding.check import check, write_remedied
from qidguard.releasing.reaudit.reaudit import reaudit
from qidguard.sdk import Anonymized
from releases import once, other_people, people, table_of

HIDDEN = ["[20, 40]"]


class Costly(Coarse):
    """Coarsens, and spends of the privacy budget."""

    def privacy_guarantee(self, *_):
        """Say what is spent."""
        return costs("1/10")


class Drawing(Coarse):
    """Coarsens, and says that what it publishes is drawn."""

    def draws_values(self, _):
        """Say so."""
        return True


def rules(method, when=None, **more):
    """Return a policy that holds on ``people`` already, with a remedy."""
    budget = {"privacy_budget": {"epsilon": 1}} if isinstance(method, Costly) else {}
    told = {} if when is None else {"when": when}
    return once(remedy={"anonymizer": method.name, **told}, **budget, **more)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "when"), [
    (Coarse(), "always"), (Costly(), None), (Costly(), "missed"), (Drawing(), None),
], ids=["the policy says so", "spends a budget", "spends a budget, missed", "draws"])  # fmt: skip
def test_a_table_on_which_the_policy_holds_goes_through_the_remedy(place, method, when):
    """No age of the source is published or handed on, as in Airflow, and the record says so."""
    made = place.release(people(), rules(method, when), host=host_with([method]))
    assert (made.is_published, made.before.is_passed) == (True, True)
    assert list(table_of(made)["age"].unique()) == HIDDEN
    assert place.record(made.audit_id)["suppression"]["is_always"] is True
    assert len(place.entries("spent")) == isinstance(method, Costly)
    to = place.root / "on.parquet"
    options = {"home": str(place.root / "other"), "host": host_with([method])}
    assert write_remedied(people(), policy=rules(method, when), to=str(to), **options).is_passed
    assert list(pd.read_parquet(to)["age"].unique()) == HIDDEN


@pytest.mark.slow
def test_a_remedy_that_nothing_asks_for_is_not_applied_and_one_that_changes_nothing_is(place):
    """Where nothing is missed the default loses nothing; zero changed cells are no sign of a skip."""
    made = place.release(people(), rules(Coarse()), host=host_with([Coarse()]))
    assert (made.is_published, made.receipt) == (True, None)
    kept = Anonymized(kept=np.ones(15, dtype=np.bool_))
    method = Doing(lambda *_: kept, "identity", draws_values=lambda _: True)
    asked = rules(method, release=other_people("people"))
    made = place.release(people(first=500), asked, host=host_with([method]))
    assert (made.is_published, made.receipt.is_always, made.receipt.columns_changed) == (True, True, ())


def test_what_blocks_and_is_no_threshold_is_not_passed_by_a_remedy(place):
    """Neither without a budget nor past its review: the remedy is not even run."""
    method = Costly()
    without = {k: v for k, v in rules(method).items() if k != "privacy_budget"}
    for asked, said in (
        (without, "sets no privacy_budget"),
        (rules(method, review_by="2020-01-01"), "was to be reviewed by"),
    ):
        made = place.release(people(), asked, host=host_with([method]))
        assert (made.is_published, made.before) == (False, None)
        assert said in " ".join((*made.reasons, *made.sentences))
    assert place.entries("spent") == []


@pytest.mark.slow
def test_audits_say_that_the_table_as_it_is_is_not_what_is_published(place):
    """Every verdict on the source does, and none on what the remedy made."""
    method = Drawing()
    host = host_with([method])
    said = "The policy applies its remedy coarse to every release"
    with audit(people(), policy=rules(method), host=host) as found:
        assert any(note.startswith(said) for note in found.report.notes)
    checked = check(people(), policy=rules(method), home=str(place.home), host=host)
    assert any(note.startswith(said) for note in checked.report.notes)
    made = place.release(people(), rules(method), host=host)
    assert not any(note.startswith(said) for note in made.report.notes)
    with audit(people(), policy=rules(Coarse()), host=host_with([Coarse()])) as found:
        assert not any(note.startswith(said) for note in found.report.notes)


@pytest.mark.slow
def test_what_was_published_without_it_no_longer_passes(place):
    """A policy that says always from today on blocks the earlier release, and not the later one."""
    method = Coarse()
    options = {"home": str(place.home), "host": host_with([method])}
    of_now = rules(method, "always", release=other_people("people"))
    place.release(people(), rules(method), host=options["host"], release_id="raw")
    place.release(people(first=500), of_now, host=options["host"], release_id="coarse")
    told = {name: reaudit("people", name, policy=of_now, **options) for name in ("raw", "coarse")}
    assert [told[name].sentences for name in ("raw", "coarse")] == [told["raw"].reasons, ()]
    assert "this one did not go through it" in told["raw"].reasons[0]


def test_nothing_is_published_where_the_remedy_was_skipped(place, monkeypatch):
    """Should a decision ever skip it, publishing itself refuses."""
    from qidguard.releasing import run
    from qidguard.releasing.deciding.decide import decide

    method = Coarse()
    monkeypatch.setattr(run, "decide", lambda *a, **k: decide(*a, **k | {"has_remedy": False}))
    with pytest.raises(InternalError, match="without the remedy"):
        place.release(people(), rules(method, "always"), host=host_with([method]))
    assert place.releases() == []
