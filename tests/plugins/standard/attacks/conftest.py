"""Small tables under attack: columns as lists."""

import numpy as np
import pytest

from columns import Table
from qidguard.core.parameter import bind
from qidguard.sdk import AnonymizationTask, Attacked, Changes
from qidguard_standard.attacks import ATTACKS

BY_NAME = {attack.name: attack for attack in ATTACKS}


@pytest.fixture(scope="session")
def attacked():
    """Return a maker of what is attacked: the original, what is published, and who was withheld."""

    def make(before, after=None, *, qids="ab", withheld=None, kept=True, **task):
        original = Table(before)
        if kept is True:
            kept = np.ones(original.records, dtype=np.bool_)
        elif kept is not None:
            kept = np.array(kept)
        changes = Changes(
            before=original,
            after=original if after is None else Table(after),
            kept=kept,
            suppression_mark="*",
        )
        fields = {"entity": None, "sensitive": ("s",) if "s" in before else (), "seed": 7} | task
        return Attacked(
            changes=changes,
            withheld=None if withheld is None else Table(withheld),
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
