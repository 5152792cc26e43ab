"""A subclass of an expectation, as Great Expectations documents customizing one, is judged as its base."""

import json

import great_expectations as gx
import pytest
from great_expectations.render.renderer import ValidationResultsPageRenderer
from great_expectations.render.view import DefaultJinjaPageView

from audited import TABLE, policy
from gx_batches import pandas_table
from gx_project import DATA, entries, new_context
from qidguard.core.errors import UserError
from qidguard.policy.origin import value_digest
from qidguard_expectations import (
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTableToMeetPrivacyPolicy,
    RecordInLedgerAction,
    RequirePrivacyVerdictAction,
)

pytestmark = pytest.mark.gx

POLICY = policy()
DIGEST = value_digest(POLICY)


class ExpectWardsToBeAnonymous(ExpectTableKAnonymityToBeAtLeast):
    """Says all arguments itself."""

    quasi_identifiers: list[str] = ["sex", "age"]  # noqa: RUF012 - pydantic copies it
    at_least: int = 3


class ExpectDescribedWards(ExpectWardsToBeAnonymous):
    """Says how it is described."""

    description: str = "Nobody is alone on a ward."


class ExpectDiverseIllness(ExpectTableLDiversityToBeAtLeast):
    """Says some arguments."""

    sensitive: str = "illness"
    at_least: int = 2


class ExpectOurPolicy(ExpectTableToMeetPrivacyPolicy):
    """Says a whole policy."""

    policy: dict = POLICY
    policy_sha256: str = DIGEST


def checkpoint_of(*expectations, action):
    """Return a context and a checkpoint of somebody's own suite, in memory."""
    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    suite = found.suites.add(gx.ExpectationSuite("own", expectations=list(expectations)))
    definition = found.validation_definitions.add(
        gx.ValidationDefinition(name="own", data=batch, suite=suite)
    )
    made = gx.Checkpoint(name="own", validation_definitions=[definition], actions=[action])
    return found, found.checkpoints.add(made)


@pytest.mark.parametrize(
    ("made", "type_", "value"),
    [
        (ExpectWardsToBeAnonymous(), "expect_wards_to_be_anonymous", 3),
        (ExpectDescribedWards(), "expect_described_wards", 3),
        (ExpectDiverseIllness(quasi_identifiers=["sex"]), "expect_diverse_illness", 2),
        (ExpectOurPolicy(), "expect_our_policy", 0),
    ],
)
def test_a_subclass_is_judged_and_recorded(home, made, type_, value):
    """It passes where its base does, under its own name, and its run is one passed entry."""
    _, checkpoint = checkpoint_of(made, action=RecordInLedgerAction(name="record"))
    (result,) = next(iter(checkpoint.run(batch_parameters={"dataframe": TABLE}).run_results.values())).results
    assert (result.expectation_config.type, result.success) == (type_, True)
    assert result.result["observed_value"] == value
    (entry,) = entries(home)
    assert (entry.payload["outcome"], entry.payload["blocks"]) == ("passed", [])
    assert len(entry.payload["figures"]) == (2 if type_ == "expect_our_policy" else 1)


def test_a_subclass_that_fails_is_recorded_with_its_figure(home):
    """Its own argument goes before that of the class, and the entry has the figure."""
    own = ExpectWardsToBeAnonymous(at_least=4)
    _, checkpoint = checkpoint_of(own, action=RecordInLedgerAction(name="record"))
    assert checkpoint.run(batch_parameters={"dataframe": TABLE}).success is False
    (entry,) = entries(home)
    assert entry.payload["missed"] == [
        "k-anonymity is 3 records, must be at least 4 (1 short), over sex, age."
    ]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("kind", [RecordInLedgerAction, RequirePrivacyVerdictAction])
def test_the_verdict_of_a_subclass_is_the_one_that_is_asked_for(kind):
    """The digest that its class says is the one an action asks for; any other is no verdict of it."""
    _, checkpoint = checkpoint_of(ExpectOurPolicy(), action=kind(name="own", policy_sha256=DIGEST))
    assert checkpoint.run(batch_parameters={"dataframe": TABLE}).success is True
    _, checkpoint = checkpoint_of(ExpectOurPolicy(), action=kind(name="own", policy_sha256="0" * 64))
    with pytest.raises(UserError, match="without the verdict of its policy"):
        checkpoint.run(batch_parameters={"dataframe": TABLE})


def test_a_subclass_has_its_sentence_in_data_docs(context):
    """What its class says stands in the sentence of its base, unless it has a description."""
    run = pandas_table(context, TABLE).run(ExpectWardsToBeAnonymous(), ExpectDescribedWards())
    page = DefaultJinjaPageView().render(ValidationResultsPageRenderer().render(run))
    assert "must hold at least" in page
    assert "Nobody is alone on a ward." in page
    (result, _) = run.results
    result.render()
    (said,) = result.expectation_config.rendered_content
    words = said.value.to_json_dict()
    figures = {name: part["value"] for name, part in words["params"].items()}
    text = words["template"]
    for name, value in figures.items():
        text = text.replace(f"${name}", value)
    assert text == "Every class over sex, age must hold at least 3 records (k-anonymity)."
    assert "at_least" in json.loads(ExpectWardsToBeAnonymous.schema_json())["properties"]


def test_what_a_class_says_wrongly_is_refused():
    """The attributes of a subclass are checked as arguments are."""

    class ExpectNothing(ExpectTableKAnonymityToBeAtLeast):
        quasi_identifiers: list[str] = ["age"]  # noqa: RUF012 - pydantic copies it
        at_least: int = 0

    with pytest.raises(ValueError, match="at_least 0"):
        ExpectNothing()


def test_a_class_of_the_same_name_is_not_ours(home):
    """What is ours is told by the class, so a name alone is no verdict."""
    from great_expectations.expectations.registry import register_expectation

    try:

        class ExpectTableKAnonymityToBeAtLeast(gx.expectations.ExpectTableRowCountToEqual):
            value: int = 6

        _, checkpoint = checkpoint_of(
            ExpectTableKAnonymityToBeAtLeast(), action=RecordInLedgerAction(name="record")
        )
        with pytest.raises(UserError, match="No expectation of the suite is on privacy"):
            checkpoint.run(batch_parameters={"dataframe": TABLE})
    finally:
        register_expectation(ExpectWardsToBeAnonymous.__bases__[0])
    (entry,) = entries(home)
    assert entry.payload["outcome"] == "blocked"


def test_an_expectation_that_nobody_imported_blocks(home, monkeypatch):
    """Great Expectations leaves it out and passes the rest; the run is recorded as blocked, and raises."""
    from great_expectations.expectations import registry

    found, _ = checkpoint_of(
        ExpectDiverseIllness(quasi_identifiers=["sex"]),
        ExpectDescribedWards(at_least=4),
        action=RecordInLedgerAction(name="record"),
    )
    monkeypatch.delitem(registry._registered_expectations, "expect_described_wards")
    with pytest.raises(UserError, match="The suite own was run without expect_described_wards, since nobody"):
        found.checkpoints.get("own").run(batch_parameters={"dataframe": TABLE})
    (entry,) = entries(home)
    assert (entry.payload["outcome"], entry.payload["missed"]) == ("blocked", [])
