"""A release with noise says in receipt, record, ledger and attestation what it guarantees and costs."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from noise import NOT_COVERED, Noisy, costs
from plugged import host_with
from qidguard import ExitCode, PluginError, PolicyError, QidguardError, audit
from qidguard.core.privacy_document import privacy_document
from qidguard.evidence import verify
from qidguard.evidence.canonical import EvidenceFault, canonical_bytes
from qidguard.evidence.statement import read_statement, statement_bytes
from qidguard.releasing.deciding import charge
from qidguard.rendering.receipt import receipt_lines
from qidguard.sdk import Anonymized
from releases import Place, once, other_people, people

BOUNDS = {"age": [20, 40]}
BUDGET = {"epsilon": "1/2"}


def rules(parameters=None, budget=None, **more):
    """Return a policy whose remedy is noise of ε = 1/2 on ages, most of which end at a bound."""
    remedy = {"anonymizer": "noisy", "parameters": {"epsilon": "1/2", "bounds": BOUNDS} | (parameters or {})}
    thresholds = [{"metric": "share_unique", "at_most": 0.9}]
    section = {"release": other_people("people")}
    return once(remedy=remedy, privacy_budget=budget or BUDGET, thresholds=thresholds, **section | more)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a place that holds one release with noise, and the release."""
    place = Place(tmp_path_factory.mktemp("noise"))
    return place, place.release(people(size=100), rules(), host=host_with([Noisy()]))


@pytest.mark.slow
def test_everything_says_the_same_guarantee(made):
    """Receipt, internal record, ledger and attestation; the console's lines too; and the ages have it."""
    place, released = made
    ages = pd.read_parquet(place.releases()[0] / "people.parquet")["age"]
    assert (ages.between(20, 40).all(), ages.nunique() > 3) == (True, True)
    guarantee = released.receipt.privacy
    (part,) = guarantee.parts
    assert (part.scale, part.epsilon, part.bounds) == (40, Fraction(1, 2), (20, 40))
    told = privacy_document(guarantee)
    record = place.record(released.audit_id)["suppression"]
    assert (record["privacy"], record["seed"]) == (told, None)
    (spent,) = place.entries("spent")
    assert (spent.payload["privacy"], spent.payload["epsilon"]) == (told, "1/2")
    found = place.verification()
    public = found.statement["predicate"]["privacy"]
    assert public == told | {"without_noise": ["sex", "illness"]}
    assert found.faults == ()
    said = "It states differential privacy of ε = 1/2 for a record, by noise on age; 2 published columns have"
    assert any(note.startswith(said) for note in found.notes)
    assert any(NOT_COVERED in note for note in found.notes)
    lines = list(receipt_lines(record))
    assert (
        "noisy, Laplace noise on numbers (bounds={age: [20, 40]}, contributions=0, epsilon=1/2)" in lines[0]
    )
    assert "  age: ε = 1/2, discrete laplace noise of scale 40, wherever the value lies in 20..40" in lines


@pytest.mark.slow
@pytest.mark.parametrize(("path", "value", "said"), [
    (("epsilon",), "1/4", "contradicts its own parts"),
    (("parts", 0, "epsilon"), "1/4", "does not give"),
    (("parts", 0, "scale"), "4", "does not give"),
    (("without_noise",), ["age", "sex", "illness"], "as noised and as without noise"),
    (("seed",), 1, "a field that nobody knows"),
])  # fmt: skip
def test_an_attestation_that_contradicts_itself_is_refused(made, path, value, said):
    """An ε that the scale does not give, a total of another sum, a column on both sides."""
    place, _ = made
    with pytest.raises(EvidenceFault, match=said):
        read_statement(place.forged(("privacy", *path), value))


@pytest.mark.slow
def test_a_statement_of_the_second_form_is_still_read(made):
    """It said nothing of privacy; one of the third form must."""
    place, _ = made
    statement = place.verification().statement
    verdict = statement["predicate"]["verdict"]
    bare = [{k: v for k, v in t.items() if k != "noised"} for t in verdict["thresholds"]]
    without = {k: v for k, v in statement["predicate"].items() if k not in {"privacy", "noised", "new_table"}}
    without |= {"verdict": verdict | {"thresholds": bare}}
    second = statement | {"predicateType": "urn:qidguard:release:v2", "predicate": without}
    assert read_statement(canonical_bytes(second)) == second
    with pytest.raises(QidguardError, match="is missing"):
        statement_bytes({"a.csv": "0" * 64}, without)


@pytest.mark.slow
def test_a_column_of_which_the_attestation_says_nothing_is_a_fault(made, monkeypatch):
    """Every published column has noise or has none."""
    place, _ = made

    def hiding(content):
        statement = read_statement(content)
        statement["predicate"]["privacy"]["without_noise"].remove("sex")
        return statement

    monkeypatch.setattr(verify, "read_statement", hiding)
    found = place.verification()
    assert any("says of 1 published columns neither" in fault for fault in found.faults)


