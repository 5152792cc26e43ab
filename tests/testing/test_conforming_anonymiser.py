"""A small anonymiser that keeps its protocol passes the kit, and does so by a class of eight lines."""

import os
import subprocess
import sys
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

from qidguard import (
    Anonymised,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    Original,
    Parameter,
    Recoded,
    UserError,
    interval_text,
    set_text,
)
from qidguard.testing import SAMPLES, AnonymiserConformance, Sample, check_anonymiser
from qidguard.testing.samples import plain


class Blocks:
    """Sort the records by their quasi-identifiers and publish blocks of at least k persons alike."""

    name = "blocks"
    title = "blocks of sorted records"
    parameters = (Parameter(name="k", type=int, default=0, minimum=0, meaning="smallest class, persons"),)
    is_order_free = True

    def anonymize(self, records, arguments, task):
        """Return the blocks."""
        k = arguments["k"] or 3
        qids = task.quasi_identifiers
        entity = None if task.entity is None else records.column(task.entity).codes
        codes = records.codes(qids)
        _, number = np.unique(codes, axis=0, return_inverse=True)
        block = self.blocks(number.ravel(), entity, k, task)
        columns = {
            name: self.published(records.column(name), block, task) for name in qids if name != task.entity
        }
        return Anonymised(
            kept=np.ones(records.records, dtype=bool),
            columns=columns,
            guarantees=self.claims(k, task),
            notes=("every class is a block of neighbours",),
        )

    def claims(self, k, task):
        """Return the claim of k over each combination."""
        limit = Limit(bound=Bound.AT_LEAST, value=k)
        return tuple(Guarantee(metric="k_anonymity", limit=limit, qids=qids) for qids in task.combinations)

    def blocks(self, number, entity, k, task):
        """Return the block of each record: equal records share one, and each holds k persons."""
        order = np.argsort(number, kind="stable")
        person = np.arange(len(number)) if entity is None else entity
        starts = [0, *(np.flatnonzero(np.diff(number[order])) + 1), len(order)]
        found, block, persons = np.zeros(len(number), dtype=np.int64), 0, set()
        places = list(pairwise(starts))
        for done, (first, end) in enumerate(places):
            if done % 1000 == 0:
                task.progress.step("cutting blocks", done, len(places))
            if len(persons) >= k:
                block, persons = block + 1, set()
            found[order[first:end]] = block
            persons.update(person[order[first:end]].tolist())
        task.progress.step("cutting blocks", len(places), len(places))
        if len(persons) < k:
            if not block:
                raise NotMeasurable(f"k = {k} needs {k} persons, and there are fewer; lower k")
            found[found == block] = block - 1
        return found

    def published(self, column, block, task):
        """Return what a column publishes: the own value, an interval or a set a block."""
        pairs = np.unique(np.stack([block, column.codes]), axis=1)
        cuts = np.flatnonzero(np.diff(pairs[0])) + 1
        values = tuple(self.cell(column, codes, task) for codes in np.split(pairs[1], cuts))
        return Recoded(codes=block, values=values)

    def cell(self, column, codes, task):
        """Return what stands for some codes."""
        if len(codes) == 1:
            return Original(int(codes[0]))
        texts = [column.texts[code] for code in codes]
        if column.is_numeric and np.isfinite(column.numbers[codes]).all():
            return interval_text(texts[0], texts[-1])
        return set_text(texts)


class TestBlocks(AnonymiserConformance):
    """Eight lines of a third party."""

    anonymiser = Blocks()
    arguments = {"k": 3}  # noqa: RUF012 - as a third party writes it
    claims = {"k_anonymity": 3}  # noqa: RUF012 - the same
    examples = 4


def test_the_function_finds_nothing_either():
    """It is the same kit without pytest, and takes tables of the caller's own."""
    own = Sample(
        name="own",
        table="row,age,illness\n1,30,a\n2,31,b\n3,40,a\n4,41,b\n",
        combinations=(("age",),),
        sensitive=("illness",),
    )
    found = check_anonymiser(Blocks(), {"k": 2}, claims={"k_anonymity": 2}, samples=[own], is_thorough=False)
    assert found == []


def test_every_table_of_the_kit_is_one_of_its_own():
    """Their names tell them apart, every column with a role is there, and no two records share a row."""
    samples = [make() for make in SAMPLES]
    assert len({sample.name for sample in samples}) == len(samples)
    for sample in samples:
        if isinstance(sample.table, str):
            head, *lines = sample.table.splitlines()
            names, rows = head.split(","), [line.split(",")[0] for line in lines]
        else:
            names = list(getattr(sample.table, "column_names", sample.table))
            column = sample.table["row"]
            rows = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
        assert {*sample.quasi_identifiers, *sample.sensitive, *sample.direct_identifiers} <= set(names)
        assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    ("claims", "arguments", "said"),
    [
        ({"k_anonymty": 3}, {}, "k_anonym"),
        ({}, {"q": 3}, "unknown parameter 'q'"),
        ({"discernibility": 1}, {}, "no safe side"),
    ],
)
def test_wrong_questions_are_errors_of_the_caller(claims, arguments, said):
    """An unknown metric, one without a direction and a wrong parameter are refused before any run."""
    with pytest.raises(UserError, match=said):
        check_anonymiser(Blocks(), arguments, claims=claims, samples=[plain()])


def test_a_sample_needs_a_quasi_identifier():
    """There is nothing to anonymise without one."""
    with pytest.raises(UserError, match="needs a combination"):
        Sample(name="none", table="row\n1\n", combinations=())


def test_the_kit_needs_no_pytest():
    """Its core is for whoever has another runner."""
    code = (
        "import sys, qidguard.testing as kit; kit.check_anonymiser, kit.SAMPLES, kit.Violation\n"
        "print(sorted({'pytest', 'hypothesis'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["hypothesis", "pytest"])
def test_the_class_says_what_is_missing(monkeypatch, module):
    """The error names both and the way without them."""
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "qidguard.testing.conformance")
    with pytest.raises(UserError, match=r"needs pytest and hypothesis.*check_anonymiser"):
        import_module("qidguard.testing.conformance")
