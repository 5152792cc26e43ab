"""A receipt in lines: what was done, claimed, measured and found, each made printable."""

from dataclasses import replace
from fractions import Fraction

import pytest

from qidguard.core.privacy import example_guarantee
from qidguard.core.privacy_document import privacy_document
from qidguard.rendering.receipt import claim_line, privacy_lines, receipt_lines

RECEIPT = {
    "anonymizer": "mondrian",
    "title": "Mondrian\x1b[2J",
    "plugin": "plugin",
    "arguments": {"k": 5, "is_strict": True},
    "seed": 1,
    "records_before": 10,
    "records_after": 8,
    "records_suppressed": 2,
    "suppressed_by": {},
    "cells_changed": {"age": 1, "sex": 0, "zip": 8},
    "guarantees": [],
    "attacks": [],
    "notes": [],
    "seconds": 1.23456,
    "peak_bytes": 2_000,
}
CLAIM = {
    "metric": "k_anonymity",
    "title": "",
    "bound": "at_least",
    "limit": 5,
    "qids": ["age"],
    "sensitive": None,
    "measured": 4,
    "unit": "records",
    "reason": "",
    "is_kept": False,
}


def test_counts_are_told_a_column():
    """Shares are of the records that are left; what did not change stands together."""
    assert list(receipt_lines(RECEIPT)) == [
        r"mondrian, Mondrian\x1b[2J (k=5, is_strict=True): 1.23 s, 2 kB",
        "2 of 10 records suppressed",
        "age: 1 cell changed (12.5%)",
        "zip: 8 cells changed (100%)",
        "sex: no cell changed",
    ]


def test_combinations_are_told_where_there_are_several():
    """One alone says nothing new, and neither does one for which nothing was suppressed."""
    several = RECEIPT | {"suppressed_by": {"age, sex": 2, "age, zip": 1, "zip": 0}}
    assert list(receipt_lines(several))[2:4] == ["  on behalf of age, sex: 2", "  on behalf of age, zip: 1"]
    assert "on behalf" not in "".join(receipt_lines(RECEIPT | {"suppressed_by": {"age, sex": 2}}))


@pytest.mark.parametrize(("change", "expected"), [
    ({}, "claims k_anonymity at least 5 over age: NOT KEPT, it is 4 records"),
    ({"measured": 5, "is_kept": True}, "claims k_anonymity at least 5 over age: kept, it is 5 records"),
    ({"measured": None, "reason": "there is no metric.", "unit": ""},
     "claims k_anonymity at least 5 over age: not measured (there is no metric)"),
    ({"sensitive": "job", "title": "t-closeness", "bound": "at_most", "limit": 0.2, "unit": "share"},
     "claims t-closeness of job at most 20% over age: NOT KEPT, it is 400%"),
])  # fmt: skip
def test_a_claim_stands_beside_what_was_measured(change, expected):
    """Kept, not kept, or not measured."""
    assert claim_line(CLAIM | change) == expected


def test_many_claims_are_cut():
    """Thirteen claims: twelve lines and how many are left."""
    said = list(receipt_lines(RECEIPT | {"guarantees": [CLAIM] * 13}))
    assert sum("claims" in line for line in said) == 12
    assert "  and 1 more" in said


def test_attacks_and_notes_are_told_in_their_own_words():
    """Made printable, one line each."""
    said = {
        "attacks": [{"attack": "linkage", "sentence": "5 of 50\x07 were found."}],
        "notes": ["Worth\nreading."],
    }
    assert list(receipt_lines(RECEIPT | said))[-2:] == [
        r"attack linkage: 5 of 50\x07 were found.",
        r"note: Worth\nreading.",
    ]


def test_a_receipt_of_old_is_told_too():
    """Records that were written before receipts told cells, time and claims stay readable."""
    names = ("anonymizer", "arguments", "records_before", "records_after", "suppressed_by")
    assert list(receipt_lines({name: RECEIPT[name] for name in names})) == [
        "mondrian (k=5, is_strict=True)",
        "2 of 10 records suppressed",
    ]


def test_a_long_scale_is_rounded():
    """100/3 rounded up to a float has 50 digits; six are read, and the document has them all."""
    guarantee = example_guarantee()
    part = replace(guarantee.parts[0], scale=Fraction(2**60 + 1, 2**53), reach=Fraction(1), bounds=None)
    document = privacy_document(replace(guarantee, parts=(part,)))
    assert any("noise of scale about 128, " in line for line in privacy_lines(document))
    assert document["parts"][0]["scale"] == str(Fraction(2**60 + 1, 2**53))
