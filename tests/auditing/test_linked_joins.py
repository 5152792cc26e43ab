"""What a reader learns who joins the files is judged before they are published."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from hospital_files import hospital, hospital_policy, hospital_tables
from qidguard import UserError, anonymize, audit
from qidguard.host import load_host

PERSONS = 120
ROLES = hospital_policy()["roles"] | {
    "quasi_identifiers": ["sex"],
    "insensitive": ["admitted", "birth_year", "encounters"],
}


@pytest.fixture(scope="module")
def tables():
    """Return the four tables."""
    return hospital(PERSONS)


def blocks(given, host=None, /, **fields):
    """Return what blocks the tables beside thresholds, as an audit says it."""
    policy = hospital_policy(remedy=None, hierarchies={}, roles=ROLES, **fields)
    with audit(given, policy=policy, host=host) as found:
        return [block.sentence for block in found.verdict.blocks]


@pytest.mark.slow
def test_what_hangs_together_and_tells_nothing_passes(tables):
    """The door of an audit looks at everything that a release would."""
    assert blocks(tables) == []


def with_column(tables, name, **columns):
    """Return the tables with more columns in one of them."""
    return {**tables, name: tables[name].assign(**columns)}


def insensitive(*columns):
    """Return the tables of the policy with more harmless columns of encounters."""
    return {"tables": hospital_tables(encounters={"insensitive": ["type", "ward", *columns]})}


def days(tables):
    """Return the days of visits, as texts."""
    return tables["encounters"]["start"].str[:10]


def numbered(dates):
    """Return days as numbers, which nothing takes for dates."""
    return (pd.to_datetime(dates) - pd.Timestamp("2000-01-01")).dt.days.to_numpy()


def undecided(tables):
    """A column that the policy does not name."""
    return with_column(tables, "encounters", remark="x"), {}


def orphans(tables):
    """A visit of nobody, with what hangs on it."""
    one = tables["encounters"].iloc[[0]].assign(patient_id="nobody", encounter_id="E-x")
    return {**tables, "encounters": pd.concat([tables["encounters"], one])}, {}


def mail(tables):
    """Addresses in a column that was called harmless."""
    mails = [f"a{n}@example.org" for n in range(len(tables["encounters"]))]
    return with_column(tables, "encounters", contact=mails), insensitive("contact")


def same_date(tables):
    """The day of a visit in another column, which is not moved."""
    return with_column(tables, "encounters", entered=pd.to_datetime(days(tables))), insensitive("entered")


def day_number(tables):
    """The day of a visit as a number."""
    changed = with_column(tables, "encounters", start=days(tables), no=numbered(days(tables)))
    return changed, insensitive("no")


def sibling(tables):
    """The day of a visit as a number in the conditions of it, which have no date of their own."""
    changed = with_column(tables, "encounters", start=days(tables))
    starts = changed["encounters"].set_index("encounter_id")["start"]
    conditions = tables["conditions"].drop(columns="onset")
    changed["conditions"] = conditions.assign(no=numbered(starts.loc[conditions["encounter_id"]]))
    fields = {"conditions": {"dates": [], "insensitive": ["no"]}}
    return changed, {"tables": hospital_tables(**fields)}


FOUND = {
    "sibling": (sibling, "conditions.no tells the original encounters.start"),
    "undecided": (undecided, "Table 'encounters' has the column 'remark', on which nobody decided"),
    "orphans": (orphans, "Table 'encounters' has 1 records that refer to nobody"),
    "mail": (mail, "'encounters.contact' is published and looks like e-mail addresses"),
    "date": (same_date, "'encounters.entered' holds dates and is published as it is"),
    "number": (day_number, "encounters.no tells the original encounters.start"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "said"), FOUND.values(), ids=FOUND)
def test_what_is_published_beside_the_persons_blocks(tables, change, said):
    """Each is one sentence that names the column and what to do."""
    changed, fields = change(tables)
    assert any(said in sentence for sentence in blocks(changed, **fields))


@pytest.mark.slow
def test_dates_that_nobody_checked_are_not_published(tables):
    """Without the check of what columns tell, the one sentence says so."""
    host = load_host()
    host = replace(host, registry=MappingProxyType({**host.registry, "leaks": MappingProxyType({})}))
    [sentence] = blocks(tables, host)
    assert "could not be found out: there is no leak check 'undoing'" in sentence


@pytest.mark.slow
def test_a_date_that_is_told_may_be_accepted_in_words(tables):
    """The acceptance names the column and the date; conditions begin on the day of their encounter."""
    changed, fields = day_number(tables)
    told = ("encounters.start", "conditions.onset")
    accepted = [{"columns": ["encounters.no"], "tells": date, "reason": "it is made up"} for date in told]
    assert blocks(changed, **fields, accepted=accepted) == []


@pytest.mark.slow
def test_a_sensitive_column_of_another_table_is_limited_as_the_policy_says(tables):
    """Blood groups differ in every class, and the one condition that all have does not."""
    groups = np.where(np.arange(PERSONS) % 2, "A", "B")
    changed = with_column(with_column(tables, "conditions", code="I01"), "patients", blood=groups)
    policy = hospital_policy(
        remedy=None,
        hierarchies={},
        roles=ROLES | {"sensitive": ["blood"]},
        thresholds=[{"metric": "distinct_l_diversity", "at_least": 2}],
        tables=hospital_tables(conditions={"per_person": {}}),
    )
    with audit(changed, policy=policy) as found:
        [block] = found.verdict.blocks
    assert block.sentence == (
        "Joined to the persons, distinct l-diversity of conditions.code is 1 value, must be at least 2 (1"
        " short); coarsen or drop 'conditions.code', or make classes larger."
    )


@pytest.fixture(scope="module")
def aged(tables):
    """Return the tables with the year of birth in each encounter, and the policy that calls it harmless."""
    born = tables["patients"].set_index("patient_id")["birth_year"]
    years = born.loc[tables["encounters"]["patient_id"]].to_numpy()
    return with_column(tables, "encounters", born=years), insensitive("born")


@pytest.mark.slow
def test_a_column_of_another_table_that_tells_a_generalized_one_is_read_back(aged):
    """The year of birth is published in bands of 20 years, and each encounter tells it."""
    tables, fields = aged
    policy = hospital_policy(**fields)
    with anonymize(tables, policy=policy, seed=1, losses=()) as tried:
        assert not tried.is_passed
        [undone] = tried.after.undone
        assert (undone.columns, undone.qid, undone.is_undone) == (("encounters.born",), "birth_year", True)
        [read] = tried.after.read_backs
        assert read.thresholds[0].measurement.value == 1
        assert any("encounters.born tells the original birth_year" in s for s in tried.sentences)


@pytest.mark.slow
def test_what_another_table_tells_may_be_accepted_in_words(aged):
    """The acceptance names the column as table.column."""
    tables, fields = aged
    accepted = [{"columns": ["encounters.born"], "tells": "birth_year", "reason": "it is public anyway"}]
    with anonymize(tables, hospital_policy(**fields, accepted=accepted), seed=1, losses=()) as tried:
        assert tried.is_passed
        with pytest.raises(UserError, match="published together or not at all"):
            tried.write("safe.csv")


@pytest.mark.slow
def test_a_remedy_that_changes_what_stands_for_records_is_blocked(tables):
    """Means of counts of visits protect nobody: the visits are published."""
    policy = hospital_policy(hierarchies={}, remedy={"anonymizer": "mdav[k=3]"})
    with anonymize(tables, policy=policy, seed=1, losses=()) as tried:
        assert any("The remedy changed 'encounters', which stands for records" in s for s in tried.sentences)


@pytest.mark.parametrize(
    ("given", "said"), [("patients.csv", "names several tables"), ({"x": "y"}, "no table 'x'")]
)
def test_tables_are_given_by_their_names(given, said):
    """A single table beside a policy of several is a mistake, and so is a name that nobody knows."""
    with pytest.raises(UserError, match=said):
        audit(given, policy=hospital_policy())
