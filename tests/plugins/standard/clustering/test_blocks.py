"""Blocks: who stays as they are, threads, kernels, and what blocks cost."""

import numpy as np
import pytest

from qidguard import UserError
from qidguard.core.progress import SILENT
from qidguard_standard.anonymizers.clustering import blocks
from qidguard_standard.anonymizers.clustering.blocks import Blocks
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.mdav import mdav_classes, mdav_kernel
from qidguard_standard.anonymizers.clustering.wanted import Wanted


def table_of(clustering, records=600):
    """Return people of whom many are alike."""
    generator = np.random.default_rng(8)
    return clustering.Records(
        age=generator.choice([30, 31, 45, *range(17, 80)], records).tolist(),
        job=generator.choice(list("aaaaabcdef"), records).tolist(),
        town=generator.choice(list("xxxyz"), records).tolist(),
        ill=generator.choice(list("fghi"), records).tolist(),
    )


def test_who_is_alike_stays_as_they_are(clustering):
    """As many as k records that agree are published unchanged, whatever is around them."""
    table = clustering.Records(age=[20] * 5 + [21, 22, 23], job=["a"] * 5 + ["a", "b", "b"])
    shown = clustering.shown(table, clustering.run(Blocks(), table, k=3))
    assert shown == [("20", "a")] * 5 + [("[21, 23]", "{a, b}")] * 3


def test_who_is_too_few_to_be_left_alone_is_not(clustering):
    """Two records that could be no class of their own are put together with the five."""
    table = clustering.Records(age=[20] * 5 + [21, 22])
    shown = clustering.shown(table, clustering.run(Blocks(), table, k=3))
    sizes = [shown.count(cell) for cell in shown]
    assert min(sizes) >= 3


@pytest.mark.samples(1)
@pytest.mark.parametrize("inside", ["mdav", "v_mdav", "anneal", "k_member"])
def test_blocks_keep_k_and_l(clustering, inside):
    """Every published class has five records and two illnesses, with each method inside."""
    # annealing in plain Python is slow
    records = 90 if inside == "anneal" else 300
    table, asked = table_of(clustering, records), {"k": 5, "l": 2, "effort": 0.01}
    done = clustering.run(Blocks(), table, sensitive=("ill",), inside=inside, block_size=40, **asked)
    shown, ill = clustering.shown(table, done), table.column("ill").codes
    members = {cell: [i for i, one in enumerate(shown) if one == cell] for cell in set(shown)}
    assert min(map(len, members.values())) >= 5
    assert all(len({int(ill[i]) for i in own}) >= 2 for own in members.values())
    assert len(members) > 10


@pytest.mark.parametrize("inside", ["mdav", pytest.param("anneal", marks=pytest.mark.slow), "k_member"])
def test_the_number_of_threads_decides_nothing(clustering, monkeypatch, inside):
    """One block at a time gives what several at a time give."""
    table, found = table_of(clustering, 75 if inside == "anneal" else 300), []
    pool = blocks.ThreadPoolExecutor
    for threads in (1, 4):
        monkeypatch.setattr(blocks, "ThreadPoolExecutor", lambda n=threads, **_: pool(n))
        asked = {"inside": inside, "block_size": 30, "effort": 0.01}
        done = clustering.run(Blocks(), table, qids=("age", "job", "town"), k=3, **asked)
        found.append(clustering.shown(table, done))
    assert found[0] == found[1]


@pytest.mark.slow  # the kernel is compiled
def test_the_kernel_decides_nothing(clustering, monkeypatch):
    """Both kernels, numpy and numba, publish the same."""
    table, found = table_of(clustering), []
    for kernel in ("numpy", "numba"):
        monkeypatch.setenv("QIDGUARD_KERNEL", kernel)
        done = clustering.run(Blocks(), table, qids=("age", "job", "town"), k=3, block_size=100)
        found.append(clustering.shown(table, done))
    assert found[0] == found[1]


def test_the_work_decides_the_kernel(monkeypatch):
    """Little work goes to numpy; a variable that names another kernel is an error."""
    monkeypatch.delenv("QIDGUARD_KERNEL", raising=False)
    assert mdav_kernel(30_000, 30_000, 5) is mdav_classes
    monkeypatch.setenv("QIDGUARD_KERNEL", "numpy")
    assert mdav_kernel(10**7, 4000, 5) is mdav_classes
    monkeypatch.setenv("QIDGUARD_KERNEL", "fortran")
    with pytest.raises(UserError, match="numpy or numba, not 'fortran'"):
        mdav_kernel(10, 10, 5)


def test_a_fault_inside_a_block_is_told():
    """The first error of a block ends the work."""

    def fails(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blocks.over_blocks(np.array([0, 0, 1]), ClassRule(wanted=Wanted(k=1)), fails, SILENT, "blocks")
