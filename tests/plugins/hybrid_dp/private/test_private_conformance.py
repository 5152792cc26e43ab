"""The fully private choice keeps the protocol of anonymizers: the project's conformance kit."""

import pytest

from qidguard.testing import AnonymizerConformance
from qidguard_hybrid_dp.private.anonymizer import NoisyMarginals, PrivateSynthetic

BOUNDS = {
    "income": [0, 12_000_000],
    "weight": [0, 200_000],
    "age": [0, 120],
    "measure": [-65_536, 65_536],
    "number": [-(2**41), 2**41],
}
"""What each numeric column of the kit may hold, known without looking."""
ASKED = {"epsilon": "2", "delta": "1/1000", "bounds": BOUNDS}


@pytest.mark.slow
@pytest.mark.timeout(1200)  # 100,000 records
class TestPrivateSynthetic(AnonymizerConformance):
    """Synthetic records of every table of the kit; categories are found by their threshold."""

    anonymizer = PrivateSynthetic()
    arguments = {**ASKED, "structure": "tree"}  # noqa: RUF012 - the kit reads it, nobody writes
    claims = {}  # noqa: RUF012 - the kit reads it, nobody writes


@pytest.mark.slow
@pytest.mark.timeout(1200)  # 100,000 records
class TestNoisyMarginals(AnonymizerConformance):
    """Counts of the columns together, or a sentence why there are none."""

    anonymizer = NoisyMarginals()
    arguments = ASKED
    claims = {}  # noqa: RUF012 - the kit reads it, nobody writes
