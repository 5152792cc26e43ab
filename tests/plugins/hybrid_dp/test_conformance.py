"""The hybrid scheme and the private ones keep the protocol of anonymizers: the project's conformance kit."""

import pytest

from qidguard_hybrid_dp.anonymizer import HybridDp
from qidguard_hybrid_dp.private.anonymizer import NoisyMarginals, PrivateSynthetic
from qidguard_testing import AnonymizerConformance

BOUNDS = {
    "income": [0, 12_000_000],
    "weight": [0, 200_000],
    "age": [0, 120],
    "measure": [-65_536, 65_536],
    "number": [-(2**41), 2**41],
}
"""What each numeric column of the kit may hold, known without looking."""
PRIVATE = {"epsilon": "2", "delta": "1/1000", "bounds": BOUNDS}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]  # 100,000 records


class TestHybridDp(AnonymizerConformance):
    """Noise on the numbers and clusters of three on every table of the kit; no limit over all QIDs."""

    anonymizer = HybridDp()
    arguments = {"k": 3, "bounds": BOUNDS, "as_category": {"large": True}}  # noqa: RUF012 - the kit reads it, nobody writes
    claims = {}  # noqa: RUF012 - the kit reads it, nobody writes


class TestStrict(AnonymizerConformance):
    """Intervals of clusters of three: the limit holds over all QIDs, or it is refused."""

    anonymizer = HybridDp()
    arguments = {"bounds": BOUNDS, "as_category": {"large": True}, "strict": True}  # noqa: RUF012 - the kit reads it, nobody writes
    test_hundred_thousand_records = None  # as above


class TestPrivateSynthetic(AnonymizerConformance):
    """Synthetic records of every table of the kit; categories are found by their threshold."""

    anonymizer = PrivateSynthetic()
    arguments = {**PRIVATE, "structure": "tree"}  # noqa: RUF012 - the kit reads it, nobody writes
    claims = {}  # noqa: RUF012 - the kit reads it, nobody writes


class TestNoisyMarginals(AnonymizerConformance):
    """Counts of the columns together, or a sentence why there are none."""

    anonymizer = NoisyMarginals()
    arguments = PRIVATE
    claims = {}  # noqa: RUF012 - the kit reads it, nobody writes
