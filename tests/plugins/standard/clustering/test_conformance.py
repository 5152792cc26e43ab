"""Every clustering anonymizer keeps the protocol: the project's conformance kit."""

import pytest

from qidguard_standard.anonymizers.clustering.anneal import Anneal
from qidguard_standard.anonymizers.clustering.blocks import Blocks
from qidguard_standard.anonymizers.clustering.k_member import KMember, ZhengLDiversity
from qidguard_standard.anonymizers.clustering.mdav import Mdav, VMdav
from qidguard_standard.anonymizers.clustering.mondrian import Mondrian
from qidguard_testing import SAMPLES, AnonymizerConformance, check_anonymizer

SMALL = [make() for make in SAMPLES if make.__name__ == "persons"]
K_AND_L = {"k_anonymity": 3, "distinct_l_diversity": 2}


class _Drawn(AnonymizerConformance):
    """Tables that hypothesis draws, and Ctrl-C: the list of all anonymizers has the rest of the kit."""

    test_made_up_table = None
    test_process_of_its_own = None
    test_hundred_thousand_records = None


@pytest.mark.slow
class TestMondrian(_Drawn):
    """Strict Mondrian; the order of records decides nothing."""

    anonymizer = Mondrian()
    is_order_free = True


@pytest.mark.slow
class TestMondrianWithL(_Drawn):
    """Mondrian with k and l."""

    anonymizer = Mondrian()
    claims = K_AND_L


@pytest.mark.slow
class TestRelaxedMondrian(_Drawn):
    """Relaxed Mondrian, published as means."""

    anonymizer = Mondrian()
    arguments = {"is_strict": False, "publish": "means"}  # noqa: RUF012 - the kit reads it, nobody writes


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestMdav(_Drawn):
    """MDAV with k alone."""

    anonymizer = Mdav()


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestMdavWithL(_Drawn):
    """MDAV with k and l, published as sets."""

    anonymizer = Mdav()
    arguments = {"publish": "sets"}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestVMdav(_Drawn):
    """V-MDAV with k and l."""

    anonymizer = VMdav()
    arguments = {"gain": 1.1}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestAnneal(_Drawn):
    """Annealing with k and l."""

    anonymizer = Anneal()
    arguments = {"effort": 0.05}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestKMember(_Drawn):
    """k-member clustering with k and l."""

    anonymizer = KMember()
    arguments = {"diversity": 0.5}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestZheng(_Drawn):
    """l-diversity clustering."""

    anonymizer = ZhengLDiversity()
    claims = K_AND_L


@pytest.mark.slow
class TestBlocks(_Drawn):
    """Small blocks, MDAV inside."""

    anonymizer = Blocks()
    arguments = {"block_size": 20}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.parametrize(
    "anonymizer",
    [Mondrian(), Mdav(), VMdav(), Anneal(), KMember(), ZhengLDiversity(), Blocks()],
    ids=lambda one: one.name,
)
def test_small_tables(anonymizer):
    """Persons of several records, some of them missing, break no promise of any of them."""
    found = check_anonymizer(anonymizer, {}, claims=K_AND_L, samples=SMALL, is_thorough=False)
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
def test_mondrian_keeps_t(make):
    """With k, l and t together every table of the kit is published within all three, or not at all."""
    claims = {**K_AND_L, "t_closeness": 0.4}
    assert check_anonymizer(Mondrian(), {}, claims=claims, samples=[make()], is_thorough=False) == []
