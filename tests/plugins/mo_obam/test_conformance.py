"""MO-OBAM keeps the protocol of anonymizers: the project's conformance kit."""

import pytest

from qidguard.testing import AnonymizerConformance
from qidguard_mo_obam.anonymizer import MoObam


@pytest.mark.slow
@pytest.mark.timeout(1200)  # 100,000 records
class TestMoObam(AnonymizerConformance):
    """Few clusters with k from the policy, on every table of the kit."""

    anonymizer = MoObam()
    arguments = {"n_c": 5, "starts": 3}  # noqa: RUF012 - the kit reads it, nobody writes
