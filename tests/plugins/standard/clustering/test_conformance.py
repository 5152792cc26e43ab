"""Every clustering anonymiser keeps the protocol: the project's conformance kit."""

import pytest

from qidguard.testing import SAMPLES, AnonymiserConformance, check_anonymiser
from qidguard_standard.anonymisers.clustering.blocks import Blocks
from qidguard_standard.anonymisers.clustering.k_member import KMember
from qidguard_standard.anonymisers.clustering.mdav import Mdav
from qidguard_standard.anonymisers.clustering.mondrian import Mondrian
from qidguard_standard.anonymisers.clustering.v_mdav import VMdav
from qidguard_standard.anonymisers.clustering.zheng_l_diversity import ZhengLDiversity

SMALL = [make() for make in SAMPLES if make.__name__ == "persons"]
K_AND_L = {"k_anonymity": 3, "distinct_l_diversity": 2}


class _Drawn(AnonymiserConformance):
    """Tables that hypothesis draws, and Ctrl-C: the list of all anonymisers has the rest of the kit."""

    test_made_up_table = None
    test_process_of_its_own = None
    test_hundred_thousand_records = None


@pytest.mark.slow
class TestMondrian(_Drawn):
    """Strict Mondrian; the order of records decides nothing."""

    anonymiser = Mondrian()
    is_order_free = True


@pytest.mark.slow
class TestMondrianWithL(_Drawn):
    """Mondrian with k and l."""

    anonymiser = Mondrian()
    claims = K_AND_L


@pytest.mark.slow
class TestRelaxedMondrian(_Drawn):
    """Relaxed Mondrian, published as means."""

    anonymiser = Mondrian()
    arguments = {"is_strict": False, "publish": "means"}  # noqa: RUF012 - the kit reads it, nobody writes


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestMdav(_Drawn):
    """MDAV with k alone."""

    anonymiser = Mdav()


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestMdavWithL(_Drawn):
    """MDAV with k and l, published as sets."""

    anonymiser = Mdav()
    arguments = {"publish": "sets"}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestVMdav(_Drawn):
    """V-MDAV with k and l."""

    anonymiser = VMdav()
    arguments = {"gain": 1.1}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestKMember(_Drawn):
    """k-member clustering with k and l."""

    anonymiser = KMember()
    arguments = {"diversity": 0.5}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.slow
@pytest.mark.timeout(1200)  # the square of 100,000 records
class TestZheng(_Drawn):
    """l-diversity clustering."""

    anonymiser = ZhengLDiversity()
    claims = K_AND_L


@pytest.mark.slow
class TestBlocks(_Drawn):
    """Small blocks, MDAV inside."""

    anonymiser = Blocks()
    arguments = {"block_size": 20}  # noqa: RUF012 - as above
    claims = K_AND_L


@pytest.mark.parametrize(
    "anonymiser",
    [Mondrian(), Mdav(), VMdav(), KMember(), ZhengLDiversity(), Blocks()],
    ids=lambda one: one.name,
)
def test_small_tables(anonymiser):
    """Persons of several records, some of them missing, break no promise of any of them."""
    found = check_anonymiser(anonymiser, {}, claims=K_AND_L, samples=SMALL, is_thorough=False)
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
def test_mondrian_keeps_t(make):
    """With k, l and t together every table of the kit is published within all three, or not at all."""
    claims = {**K_AND_L, "t_closeness": 0.4}
    assert check_anonymiser(Mondrian(), {}, claims=claims, samples=[make()], is_thorough=False) == []
