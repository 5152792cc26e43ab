"""Automatic hierarchies whose labels say what they cover."""

import pytest

from qidguard.sdk import read_coverage, set_text
from qidguard_standard.anonymizers.readable_hierarchy import LONGEST_LABEL, readable_hierarchy


@pytest.mark.parametrize("count", [1, 2, 9, 40, 3_000])
def test_every_label_can_be_read_without_the_hierarchy(table, count):
    """Each group between exact and top is the set of its values, and none is too long."""
    cells = [f"town {i:04}, east" for i in range(count)] * 2 + [None]
    values = table(town=cells).column("town")
    hierarchy = readable_hierarchy(values)
    assert hierarchy.labels[0] == values.texts
    assert hierarchy.labels[-1] == ("*",)
    for level in range(1, hierarchy.levels - 1):
        for group, label in enumerate(hierarchy.labels[level]):
            covered = [t for t, g in zip(values.texts, hierarchy.groups[level], strict=True) if g == group]
            assert label == (None if covered == [None] else set_text(covered))
            assert label is None or len(label) <= LONGEST_LABEL


def test_numbers_are_published_as_intervals(table):
    """The reader knows them as they are."""
    values = table(age=list(range(100))).column("age")
    hierarchy = readable_hierarchy(values)
    label = hierarchy.labels[1][int(hierarchy.groups[1][1])]
    shown = table(age=[label]).column("age")
    assert 0 < read_coverage(values, shown).loss[1] < 1
