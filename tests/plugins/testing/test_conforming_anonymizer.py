"""A small anonymizer that keeps its protocol passes the kit, and does so by a class of eight lines."""

import os
import subprocess
import sys

import pytest

from conforming import Blocks
from qidguard import UserError
from qidguard_testing import SAMPLES, AnonymizerConformance, Sample, check_anonymizer
from qidguard_testing.samples import plain


@pytest.mark.slow
class TestBlocks(AnonymizerConformance):
    """Eight lines of a third party."""

    anonymizer = Blocks()
    arguments = {"k": 3}  # noqa: RUF012 - as a third party writes it
    claims = {"k_anonymity": 3}  # noqa: RUF012 - the same
    examples = 4
    test_hundred_thousand_records = None  # every installed anonymizer is tried on a large table


class TestFewDrawn(AnonymizerConformance):
    """The same class for every save: a drawn table, and Ctrl-C."""

    anonymizer = Blocks()
    test_made_up_table = None
    test_process_of_its_own = None
    examples = 1


@pytest.mark.slow
def test_the_function_finds_nothing_either():
    """It is the same kit without pytest, and takes tables of the caller's own."""
    own = Sample(
        name="own",
        table="row,age,illness\n1,30,a\n2,31,b\n3,40,a\n4,41,b\n",
        combinations=(("age",),),
        sensitive=("illness",),
    )
    found = check_anonymizer(Blocks(), {"k": 2}, claims={"k_anonymity": 2}, samples=[own], is_thorough=False)
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


@pytest.mark.parametrize(("claims", "arguments", "said"), [
    ({"k_anonymty": 3}, {}, "k_anonym"),
    ({}, {"q": 3}, "unknown parameter 'q'"),
    ({"discernibility": 1}, {}, "no safe side"),
])  # fmt: skip
def test_wrong_questions_are_errors_of_the_caller(claims, arguments, said):
    """An unknown metric, one without a direction and a wrong parameter are refused before any run."""
    with pytest.raises(UserError, match=said):
        check_anonymizer(Blocks(), arguments, claims=claims, samples=[plain()])


def test_a_sample_needs_a_quasi_identifier():
    """There is nothing to anonymize without one."""
    with pytest.raises(UserError, match="needs a combination"):
        Sample(name="none", table="row\n1\n", combinations=())


@pytest.mark.slow
def test_the_kit_runs_without_pytest():
    """Its core is for whoever has another runner."""
    code = (
        "import sys, qidguard_testing as kit; kit.check_anonymizer, kit.SAMPLES, kit.Violation\n"
        "print(sorted({'pytest', 'hypothesis'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"
