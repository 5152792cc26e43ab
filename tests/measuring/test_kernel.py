"""Kernels: numpy's and the compiled one find the same classes, and the plan says which one works."""

# ruff: noqa: PD011 - the values are a SubsetFigures's, and no pandas

import subprocess
import sys
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.errors import UserError
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.host import load_host
from qidguard.measuring import way
from qidguard.measuring.cost import Path
from qidguard.measuring.lattice import compiled_kernel, numpy_kernel
from qidguard.measuring.lattice.compiled_kernel import CompiledKernel
from qidguard.measuring.lattice.kernel import Classes
from qidguard.measuring.lattice.levels import tail_of
from qidguard.measuring.lattice.numpy_kernel import NUMPY
from qidguard.measuring.lattice.partition import NOTHING
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.measuring.way import VARIABLE, chosen_kernel, worthwhile_threads

KERNELS = [NUMPY, CompiledKernel()]
SOME = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
NUMBERS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=24
)


def classes_of(numbers, is_weighted):
    """Return classes of every second row of a level, the row's codes and its weight by row."""
    group = np.unique(np.array([g for g, _, _ in numbers]), return_inverse=True)[1].astype(np.int64)
    rows = np.arange(len(numbers)) * 2 + 1
    codes = np.zeros(2 * len(numbers), dtype=np.int64)
    codes[rows] = [code for _, code, _ in numbers]
    weights = np.array([w for _, _, w in numbers], dtype=np.float64) if is_weighted else None
    return Classes(rows, weights, group, int(group.max()) + 1), codes


def said(rows, weights, group):
    """Return rows with weight and class, in order of the rows."""
    given = [None] * len(rows) if weights is None else weights.tolist()
    return sorted(zip(rows.tolist(), given, group.tolist(), strict=True))


@pytest.mark.slow
@SOME
@given(numbers=NUMBERS, is_weighted=st.booleans())
def test_a_split_is_what_counting_pairs_gives(numbers, is_weighted):
    """Rows whose pair of class and code comes twice stay, in order, classes numbered by pair; others go."""
    classes, codes = classes_of(numbers, is_weighted)
    pairs = [(g, codes[row]) for row, g in zip(classes.rows, classes.group, strict=True)]
    times = Counter(pairs)
    shared = sorted(pair for pair, count in times.items() if count > 1)
    weights = [w if is_weighted else None for _, _, w in numbers]
    every = list(zip(classes.rows.tolist(), weights, pairs, strict=True))
    for kernel in KERNELS:
        found = kernel.split(classes, codes, 6)
        kept = found.shared
        assert kept.groups == len(shared)
        assert kept.rows.tolist() == sorted(kept.rows.tolist())
        assert said(kept.rows, kept.weights, kept.group) == [
            (row, w, shared.index(pair)) for row, w, pair in every if times[pair] > 1
        ]
        lost = [(row, w) for row, w, pair in every if times[pair] == 1]
        assert found.lost.tolist() == [row for row, _ in lost]
        if is_weighted and lost:
            assert found.lost_weights.tolist() == [w for _, w in lost]


@pytest.mark.slow
@SOME
@given(numbers=NUMBERS, is_weighted=st.booleans(), is_counted=st.booleans())
def test_merged_rows_carry_the_sum_of_their_weights(numbers, is_weighted, is_counted):
    """Rows of one class and one later row become one; where one is left of a class it goes."""
    classes, later = classes_of(numbers, is_weighted)
    first = np.arange(len(later))[::-1].copy()
    merged = Counter()
    for row, g, (_, _, w) in zip(classes.rows, classes.group, numbers, strict=True):
        merged[int(g), int(later[first[row]])] += w if is_weighted else 1
    in_class = Counter(g for g, _ in merged)
    order = sorted(g for g, count in in_class.items() if count > 1)
    for kernel in KERNELS:
        found = kernel.merge(classes, later, first, 6, is_counted=is_counted)
        kept = found.shared
        assert kept.groups == len(order)
        has_weights = is_counted and (is_weighted or len(merged) < len(numbers))
        expected = [
            (row, float(w) if has_weights else None, order.index(g))
            for (g, row), w in merged.items()
            if in_class[g] > 1
        ]
        assert said(kept.rows, kept.weights, kept.group) == sorted(expected)
        alone = sorted((row, float(w)) for (g, row), w in merged.items() if in_class[g] == 1)
        assert sorted(found.lost.tolist()) == [row for row, _ in alone]
        if has_weights and alone:
            assert sorted(zip(found.lost.tolist(), found.lost_weights.tolist(), strict=True)) == alone


