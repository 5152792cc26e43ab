"""A verdict that somebody brings counts only where the ledger says the same."""

from datetime import UTC, datetime

import pandas as pd
import pytest

import qidguard
from qidguard.evidence.home import Home
from qidguard.releasing.history.published import is_recorded, withdraw
from qidguard.releasing.opening import opened_ledger

TABLE = pd.DataFrame({"sex": ["f", "f"]})
POLICY = {
    "qidguard": 1,
    "name": "example",
    "roles": {"quasi_identifiers": ["sex"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    "release": {"data_set": "people"},
}
OURS = {"run": "monday"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a release that a run made, and its home folder."""
    place = tmp_path_factory.mktemp("made")
    release = qidguard.release(
        TABLE, POLICY, to=f"{place}/out", home=f"{place}/home", release_id="first", origin=OURS
    )
    return release, f"{place}/home"


@pytest.mark.parametrize(
    ("changes", "is_so"),
    [
        pytest.param({}, True, id="as it was made"),
        pytest.param({"audit_id": "audit-unknown"}, False, id="a verdict that nobody reached"),
        pytest.param({"outcome": "blocked"}, False, id="another outcome"),
        pytest.param({"data_set": "others"}, False, id="of another data set"),
        pytest.param({"release_id": "second", "is_release": False}, False, id="of another release"),
        pytest.param({"address": "/elsewhere"}, False, id="out at another place"),
        pytest.param({"origin": {"run": "tuesday"}}, True, id="of another run, and published"),
        pytest.param(
            {"origin": {"run": "tuesday"}, "address": None, "is_release": False},
            False,
            id="of another run, and nowhere",
        ),
    ],
)
def test_a_verdict_counts_where_the_ledger_says_the_same(made, changes, is_so):
    """Each part of it has to agree, and where it is said to be out it is."""
    release, home = made
    asked = {
        "audit_id": release.audit_id,
        "outcome": "passed",
        "data_set": "people",
        "release_id": "first",
        "address": release.address,
        "is_release": True,
        **changes,
    }
    origin = asked.pop("origin", OURS)
    assert is_recorded({"home": home, "origin": origin}, **asked) is is_so


def test_what_was_withdrawn_is_out_no_longer(tmp_path):
    """The ledger holds both, and the later one counts."""
    home = f"{tmp_path}/home"
    release = qidguard.release(TABLE, POLICY, to=f"{tmp_path}/out", home=home, release_id="first")
    said = {
        "audit_id": release.audit_id,
        "outcome": "passed",
        "data_set": "people",
        "release_id": "first",
        "address": release.address,
        "is_release": True,
    }
    assert is_recorded({"home": home}, **said)
    with opened_ledger(Home.at(home), None, datetime.now(UTC)) as ledger:
        withdraw(ledger, "people", "first", reason="a mistake", now=datetime.now(UTC))
    assert not is_recorded({"home": home}, **said)
