"""Small tables for examples: six people whose ages are noised and half of whose races are generalized."""

import numpy as np
import pandas as pd

from qidguard.sdk import (
    Anonymized,
    Changes,
    Hierarchy,
    Original,
    Recoded,
    RehearsedTable,
    k_anonymity_task,
    records_of,
)


def six_people() -> Changes:
    """Return ages 30 31 32 50 51 52 published as 30 31 32 50 40 60, three of six races as ``*``."""
    frame = pd.DataFrame(
        {
            "age": [30, 31, 32, 50, 51, 52],
            "race": ["a", "a", "a", "b", "c", "d"],
            "illness": ["flu", "flu", "asthma", "flu", "asthma", "asthma"],
        }
    )
    held = records_of(frame)
    age, race = held.column("age"), held.column("race")
    numbers = np.asarray(age.numbers)[age.codes]
    moved = {51.0: 40, 52.0: 60}
    ages = [moved.get(one, int(one)) for one in numbers.tolist()]
    distinct = tuple(sorted(set(ages)))
    codes = np.array([distinct.index(one) for one in ages])
    is_hidden = race.codes > 1
    races = Recoded(
        codes=np.where(is_hidden, len(race.texts), race.codes),
        values=(*(Original(code) for code in range(len(race.texts))), "*"),
    )
    top = Hierarchy(
        column="race",
        groups=np.array([range(len(race.texts)), [0] * len(race.texts)], dtype=np.int32),
        labels=(race.texts, ("*",)),
    )
    done = RehearsedTable(
        before=held,
        task=k_anonymity_task(2, ["age", "race"], sensitive=["illness"], hierarchies={"race": top}),
        anonymizer="by hand",
        done=Anonymized(
            kept=np.ones(6, dtype=np.bool_),
            columns={"age": Recoded(codes=codes, values=distinct), "race": races},
        ),
        seconds=0.0,
    )
    return done.changes
