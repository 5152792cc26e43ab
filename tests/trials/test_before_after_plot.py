"""Class sizes before and after, drawn: bars by hand, and none of a new table."""

import numpy as np
import pytest

from qidguard.trials.before_after_plot import before_after_plot


def bars(before, after, limit):
    """Return table → bar → persons and whether they are below the limit."""
    plot = before_after_plot(np.array(before), np.array(after), limit, "records")
    found: dict[str, dict[str, tuple[int, bool]]] = {"before": {}, "after": {}}
    for row in plot.vega_lite["data"]["values"]:
        found[row["table"]][row["size"]] = (row["persons"], row["kind"] == "below the limit")
    return found


def test_persons_stand_in_the_bar_of_their_class():
    """With k = 5 eleven people before: one alone, three in a class of three, seven in one of seven."""
    found = bars([1, 3, 7], [11], 5)
    few = {"1": (1, True), "2 to 4": (3, True), "5 to 9": (7, False)}
    assert found["before"] == few | dict.fromkeys(("10 to 24", "25 to 99", "100 or more"), (0, False))
    assert found["after"]["10 to 24"] == (11, False)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 11, 1000])
def test_every_person_is_in_one_bar(limit):
    """Whatever the limit, bars add up to the persons, and those below it to who is in smaller classes."""
    sizes = list(range(1, 300))
    found = bars(sizes, [5, 5], limit)["before"]
    assert sum(persons for persons, _ in found.values()) == sum(sizes)
    below = sum(persons for persons, is_below in found.values() if is_below)
    assert below == sum(size for size in sizes if size < limit)
