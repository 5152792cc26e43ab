"""The section ``tables``: several files of the same persons, and what must hold between them."""

import pytest

from hospital_files import hospital_policy, hospital_tables
from qidguard import PolicyError
from qidguard.policy import load_policy, policy_schema
from qidguard.policy.tables import in_order, moved_columns


def test_the_tables_stand_after_those_that_they_refer_to():
    """Observations refer to encounters and patients, and conditions to encounters."""
    policy = load_policy(hospital_policy())
    backward = dict(reversed(policy.tables.items()))
    assert in_order(backward)[:2] == ("patients", "encounters")
    assert moved_columns(policy.tables) == ("admitted",)
    assert "tables" in policy_schema()["properties"]


def of(**more):
    """Return what replaces fields of tables."""
    return {"tables": hospital_tables(**more)}


ROLES = hospital_policy()["roles"]
MOVED = ROLES | {"quasi_identifiers": ["admitted", "encounters"], "insensitive": []}
FAULTS = {
    "unknown": (
        of(conditions={"references": {"x": "patient"}}),
        "no table 'patient'; did you mean 'patients'",
    ),
    "circle": (of(encounters={"references": {"c": "conditions"}}), "stands in a circle of references"),
    "itself": (of(encounters={"references": {"e": "encounters"}}), "stands in a circle"),
    "all in a circle": (of(patients={"key": "p", "references": {"e": "encounters"}}), "in a circle"),
    "nobody": (of(observations={"references": {}}), "write references of the other"),
    "no key": (of(encounters={"key": None}), "table 'encounters' is referred to and has no key"),
    "other key": (of(patients={"key": "no"}), "roles.entity 'patient_id'; write the same"),
    "roles": (of(patients={"insensitive": ["sex"]}), "of the persons' table 'patients' roles say it"),
    "two roles": (of(encounters={"insensitive": ["start"]}), "stands in dates and in insensitive"),
    "order": (of(encounters={"order": "begin"}), "order is 'begin', which is in none of"),
    "unread": (of(encounters={"per_person": {"n": {"set": "typ"}}}), "did you mean 'type'"),
    "moved": (of(encounters={"per_person": {"n": {"first": "start"}}}), "whose dates are moved"),
    "not moved": (of(encounters={"per_person": {"n": {"span": "ward"}}}), "not among dates"),
    "a key": (of(encounters={"per_person": {"n": {"set": "encounter_id"}}}), "published as a pseudonym"),
    "no order": (of(encounters={"order": None, "per_person": {"n": {"last": "ward"}}}), "needs an order"),
    "twice": (of(observations={"per_person": {"codes": {"count": True}}}), "rename one of them"),
    "unjudged": (
        of(encounters={"quasi_identifiers": ["type"], "insensitive": ["ward"]}),
        "nothing that is made of 'type' per person is a quasi-identifier",
    ),
    "two ways": (of(encounters={"per_person": {"n": {"set": "ward", "count": True}}}), "both count and set"),
    "no way": (of(encounters={"per_person": {"n": {}}}), "does not say what it is made of"),
    "name": ({"tables": {"../x": {}}}, "names a table '../x', and files are called by it"),
    "evidence": ({"tables": {"Manifest": {}}}, "no name of the evidence"),
    "case": ({"tables": {"a": {}, "A": {}}}, "differ in case only"),
    "path": ({"source": {"path": "x.csv"}}, "source.path and tables both say"),
    "days": ({"shift_days": 0}, "from 1 to 3650"),
    "drop": ({"release": {"data_set": "h", "drop": ["encounters"]}}, "stands for records"),
    "recode": ({"remedy": {"recode": {"encounters": 1}}}, "would protect nobody"),
    "series moved": ({"series": {"left_on": "admitted"}}, "moved as a date of the persons, too"),
    "series made": ({"series": {"came_on": "codes"}}, "made of the records of another table"),
    "series key": ({"series": {"exit_on": "patient_id"}}, "never published, and it is the entity, too"),
    "new table": ({"remedy": {"anonymizer": "mdav[k=3]", "output": "new_table"}}, "no new table may take"),
    "no entity": ({"roles": ROLES | {"entity": None}}, "need the key of the persons' table 'patients'"),
    # what is published would be another value than what was judged
    "moved QID": (
        {"roles": MOVED, "hierarchies": {}, "remedy": None},
        "moved as a date, so it can be no quasi-identifier",
    ),
}


@pytest.mark.parametrize(("fields", "said"), FAULTS.values(), ids=FAULTS)
def test_what_does_not_hang_together_is_said(fields, said):
    """One sentence names the table, the column and what to write."""
    with pytest.raises(PolicyError, match=said):
        load_policy(hospital_policy(**fields))