@pytest.mark.samples(4)
@pytest.mark.parametrize("most", [2, 512])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("masks", [[0, 1, 2, 3], [2], [3, 0]])
def test_sizes_of_the_subsets_of_a_tail_by_hand(monkeypatch, most, is_weighted, masks):
    """A tail of two and three values: for every set the sizes are those that pandas groups give."""
    monkeypatch.setattr(numpy_kernel, "_COUNTED", most)
    monkeypatch.setattr(compiled_kernel, "_COUNTED", most)
    generator = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "g": generator.integers(0, 4, 40),
            "a": generator.integers(0, 2, 40),
            "b": generator.integers(0, 3, 40),
        }
    )
    frame["w"] = generator.integers(1, 9, 40) if is_weighted else 1
    rows = np.arange(40)
    weights = frame["w"].to_numpy(dtype=np.float64) if is_weighted else None
    classes = Classes(rows, weights, frame["g"].to_numpy(), 4)
    codes = (frame["b"] * 2 + frame["a"]).to_numpy()
    beside = np.array([0, 5, 1])  # five classes of one person and one of two
    expected = []
    for place, mask in enumerate(masks):
        by = ["g", *(name for i, name in enumerate("ab") if mask >> i & 1)]
        sizes = Counter(frame.groupby(by)["w"].sum().tolist()) + Counter({1: 5, 2: 1})
        expected += [(place, size, times) for size, times in sizes.items()]
    for kernel in KERNELS:
        found = Counter()
        tail = tail_of((2, 3))
        for of, size, times in zip(*kernel.sizes(classes, tail, codes, np.array(masks), beside), strict=True):
            found[int(of), int(size)] += int(times)
        assert sorted((*key, times) for key, times in found.items()) == sorted(expected)


def test_a_tail_adds_every_subset_up_from_all_cells():
    """Columns of two, one and three values: each subset's cells hold the sum over the columns left out."""
    tail = tail_of((2, 1, 3))
    size = np.zeros(len(tail.mask), dtype=np.int64)
    whole = np.arange(1, 7).reshape(3, 1, 2)
    size[: tail.cells] = whole.reshape(-1)
    for into, source in zip(tail.into, tail.source, strict=True):
        size[into] += size[source]
    for bits in product((0, 1), repeat=3):
        mask = sum(bit << i for i, bit in enumerate(bits))
        out = tuple(2 - i for i, bit in enumerate(bits) if not bit)
        assert size[tail.mask == mask].tolist() == whole.sum(axis=out).reshape(-1).tolist()


def test_classes_left_behind_are_told_by_their_size():
    """Of two classes of one person, one of 512 and one of 70,000 the last two are of at least 512."""
    dropped = NOTHING.plus(np.array([1, 512, 1, 70_000]), None)
    assert [part.tolist() for part in dropped.from_size(512)] == [[512, 70_000], [1, 1]]
    assert dropped.counted[:512].tolist() == [0, 2, *[0] * 510]


def opened(entity=None):
    """Return a table with NULLs and equal records: five columns, an attribute and persons."""
    generator = np.random.default_rng(8)
    frame = pd.DataFrame({f"c{i}": generator.integers(0, 2 + 3 * i, 3000) for i in range(5)}, dtype="Int64")
    frame.loc[generator.random(3000) < 0.1, "c3"] = None
    frame["s"] = generator.integers(0, 4, 3000)
    frame["who"] = generator.integers(0, 2000, 3000)
    return ENGINE.open(frame, ReadOptions(), Needs(entity=entity), EngineSettings(threads=1))


def figures():
    """Return figures of class sizes and of an attribute's cells."""
    host = load_host()
    asked = [("k_anonymity", None), ("discernibility", None), ("sample_uniques", None), ("t_closeness", "s")]
    metrics = [(host.metric(name), attribute) for name, attribute in asked]
    return [Question(metric=m, arguments=bind(m.parameters, {}), attribute=a) for m, a in metrics]


