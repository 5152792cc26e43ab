"""A policy that is added a second time takes nothing away of what users added since."""

import great_expectations as gx
import pytest
from great_expectations.checkpoint.actions import ValidationAction

from audited import TABLE, policy
from gx_project import DATA, exported, new_context, opened
from qidguard.core.errors import UserError
from qidguard_expectations import (
    ExpectTableKAnonymityToBeAtLeast,
    RecordInLedgerAction,
    add_to_context,
)

pytestmark = pytest.mark.gx

STRICT, LENIENT = (policy(thresholds=[{"metric": "k_anonymity", "at_least": k}]) for k in (3, 2))
TOLD = []


class TellAction(ValidationAction):
    """Stands for an action that tells somebody."""

    type: str = "tell"
    channel: str = "#privacy"

    def run(self, checkpoint_result, action_context=None):
        """Tell."""
        TOLD.append((self.channel, checkpoint_result.success))
        return {}


def batch_of(found, asset=DATA[1]):
    """Return the batch definition of an asset."""
    return found.data_sources.get(DATA[0]).get_asset(asset).get_batch_definition(DATA[2])


def types(found):
    """Return what the suite expects, in its order."""
    return [one.expectation_type for one in found.suites.get("p").expectations]


def run(found):
    """Return whether the checkpoint passes, as it is stored."""
    return found.checkpoints.get("p").run(batch_parameters={"dataframe": TABLE}).success


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("kind", "again"), [("memory", STRICT), ("file", LENIENT)], ids=["the same policy", "a changed one"]
)
def test_what_users_added_stays(tmp_path, kind, again):
    """A failing expectation still fails, an action still tells, a validation definition still runs."""
    found = new_context(tmp_path / "project" if kind == "file" else None)
    add_to_context(found, STRICT, batch_of(found))
    suite = found.suites.get("p")
    suite.add_expectation(gx.expectations.ExpectTableRowCountToEqual(value=7))
    suite.add_expectation(ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["sex"], at_least=3))
    suite.suite_parameters["rows"] = 7
    suite.notes, suite.meta["owner"] = "Ask Roe.", "A. Roe"
    suite.save()
    other = found.validation_definitions.add(
        gx.ValidationDefinition(name="again", data=batch_of(found), suite=found.suites.get("p"))
    )
    checkpoint = found.checkpoints.get("p")
    checkpoint.actions = [*checkpoint.actions, TellAction(name="tell us", channel="#ward")]
    checkpoint.validation_definitions = [*checkpoint.validation_definitions, other]
    checkpoint.result_format = "COMPLETE"
    checkpoint.save()
    TOLD.clear()

    add_to_context(found, again, batch_of(found))

    if kind == "file":
        found = opened(tmp_path / "project")
    suite, checkpoint = found.suites.get("p"), found.checkpoints.get("p")
    assert types(found).count("expect_table_row_count_to_equal") == 1
    assert [one.at_least for one in suite.expectations if hasattr(one, "at_least")] == [
        again["thresholds"][0]["at_least"],
        3,
    ]
    assert (suite.suite_parameters, suite.notes, suite.meta["owner"]) == ({"rows": 7}, "Ask Roe.", "A. Roe")
    assert [one.name for one in checkpoint.validation_definitions] == ["p", "again"]
    assert [one.name for one in checkpoint.actions] == ["record in ledger", "update data docs", "tell us"]
    assert str(checkpoint.result_format) in {"COMPLETE", "ResultFormat.COMPLETE"}
    assert run(found) is False
    assert TOLD == [("#ward", False)]


def test_what_the_policy_no_longer_asks_goes():
    """An unchanged expectation of the earlier policy is replaced; the run that failed by it passes."""
    found = new_context()
    add_to_context(
        found,
        policy(thresholds=[{"metric": "k_anonymity", "at_least": 4}]),
        batch_of(found),
        is_recorded=False,
    )
    assert run(found) is False
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    assert run(found) is True
    assert types(found) == [
        "expect_table_k_anonymity_to_be_at_least",
        "expect_table_columns_to_be_as_approved",
        "expect_table_to_meet_privacy_policy",
    ]


def test_a_limit_that_somebody_changed_stays_beside_the_policys():
    """The stricter limit still fails after the policy was added again."""
    found = new_context()
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    (changed,) = [one for one in found.suites.get("p").expectations if hasattr(one, "at_least")]
    changed.at_least = 4
    changed.save()
    assert run(found) is False
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    assert sorted(one.at_least for one in found.suites.get("p").expectations if hasattr(one, "at_least")) == [
        3,
        4,
    ]
    assert run(found) is False


