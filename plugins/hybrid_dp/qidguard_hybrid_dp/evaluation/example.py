"""Small tables for examples and tests: 240 people, and six whose ages are noised and races generalized."""

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


def people(count: int = 240, seed: int = 0) -> pd.DataFrame:
    """Return people with an age, a race, a country, a sex, and an illness that depends on their age.

    Args:
        count: How many, ≥ 1.
        seed: Seeds the draw.
    """
    draw = np.random.default_rng(seed)
    age = draw.integers(20, 61, count)
    return pd.DataFrame(
        {
            "age": age,
            "race": draw.choice(["a", "b", "c", "d"], count, p=[0.84, 0.1, 0.04, 0.02]),
            "country": draw.choice(["n", "o", "p", "q"], count, p=[0.88, 0.06, 0.04, 0.02]),
            "sex": draw.choice(["f", "m"], count),
            "illness": np.where(draw.random(count) < age / 80, "yes", "no"),
        }
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