COLUMNS = ("c0", "c1", "c2", "c3", "c4")


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "who"])
@pytest.mark.parametrize("path", [Path.LATTICE, Path.REFINEMENT])
def test_every_kernel_gives_what_sql_gives(monkeypatch, entity, path):
    """All 31 subsets of a table that is large enough to be merged, with and without persons."""
    with opened(entity) as table:
        found = {}
        for kernel in ("numpy", "numba"):
            monkeypatch.setenv(VARIABLE, kernel)
            measurer = SubsetMeasurer(table, COLUMNS, figures(), path=path)
            assert measurer.plan.reason.endswith(f"kernel {kernel}.")
            found[kernel] = measurer.every(range(1, 6)).values
        sql = SubsetMeasurer(table, COLUMNS, figures(), path=Path.SQL)
        assert "kernel" not in sql.plan.reason
        expected = sql.every(range(1, 6)).values
    assert not np.isnan(expected).any()
    np.testing.assert_array_equal(expected, found["numpy"], strict=True)
    np.testing.assert_array_equal(expected, found["numba"], strict=True)


@pytest.mark.parametrize(
    ("asked", "seconds", "expected"),
    [("", 9.9, "numpy"), ("", 10, "numba"), ("numpy", 1e9, "numpy"), ("numba", 0, "numba")],
)
def test_the_work_decides_unless_the_variable_does(monkeypatch, asked, seconds, expected):
    """The compiled kernel is loaded where it pays for itself, and a name that is set wins."""
    monkeypatch.setenv(VARIABLE, asked)
    kernel, words = chosen_kernel(seconds)
    assert (kernel.name, words) == (expected, f"kernel {expected}")


def test_an_unknown_kernel_is_refused(monkeypatch):
    """The sentence names the variable, what was given and what may be."""
    monkeypatch.setenv(VARIABLE, "fortran")
    with pytest.raises(UserError, match=r"^QIDGUARD_KERNEL is numpy or numba, not 'fortran'"):
        chosen_kernel(0)


def test_without_numba_numpy_does_the_work(monkeypatch):
    """Neither a missing numba nor one that fails to load stops anything; the plan says why it is numpy."""
    monkeypatch.setenv(VARIABLE, "numba")
    with monkeypatch.context() as without:
        without.setattr(way, "find_spec", lambda _: None)
        assert chosen_kernel(0) == (NUMPY, "kernel numpy, as numba is not installed")
    monkeypatch.setitem(sys.modules, compiled_kernel.__name__, None)
    kernel, words = chosen_kernel(0)
    assert kernel is NUMPY
    assert words.startswith("kernel numpy, as numba cannot be loaded")


@pytest.mark.slow
def test_without_a_folder_for_machine_code_numpy_does_the_work():
    """Numba finds nowhere to keep what it compiles; that is said, and no error."""
    code = (
        "from numba.core import caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "from qidguard.measuring.way import chosen_kernel\n"
        "print(chosen_kernel(0)[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={"PATH": "", VARIABLE: "numba", "PYTHONPATH": ":".join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.stdout.strip().endswith("has no folder to keep its code in"), done.stderr


@pytest.mark.slow
def test_numba_is_loaded_only_where_it_works():
    """A small table is measured without numba's half second."""
    code = (
        "import sys\n"
        "from qidguard.anonymizing.example import CLASSES_QUESTION, opened_example\n"
        "from qidguard.measuring.cost import Path\n"
        "from qidguard.measuring.subset_measurer import SubsetMeasurer\n"
        "with opened_example() as table:\n"
        "    SubsetMeasurer(table, ('age', 'town'), [CLASSES_QUESTION], path=Path.LATTICE).every([1, 2])\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={"PATH": "", "PYTHONPATH": ":".join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.parametrize(
    ("kernel", "rows", "expected"),
    [(KERNELS[0], 10**9, 1), (KERNELS[1], 99_999, 1), (KERNELS[1], 100_000, 4)],
)
def test_threads_work_where_they_pay(kernel, rows, expected):
    """Only the compiled kernel takes several, and only over many rows."""
    assert worthwhile_threads(kernel, 4, rows) == expected