def test_ids_and_words_of_unchanged_expectations_stay():
    """A description that somebody gave an expectation of the policy is not lost."""
    found = new_context()
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    described = found.suites.get("p").expectations[0]
    described.description = "Nobody is alone."
    described.save()
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    first, *others = found.suites.get("p").expectations
    assert (first.id, first.description, len(others)) == (described.id, "Nobody is alone.", 2)
    assert run(found) is True


@pytest.mark.usefixtures("home")
def test_the_settings_of_our_action_stay(tmp_path):
    """A ledger and a data set that somebody named are kept; the digests are the new policy's."""
    found = new_context()
    add_to_context(found, STRICT, batch_of(found))
    checkpoint = found.checkpoints.get("p")
    checkpoint.actions[0].data_set = "wards"
    checkpoint.actions[0].ledger = str(tmp_path / "central.db")
    checkpoint.actions = [*checkpoint.actions, checkpoint.actions[0].copy(update={"name": "ours too"})]
    checkpoint.save()
    add_to_context(found, LENIENT, batch_of(found))
    first, _, second = found.checkpoints.get("p").actions
    for action in (first, second):
        assert isinstance(action, RecordInLedgerAction)
        assert (action.data_set, str(action.ledger)) == ("wards", str(tmp_path / "central.db"))
    assert run(found) is True
    assert (tmp_path / "central.db").exists()


def test_recording_can_be_taken_back():
    """The action that records goes when the caller says so, and the one that requires a verdict comes."""
    found = new_context()
    for is_recorded, name in ((True, "record in ledger"), (False, "require privacy verdict")):
        add_to_context(found, STRICT, batch_of(found), is_recorded=is_recorded)
        assert [one.name for one in found.checkpoints.get("p").actions] == sorted([name, "update data docs"])


def test_another_batch_is_not_judged_in_place_of_the_first():
    """The same name for a second table would end the gate of the first; the sentence says what to do."""
    found = new_context()
    found.data_sources.get(DATA[0]).add_dataframe_asset("wards").add_batch_definition_whole_dataframe(DATA[2])
    add_to_context(found, STRICT, batch_of(found))
    with pytest.raises(UserError, match=r"judges clinic/visits/whole, which nobody would judge any longer"):
        add_to_context(found, STRICT, batch_of(found, "wards"))
    add_to_context(found, STRICT, batch_of(found, "wards"), name="wards")
    assert {one.name: one.asset.name for one in found.validation_definitions.all()} == {
        "p": "visits",
        "wards": "wards",
    }


def test_what_nobody_imported_is_not_lost(folder, monkeypatch):
    """A suite of files whose expectation is not known here is not rewritten without it."""
    from great_expectations.expectations import registry

    found = opened(folder)
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    suite = found.suites.get("p")
    suite.add_expectation(gx.expectations.ExpectTableRowCountToEqual(value=7))
    monkeypatch.delitem(registry._registered_expectations, "expect_table_row_count_to_equal")
    with pytest.raises(UserError, match="holds expect_table_row_count_to_equal, which would be lost"):
        add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    assert "expect_table_row_count_to_equal" in (folder / "gx" / "expectations" / "p.json").read_text(
        encoding="utf-8"
    )


def test_an_action_that_nobody_imported_is_not_lost(folder):
    """A checkpoint of files whose action is not known here is not rewritten without it."""
    found = opened(folder)
    add_to_context(found, STRICT, batch_of(found), is_recorded=False)
    path = folder / "gx" / "checkpoints" / "p.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace("update_data_docs", "page_somebody"), encoding="utf-8"
    )
    with pytest.raises(UserError, match="The checkpoint 'p' of the context cannot be loaded"):
        add_to_context(opened(folder), STRICT, batch_of(found), is_recorded=False)
    assert "page_somebody" in path.read_text(encoding="utf-8")


def test_exported_files_are_brought_up_to_date_too(folder):
    """What an export wrote is known again: its old limits go, and what users added stays."""
    exported(folder, STRICT, wanted=None)
    found = opened(folder)
    found.suites.get("p").add_expectation(gx.expectations.ExpectTableRowCountToEqual(value=6))
    add_to_context(found, LENIENT, batch_of(found))
    assert [one.at_least for one in found.suites.get("p").expectations if hasattr(one, "at_least")] == [2]
    assert types(found)[-1] == "expect_table_row_count_to_equal"
    assert run(found) is True
