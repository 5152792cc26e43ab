"""A seed that somebody typed, and another may guess, takes nothing back that was drawn."""

import pytest

from plugged import Coarse, host_with
from qidguard import UserError, anonymize
from releases import Place, judged, once, people

AMONG_DRAWN = 1 << 32
"""No seed that anybody types; one that is drawn is smaller once in two thousand million times."""


class Drawing(Coarse):
    """Coarsens, and says that it draws; it keeps the seeds that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seeds: list[int] = []

    def draws_values(self, _):
        """Say so."""
        return True

    def anonymize(self, records, arguments, task):
        """Remember the seed."""
        self.seeds.append(task.seed)
        return super().anonymize(records, arguments, task)


@pytest.fixture
def drawing():
    """Return a method that draws."""
    return Drawing()


@pytest.fixture
def table():
    """Return two classes of four men: one class of eight once it is coarser."""
    rows = people(groups=3, size=4)
    return rows[rows["sex"] == "m"].reset_index(drop=True)


def test_a_release_gives_its_remedy_no_seed_that_can_be_guessed(place, tmp_path, table, drawing):
    """Mixed with the history key: the same in one home only; the record keeps what was typed."""
    rules = judged(remedy={"anonymizer": drawing.name})
    for where in (place, place, Place(tmp_path / "another")):
        made = where.release(table, rules, host=host_with([drawing]), seed=7)
        assert where.record(made.audit_id)["suppression"]["seed"] == 7
    first, again, elsewhere = drawing.seeds
    assert first == again != elsewhere
    assert min(drawing.seeds) > AMONG_DRAWN


@pytest.mark.slow
def test_what_a_method_drew_from_a_typed_seed_is_not_written(tmp_path, table, drawing):
    """With a seed of nobody's it is; so is what a recorded trial drew, whose seed is mixed with the key."""
    given = {"policy": once(), "anonymizer": drawing.name, "host": host_with([drawing])}
    path = tmp_path / "t.csv"
    with anonymize(table, seed=7, **given) as tried:
        assert tried.is_passed
        with pytest.raises(UserError, match="leave the seed out, record the verdict"):
            tried.write(str(path))
    assert not path.exists()
    with anonymize(table, **given) as tried:
        tried.write(str(path))
    assert path.exists()
    recorded = {"is_recorded": True, "home": str(tmp_path / "home"), "data_set": "people"}
    with anonymize(table, seed=7, **recorded, **given) as tried:
        tried.write(str(path), shuffle=True)
    assert drawing.seeds[0] == 7
    assert min(drawing.seeds[1:]) > AMONG_DRAWN
