"""A small table for examples and tests: 240 people, most of whom have one race and one country."""

import numpy as np
import pandas as pd


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
