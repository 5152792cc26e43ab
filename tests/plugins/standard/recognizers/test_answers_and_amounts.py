"""What answers, states and amounts say with all names hidden: sure beside persons, a question elsewhere."""

import random
from collections.abc import Callable

import pandas as pd
import pytest

import qidguard
from qidguard.sdk import Role

RECORDS = 600
DRAWN = random.Random(5)  # noqa: S311 - reproducible, no secret
DIRECT, QID, SENSITIVE, OPEN = (
    Role.DIRECT_IDENTIFIER,
    Role.QUASI_IDENTIFIER,
    Role.SENSITIVE,
    Role.UNCLASSIFIED,
)
Draw = Callable[[int], object]


def one_of(*values: object) -> Draw:
    """Return a draw of some values."""
    return lambda _: DRAWN.choice(values)


COLUMNS: dict[str, tuple[Draw, Role]] = {
    "opinions": (one_of("Strongly agree", "Agree", "Neutral", "Disagree"), SENSITIVE),
    "habits": (one_of("immer", "oft", "manchmal", "selten", "nie"), SENSITIVE),
    "arms": (one_of("Placebo", "Low dose", "High dose"), SENSITIVE),
    "findings": (one_of("positivo", "negativo", "no realizado"), SENSITIVE),
    "outcomes": (one_of("alive", "deceased"), SENSITIVE),
    "courts": (one_of("felony", "misdemeanor"), SENSITIVE),
    "offenses": (one_of("Grand Theft", "Battery", "DUI Property", "Poss of Cocaine", "Burglary"), SENSITIVE),
    "marks": (one_of("aprovado", "reprovado"), SENSITIVE),
    "housing": (one_of("own", "rent", "mortgage"), QID),
    "contracts": (one_of("CDI", "CDD", "stage", "intérim"), QID),
    "departments": (one_of("Sales", "Marketing", "Human Resources", "IT"), QID),
    "jobs": (one_of("Data Engineer", "Head Nurse", "Truck driver", "Lehrerin", "Project manager", "x"), QID),
    "cities": (one_of("Lyon", "Köln", "Utrecht", "Hinterdupfing", "Bergdorf", "Valladolid"), QID),
    "makes": (one_of("Toyota", "Ford", "BMW", "Audi"), QID),
    "married": (one_of("CASADO(A)", "SOLTEIRO(A)", "VIÚVO(A)"), QID),
    "money": (lambda _: 100 * DRAWN.randint(8, 90), SENSITIVE),
    "gains": (lambda _: DRAWN.choice((0, 0, DRAWN.randint(1, 99_999))), SENSITIVE),
    "ages of adults": (lambda _: min(64, max(20, round(DRAWN.gauss(33, 7)))), QID),
    "seconds": (lambda at: 1_700_000_000 + 3_601 * at, QID),
    "a key": (lambda at: f"K-{at * 7:05}", DIRECT),
    "close numbers": (lambda at: 4_000 + 3 * at, DIRECT),
    "names": (lambda at: f"{DRAWN.choice(('Anna', 'Jan', 'Olu', 'Mei'))} Q{at}x Vu", DIRECT),
    "far numbers": (lambda at: 20_000 + 997 * at + DRAWN.randint(0, 900), OPEN),
    "hours": (lambda _: DRAWN.choice((0, 0, 40, 38, DRAWN.randint(1, 60))), OPEN),
    "colors": (one_of("red", "green", "blue"), OPEN),
    "words": (one_of("lorem", "ipsum", "dolor"), OPEN),
}
SCALE = {f"item {number}": (lambda _: DRAWN.randint(1, 5), SENSITIVE) for number in range(4)}
EVERY = COLUMNS | SCALE
OF_PERSONS = {"married", "names"}
"""What only persons have shows by itself that a table is about them."""


def found(*, beside_persons: bool) -> dict[str, Role]:
    """Return title → the role that a column is sure to have, or that nobody is sure."""
    columns = {title: draw for title, (draw, _) in EVERY.items() if beside_persons or title not in OF_PERSONS}
    frame = pd.DataFrame(
        {f"c{at}": [draw(i) for i in range(RECORDS)] for at, draw in enumerate(columns.values())}
    )
    if beside_persons:
        frame["c90"] = [DRAWN.choice(("female", "male")) for _ in range(RECORDS)]
    with qidguard.audit(frame) as audit:
        assignments = [column.assignment for column in audit.report.columns]
    return {title: one.role for title, one in zip(columns, assignments, strict=False)}


@pytest.fixture(scope="module")
def of_persons() -> dict[str, Role]:
    """Return the roles beside a sex."""
    return found(beside_persons=True)


@pytest.fixture(scope="module")
def of_nobody() -> dict[str, Role]:
    """Return the roles in a table that nothing else shows to be about persons."""
    return found(beside_persons=False)


@pytest.mark.parametrize("title", EVERY)
def test_beside_persons_values_are_sure(title: str, of_persons) -> None:
    """Each by its form or its words, whatever the column is called."""
    assert of_persons[title] is EVERY[title][1]


@pytest.mark.parametrize("title", [title for title in EVERY if title not in OF_PERSONS])
def test_elsewhere_the_same_values_are_a_question_at_most(title: str, of_nobody) -> None:
    """Good may be a wine, and a number one of an order."""
    assert of_nobody[title] is OPEN
