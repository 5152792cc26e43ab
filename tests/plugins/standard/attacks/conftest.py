"""Small tables under attack: columns as lists."""

from dataclasses import dataclass

import numpy as np
import pytest

from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Attacked, Changes, ColumnValues, ValueType
from qidguard_standard.attacks import ATTACKS

BY_NAME = {attack.name: attack for attack in ATTACKS}


@dataclass(frozen=True)
class Columns:
    """A table held in memory: column → values, None is NULL, whole numbers are a column of numbers."""

    values: dict

    @property
    def names(self):
        """Return the column names."""
        return tuple(self.values)

    @property
    def records(self):
        """Return the number of records."""
        return len(next(iter(self.values.values()), []))

    def codes(self, columns):
        """Return the codes of some columns."""
        return np.stack([self.column(name).codes for name in columns], axis=1)

    def column(self, name):
        """Return one column, coded as an engine codes it."""
        values = self.values[name]
        known = sorted({value for value in values if value is not None})
        code = {None: 0} | {value: place for place, value in enumerate(known, 1)}
        is_whole = bool(known) and all(isinstance(value, int) for value in known)
        return ColumnValues(
            name=name,
            value_type=ValueType.INTEGER if is_whole else ValueType.TEXT,
            codes=np.array([code[value] for value in values], dtype=np.int32),
            texts=(None, *map(str, known)),
            numbers=np.array([np.nan, *known], dtype=np.float64) if is_whole else None,
        )


@pytest.fixture(scope="session")
def attacked():
    """Return a maker of what is attacked: the original, what is published, and who was withheld."""

    def make(before, after=None, *, qids="ab", withheld=None, kept=True, **task):
        original = Columns(before)
        if kept is True:
            kept = np.ones(original.records, dtype=np.bool_)
        elif kept is not None:
            kept = np.array(kept)
        changes = Changes(
            before=original,
            after=original if after is None else Columns(after),
            kept=kept,
            suppression_mark="*",
        )
        fields = {"entity": None, "sensitive": ("s",) if "s" in before else (), "seed": 7} | task
        return Attacked(
            changes=changes,
            withheld=None if withheld is None else Columns(withheld),
            task=AnonymizationTask(combinations=(tuple(qids),), **fields),
        )

    return make


@pytest.fixture(scope="session")
def found(attacked):
    """Return a function that runs an attack on small tables; parameters of attacks are told by name."""

    def run(name, before, after=None, **more):
        attack = BY_NAME[name]
        names = {parameter.name for parameter in attack.parameters}
        given = {key: more.pop(key) for key in list(more) if key in names}
        return attack.attack(attacked(before, after, **more), bind(attack.parameters, given))

    return run
