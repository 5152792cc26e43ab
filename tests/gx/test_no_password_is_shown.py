"""Whatever address stands in a policy, its password is in no result, page, exception or log line."""

import json
import logging
import traceback

import pytest

from addresses import ADDRESSES, FEW, PASSWORD
from gx_batches import pandas_table
from qidguard.core.errors import QidguardError
from qidguard.policy.origin import value_digest
from qidguard_expectations import ExpectTableToMeetPrivacyPolicy
from quick import mostly_slow

pytestmark = pytest.mark.gx

ORDERED = [*FEW, *(name for name in ADDRESSES if name not in FEW)]
FIELDS = {
    "source": lambda address: {"source": {"path": address}},
    "population": lambda address: {"population": {"path": address}},
    "destination": lambda address: {"release": {"destination": address, "earlier_releases": "unrelated"}},
    "hierarchy": lambda address: {"hierarchies": {"age": {"file": address}}},
    "preset": lambda address: {"preset": address},
}


@pytest.mark.parametrize("name", mostly_slow(ORDERED, quick=len(FEW)))
@pytest.mark.parametrize("field", FIELDS)
def test_an_expectation_shows_no_password(context, caplog, field, name):
    """Where the policy is judged, and where it is refused; what the user typed stays in the expectation."""
    caplog.set_level(logging.DEBUG, logger="qidguard")
    policy = {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["age"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        **FIELDS[field](ADDRESSES[name]),
    }
    table = pandas_table(context, {"age": [30, 30, 41, 41]})
    said = ""
    try:
        expectation = ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=value_digest(policy))
        (result,) = table.run(expectation).results
        written = result.to_json_dict()
        said = json.dumps({key: value for key, value in written.items() if key != "expectation_config"})
    except (QidguardError, ValueError) as error:  # the second is Great Expectations' own
        said = "".join(traceback.format_exception(error))
    assert PASSWORD not in said + caplog.text
    assert said
