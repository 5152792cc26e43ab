"""Column names that look like a value of somebody: cells of a first line that was taken for a header."""

import json

import pandas as pd
import pytest

import qidguard
from qidguard import DataError
from qidguard.core.errors import ExitCode
from qidguard.rendering.sentence import reasons
from releases import Place, once, people

FORMS = ["ann@example.org", "1971-03-04", "P0012345", "+41 44 123 45 67"]


def rules(**changes):
    """Return a policy for two columns."""
    roles = {"quasi_identifiers": ["sex"], "sensitive": ["illness"]}
    thresholds = [{"metric": "k_anonymity", "at_least": 2}]
    return {"qidguard": 1, "name": "p", "roles": roles, "thresholds": thresholds} | changes


def frame(name):
    """Return six records of one class with a third column of that name."""
    return pd.DataFrame({"sex": ["f"] * 6, "illness": list("ababab"), name: list("xyxyxy")})


@pytest.mark.samples(2)
@pytest.mark.parametrize("unnamed", ["block", "insensitive", "quasi_identifier"])
@pytest.mark.parametrize("name", FORMS)
def test_a_column_that_nobody_named_is_told_by_its_place(name, unnamed):
    """It blocks whatever the policy says of unnamed columns; the reasons, which are logged, hold no name."""
    with qidguard.audit(frame(name), rules(unnamed_columns=unnamed)) as found:
        said = " ".join(reasons(found.report))
        assert found.exit_code is ExitCode.BLOCKED
        assert found.report.next_steps.to_decide == ()
    assert "Column 3, whose name looks like a value, is not named by the policy" in said
    assert name not in said


NAMED = {"roles": {"quasi_identifiers": ["sex", FORMS[0]], "sensitive": ["illness"]}}
UNNAMED = {"unnamed_columns": "quasi_identifier"}


@pytest.mark.parametrize(
    ("name", "policy"),
    [*((name, UNNAMED) for name in ("2019", "q1_2020", "Paris", "30d_mortality")), (FORMS[0], NAMED)],
)
def test_a_usual_name_or_one_that_a_person_wrote_stays_usable(name, policy):
    """Years, quarters and places are names in a pivoted table; what a reviewed policy names is no slip."""
    with qidguard.audit(frame(name), rules(**policy)) as found:
        assert "looks like a value" not in " ".join(reasons(found.report))


@pytest.mark.slow
def test_public_documents_do_not_name_it(tmp_path):
    """It is not published, and dropped it is a count: manifest and attestation hold no such name."""
    place = Place(tmp_path)
    table = people().assign(**{FORMS[0]: "x"})
    blocked = place.release(table, once())
    assert (blocked.is_published, FORMS[0] in " ".join(blocked.sentences)) == (False, False)
    dropped = once()["release"] | {"drop": [FORMS[0]]}
    assert place.release(table, once(release=dropped)).is_published
    for file in place.releases()[0].glob("*.json"):
        assert FORMS[0] not in json.dumps(json.loads(file.read_text(encoding="utf-8")))


def test_a_header_that_is_said_and_is_data_is_refused(tmp_path):
    """Most cells of the first line come again below: the person's record is repeated nowhere."""
    path = tmp_path / "t.csv"
    path.write_text("Zanzibar,f,flu\nBasel,f,flu\nBern,m,cold\n", encoding="utf-8")
    read = qidguard.ReadOptions(has_header=True)
    with pytest.raises(DataError, match="2 of the 3 cells of its first line come again") as error:
        qidguard.audit(str(path), read=read)
    assert "Zanzibar" not in str(error.value)


def test_a_header_with_one_name_like_a_value_is_read(tmp_path):
    """One column of several may be called as one of its values is."""
    path = tmp_path / "t.csv"
    path.write_text("city,Paris,London\nBasel,Paris,1\nBern,Rome,2\n", encoding="utf-8")
    with qidguard.audit(str(path), read=qidguard.ReadOptions(has_header=True)) as found:
        assert [column.facts.name for column in found.report.columns] == ["city", "Paris", "London"]