@pytest.mark.slow
def test_a_person_of_more_records_than_were_declared_is_refused(place):
    """The guarantee would be false; nothing is charged and nothing drawn."""
    table = pd.concat([people(), people()])
    for many, is_refused in ((1, True), (2, False)):
        noisy, asked = Noisy(), rules({"contributions": many}, {"epsilon": 5})
        if is_refused:
            with pytest.raises(PluginError, match="at most 1 records each, and one has 2"):
                place.release(table, asked, host=host_with([noisy]))
            assert (noisy.drawn, place.entries("spent")) == ([], [])
        else:
            made = place.release(table, asked, host=host_with([noisy]))
            assert made.receipt.privacy.cost.epsilon == 1


def test_a_budget_of_persons_is_not_spent_by_records(place):
    """A guarantee for single records is less than the policy asks for."""
    noisy = Noisy()
    made = place.release(people(), rules(budget={"epsilon": 5, "unit": "person"}), host=host_with([noisy]))
    assert not made.is_published
    assert "protects persons, and the remedy noisy protects records" in made.reasons[0]
    assert (noisy.drawn, place.entries("spent")) == ([], [])


@pytest.mark.slow
def test_a_budget_of_persons_does_not_add_up_what_protected_records(place):
    """What these cost a person is not known: nothing is charged or drawn; the other way round they add up."""
    table, others = (pd.concat([people(size=100, first=n)] * 2) for n in (0, 900))
    place.release(table, rules(budget={"epsilon": 5}), host=host_with([Noisy()]))
    noisy, of_persons = Noisy(), rules({"contributions": 2}, {"epsilon": 5, "unit": "person"})
    with pytest.raises(QidguardError, match=r"1 earlier charge of 'people' .* protected records") as raised:
        place.release(others, of_persons, host=host_with([noisy]))
    assert raised.value.exit_code is ExitCode.BLOCKED
    assert (noisy.drawn, len(place.entries("spent"))) == ([], 1)
    other = place.root / "other"
    fresh = Place(other)
    fresh.release(table, of_persons, host=host_with([Noisy()]))
    fresh.release(others, rules(budget={"epsilon": "3/2"}), host=host_with([Noisy()]))
    assert [e.payload["epsilon"] for e in fresh.entries("spent")] == ["1", "1/2"]


@pytest.mark.slow
def test_what_is_charged_is_said_before_anything_is_drawn(place):
    """In a sentence that stays, whoever shows progress; also that it stays charged."""
    noisy, told = Noisy(), []

    class Heard:
        def step(self, title, done, total):
            pass

        def tell(self, sentence):
            told.append((sentence, len(noisy.drawn)))

    place.release(people(size=100), rules(), host=host_with([noisy]), progress=Heard())
    said = (
        "The remedy noisy draws noise: ε = 1/2 is to be charged to the privacy budget of people (ε = 1/2 in"
        " all) before it draws, and stays charged if the result is blocked."
    )
    assert told == [(said, 0)]


def test_an_unknown_column_of_a_parameter_is_told_before_anything_is_read_of_it():
    """By the audit already, and with the name that was meant."""
    asked = rules({"bounds": {"agee": [20, 40]}})
    with pytest.raises(QidguardError, match="names the column 'agee', which the table has not; did you mean"):
        audit(people(), policy=asked, host=host_with([Noisy()]))
    with pytest.raises(PolicyError, match="parameter 'bounds' of 'age' must be a list of 2"):
        audit(people(), policy=rules({"bounds": {"age": [20]}}), host=host_with([Noisy()]))


@pytest.mark.parametrize(("guarantee", "said"), [
    (lambda *_: None, "returned NoneType, not PrivacyGuarantee"),
    (lambda *_: costs(1, "wage"), "speaks of a column that the table does not have"),
], ids=["none", "another column"])  # fmt: skip
def test_a_plugin_without_a_true_guarantee_draws_nothing(place, guarantee, said):
    """Its fault is its own, and nothing is charged."""
    noisy = Noisy(privacy_guarantee=guarantee)
    with pytest.raises(PluginError, match=said):
        place.release(people(), rules(), host=host_with([noisy]))
    assert (noisy.drawn, place.entries("spent")) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize(("told", "asked", "said"), [
    (privacy_document(costs("1/100")), rules(budget={"epsilon": 5}),
        r"charges ε = 1/2, and its guarantee costs ε = 1/100"),
    (None, rules({"contributions": 1}, {"epsilon": 5, "unit": "person"}), "1 earlier charge"),
], ids=["something else", "nothing"])  # fmt: skip
def test_a_charge_whose_guarantee_does_not_tell_its_cost_stops_the_next_one(
    place, monkeypatch, told, asked, said
):
    """One that costs less than was charged; and none, as of earlier versions, which tells of no persons."""
    with monkeypatch.context() as patch:
        patch.setattr(charge, "privacy_document", lambda _: told)
        place.release(people(), rules(budget={"epsilon": 5}), host=host_with([Noisy()]))
    noisy = Noisy()
    with pytest.raises(QidguardError, match=said):
        place.release(people(first=90), asked, host=host_with([noisy]))
    assert noisy.drawn == []


def test_noise_that_is_promised_and_not_drawn_is_a_fault_of_the_plugin(place):
    """The column that the guarantee names would be published as it was; it never is."""
    noisy = Noisy(anonymize=lambda records, *_: Anonymized(kept=np.ones(records.records, dtype=bool)))
    with pytest.raises(PluginError, match="publishes the column 'age' as it was, and its privacy_guarantee"):
        place.release(people(), rules(), host=host_with([noisy]))
    assert place.releases() == []
