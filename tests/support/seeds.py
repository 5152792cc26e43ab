"""What the faults draw: moments, places and inputs, all from one seed that repeats them."""

import os
import random

SEED = int(os.environ.get("QIDGUARD_SEED", "20261122"))


def drawing(name: str) -> random.Random:
    """Return a generator of the draws of one test, which those of others do not move."""
    return random.Random(f"{SEED} {name}")  # noqa: S311 - moments and inputs, no secrets
