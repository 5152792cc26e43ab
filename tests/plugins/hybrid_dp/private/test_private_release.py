"""Private synthetic records released: charged before they are drawn, and told as what they are."""

import pandas as pd
import pytest

from qidguard.evidence.verify import verify_release
from qidguard.sdk import QidguardError, UserError
from qidguard_hybrid_dp.private.mechanisms import OpenDPMechanisms
from releases import Place, once, people

CELLS = {"bounds": {"age": [20, 49]}, "categories": {"sex": "f|m", "illness": "flu|asthma|none"}}
TWO_EACH = {"metric": "share_unique", "at_most": 0.9}


@pytest.fixture
def place(tmp_path):
    """Return an empty place for releases."""
    return Place(tmp_path)


def rules(epsilon="2", budget=5, method="private_synthetic", **more):
    """Return a policy that publishes a new table in the place of the records."""
    return once(
        remedy={
            "anonymizer": method,
            "output": "new_table",
            "parameters": {"epsilon": epsilon, "bins": 3, **CELLS, **more},
        },
        privacy_budget={"epsilon": budget, "unit": "person"},
        thresholds=[TWO_EACH],
    )


def published(place):
    """Return the newest published table."""
    return pd.read_parquet(place.releases()[-1] / "people.parquet")


@pytest.mark.slow
def test_synthetic_records_are_released_with_their_guarantee(place):
    """Nobody's name or key is out; the attestation states ε, two parts and whom they protect."""
    made = place.release(people(size=40), rules())
    assert made.is_published
    table = published(place)
    assert list(table.columns) == ["age", "sex", "illness"]
    assert table["age"].dropna().between(20, 49).all()
    assert set(table["sex"].dropna()) <= {"f", "m"}
    assert 90 <= len(table) <= 150
    verified = verify_release(str(place.releases()[-1]), is_unsigned_allowed=True)
    assert verified.faults == ()
    told = verified.statement["predicate"]["privacy"]
    assert (told["epsilon"], told["unit"], len(told["parts"])) == ("2", "person", 2)


@pytest.mark.slow
def test_counts_are_released_too(place):
    """Every cell of sex and illness, the last ones too."""
    assert place.release(people(size=40), rules(method="noisy_marginals", columns="sex|illness")).is_published
    table = published(place)
    assert list(table.columns) == ["sex", "illness", "noisy_count"]
    assert len(table) == 12


@pytest.mark.slow
def test_a_spent_budget_draws_nothing(place, monkeypatch):
    """Of ε = 5 two releases of 2 are charged; a third is refused before anything is drawn."""
    for number in range(2):
        assert place.release(people(size=40), rules(), release_id=f"r{number}").is_published
    monkeypatch.setattr(OpenDPMechanisms, "counts", None)  # who draws fails
    with pytest.raises(QidguardError, match="a release of ε = 2 would bring what is spent of 'people' to"):
        place.release(people(size=40), rules(), release_id="r3")
    assert len(place.releases()) == 2


@pytest.mark.slow
def test_what_cannot_be_planned_charges_nothing(place):
    """A column without bounds is the user's mistake, and the budget stays whole."""
    with pytest.raises(UserError, match="column 'age' holds numbers and has no bounds; declare them"):
        place.release(people(size=40), rules(bounds={}))
    assert place.release(people(size=40), rules(epsilon="5")).is_published
