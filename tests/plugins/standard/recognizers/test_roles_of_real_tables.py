"""Roles of seven real tables, held against a person's judgment; what is contested counts neither way."""

import json

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import Role

pytestmark = [pytest.mark.slow, pytest.mark.realdata]

ADULT = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
GERMAN = [
    "checking",
    "duration",
    "credit_history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "installment_rate",
    "personal_status",
    "other_debtors",
    "residence_since",
    "property",
    "age",
    "other_installment",
    "housing",
    "existing_credits",
    "job",
    "dependents",
    "telephone",
    "foreign_worker",
    "class",
]
ROLES = (Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE)


@pytest.fixture(scope="module")
def tables(data):
    """Return the tables, by the name under which their roles stand."""
    hospital = {"low_memory": False, "keep_default_na": False}
    return {
        "adult": pd.read_csv(data / "adult/adult.data", names=ADULT, sep=", ", engine="python"),
        "german": pd.read_csv(data / "german/german.data", names=GERMAN, sep=r"\s+"),
        "hospital": pd.read_csv(data / "hospital/diabetic_data.csv", **hospital),
        "heart_hungarian": pd.read_csv(data / "heart/heart_hungarian.data"),
        "nursery": pd.read_csv(data / "nursery/nursery.data"),
        "diabetes_logs": pd.read_csv(data / "diabetes_logs/diabetes.data"),
        "car": pd.read_csv(data / "car/car.data"),
    }


def proposed(frame):
    """Return role → the places of the columns that it is proposed for; a key of persons names them, too."""
    found = {role: set() for role in ROLES}
    with qidguard.audit(frame) as audit:
        for place, column in enumerate(audit.report.columns):
            role = column.assignment.role
            found.get(Role.DIRECT_IDENTIFIER if role is Role.ENTITY else role, set()).add(place)
            if column.assignment.is_also_sensitive:
                found[Role.SENSITIVE].add(place)
    return found


def counted(tables, judged, *, is_hidden):
    """Return role → (right, there are, proposed) over all tables."""
    counts = {role: [0, 0, 0] for role in ROLES}
    for name, frame in tables.items():
        names = list(frame)
        shown = frame.set_axis([f"c{i}" for i in range(len(names))], axis=1) if is_hidden else frame
        left_out = {names.index(column) for column in judged[name]["contested"]}
        for role, places in proposed(shown).items():
            truth = {names.index(column) for column in judged[name][role.value]}
            mine = places - left_out
            for at, some in enumerate((truth & mine, truth, mine)):
                counts[role][at] += len(some)
    return counts


@pytest.mark.parametrize(
    ("is_hidden", "least"),
    [
        (False, {Role.DIRECT_IDENTIFIER: 1.0, Role.QUASI_IDENTIFIER: 0.99, Role.SENSITIVE: 0.94}),
        # columns called c0, c1 …: what values alone say
        (True, {Role.QUASI_IDENTIFIER: 0.57, Role.DIRECT_IDENTIFIER: 0.5}),
    ],
    ids=["names", "values alone"],
)
def test_what_is_found_and_what_is_right(tables, data, is_hidden, least):
    """Shares of the columns that have a role, pooled; at least 95 % of what is proposed is right."""
    judged = json.loads((data / "roles.json").read_text(encoding="utf-8"))
    for role, (right, there, mine) in counted(tables, judged, is_hidden=is_hidden).items():
        assert right >= least.get(role, 0) * there, role
        assert right >= 0.95 * mine, role
