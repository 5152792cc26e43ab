"""The lexicon on names of public tables: those it was built with, and those first held out."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from qidguard.sdk import ColumnFacts, Role, ValueType
from qidguard_standard.recognizers import Lexicon

NAMES = Path(__file__).parent / "names"
LEXICON = Lexicon()
ROLES = {"direct": Role.DIRECT_IDENTIFIER, "quasi": Role.QUASI_IDENTIFIER, "sensitive": Role.SENSITIVE}


def facts(name: str) -> ColumnFacts:
    """Return a column of which nothing but the name is known."""
    return ColumnFacts(name=name, value_type=ValueType.EMPTY, records=0, distinct=0, missing=0)


def outcomes(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (role, outcome) for each judged column of a table; one that is contested counts neither way."""
    lists = ("direct", "quasi", "sensitive", "none", "contested")
    names = list(dict.fromkeys(name for judged in lists for name in table[judged]))
    found = {meaning.column: meaning for meaning in LEXICON.read([facts(name) for name in names])}
    for name in names:
        meaning = found.get(name)
        for judged, role in ROLES.items():
            has = meaning is not None and role in meaning.roles
            is_proposed = has and meaning is not None and not meaning.is_asked
            if name in table["contested"]:
                continue
            if name in table[judged]:
                yield judged, "found" if is_proposed else "asked" if has else "missed"
            elif is_proposed:
                yield judged, "false"


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("collection", "role", "recall", "recall_with_questions"),
    [
        ("seen", "direct", 0.95, 0.95),
        ("seen", "quasi", 0.95, 0.95),
        ("seen", "sensitive", 0.9, 0.95),
        ("holdout", "direct", 0.9, 0.9),
        ("holdout", "quasi", 0.93, 0.93),
        ("holdout", "sensitive", 0.85, 0.92),
    ],
)
def test_names_of_public_tables_are_known(
    collection: str, role: str, recall: float, recall_with_questions: float
) -> None:
    """A share of the judged columns is found, by a proposal or a question, and few proposals are false."""
    tables = tomllib.loads((NAMES / f"{collection}.toml").read_text("utf-8"))["table"]
    counted = Counter(how for table in tables for judged, how in outcomes(table) if judged == role)
    judged = counted["found"] + counted["asked"] + counted["missed"]
    assert judged >= 40
    assert counted["found"] / judged >= recall
    assert (counted["found"] + counted["asked"]) / judged >= recall_with_questions
    assert counted["found"] / (counted["found"] + counted["false"]) >= 0.95


@pytest.mark.samples(1)
@pytest.mark.parametrize("collection", ["look_alikes", "look_alikes_holdout"])
def test_harmless_look_alikes_are_left_alone(collection: str) -> None:
    """No harmless name is taken for personal data, by itself or in a table about persons."""
    names = tomllib.loads((NAMES / f"{collection}.toml").read_text("utf-8"))["names"]
    persons = ["patient_id", "birth_date", "sex"]
    alone = [name for name in names for found in LEXICON.read([facts(name)]) if not found.is_asked]
    together = [
        found.column
        for found in LEXICON.read([facts(name) for name in (*names, *persons)])
        if not found.is_asked and found.column not in persons
    ]
    assert len(names) >= 100
    assert (alone, together) == ([], [])
