"""The kind of a column: what a person states wins; recognizers of roles alone keep working."""

from typing import Any

import pandas as pd
import pytest

import qidguard
from qidguard.core.errors import PolicyError
from qidguard.rendering.console import console_text
from qidguard.rendering.document import document
from qidguard.sdk import ColumnKind, ContentTest, DecidedBy, Evidence, KindProposal
from tests.auditing.test_content import Asking, alone

FRAME = pd.DataFrame({"age": [30, 30, 40, 40], "x": [7, 7, 8, 8]})
FIELDS: dict[str, Any] = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["age"], "insensitive": ["x"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
}


class Kinded(Asking):
    """A recognizer that proposes kinds, too."""

    def __init__(self, *kinds: Any, tests: Any = ()) -> None:
        super().__init__(*tests)
        self.kinds = kinds

    def propose_kinds(self, columns: Any) -> Any:
        """Return what it was made with."""
        del columns
        return self.kinds


def kind(column: str, word: str, confidence: float, sentence: str = "so it is") -> KindProposal:
    """Return a proposal by content."""
    why = Evidence(by=DecidedBy.CONTENT, sentence=sentence)
    return KindProposal(column=column, kind=ColumnKind(word), confidence=confidence, evidence=(why,))


def report(*recognizers: Any, **more: Any) -> Any:
    """Return the report on the frame under a policy."""
    with qidguard.audit(FRAME, {**FIELDS, **more}, host=alone(*recognizers)) as found:
        return found.report


def said(report: Any) -> list[Any]:
    """Return the kind of each column, who gave it and how sure it is."""
    kinds = [column.kind for column in report.columns]
    return [one and (one.kind.value, one.decided_by, one.confidence) for one in kinds]


def test_a_person_wins_and_then_the_surest() -> None:
    """What names no column is left out; a kind that is stated changes no verdict and no role."""
    first, second = Kinded(kind("x", "count", 0.4), kind("y", "key", 1.0)), Kinded(kind("x", "code", 0.6))
    second.name = "second"
    plain, stated = report(first, second), report(first, second, kinds={"x": "ordinal"})
    assert said(plain) == [None, ("code", DecidedBy.CONTENT, 0.6)]
    assert said(stated) == [None, ("ordinal", DecidedBy.PERSON, None)]
    assert (plain.verdict, plain.columns[1].assignment) == (stated.verdict, stated.columns[1].assignment)
    assert said(report(Asking())) == [None, None]  # a recognizer of roles alone


def test_what_is_no_kind_is_a_fault_of_the_plugin() -> None:
    """A recognizer that proposes something else blocks, and its plugin is named."""
    fields = {**FIELDS, "roles": {"quasi_identifiers": "auto"}}
    with qidguard.audit(FRAME, fields, host=alone(Kinded("code"))) as found:
        assert found.verdict is not None
        sentences = [block.sentence for block in found.verdict.blocks if block.is_internal]
    assert "proposed str, not KindProposal; mend the plugin" in sentences[0]


def test_a_reason_never_repeats_a_value_that_tests_saw() -> None:
    """A recognizer that kept a value of a small class cannot say it as the reason of a kind."""
    test = ContentTest(name="any", title="anything", pattern=".+")
    frame = pd.DataFrame({"x": ["rarity", "b", "b"]})
    told = Kinded(kind("x", "text", 0.9, "such as rarity"), tests=(test,))
    with qidguard.audit(frame, host=alone(told)) as found:
        assert found.report.columns[0].kind is not None
        assert "rarity" not in found.report.columns[0].kind.reason


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"x": "ordnal"}, "kinds.x must be nominal"),
        ({"x": "ordnal"}, "did you mean 'ordinal'?"),
        ({"x": 3}, "not 3"),
        ({"x": ["count"]}, "not a list"),
        ({3: "count"}, "which is not text"),
        (["x"], "must be a mapping of columns"),
        ({"z": "count"}, "the table has no column 'z'"),
    ],
)
def test_a_wrong_kind_is_told_in_one_sentence(kinds: Any, words: str) -> None:
    """A word that is no kind, and a column that the table lacks, are errors with their place."""
    with pytest.raises(PolicyError, match=words.replace("?", r"\?").replace(".", r"\.")):
        report(Asking(), kinds=kinds)


def test_reports_say_the_kind_and_why() -> None:
    """JSON says kind, giver, confidence and reason; the console a word, with ? where it is asked."""
    made = report(Kinded(kind("age", "count", 0.9), kind("x", "code", 0.3)))
    [age] = [column["kind"] for column in document(made)["columns"] if column["name"] == "age"]
    why = {"decided_by": "content", "confidence": 0.9, "is_sure": True, "reason": "so it is"}
    assert age == {"kind": "count"} | why
    lines = console_text(made).splitlines()
    assert any(line.split()[:3] == ["age", "person", "count"] for line in lines)
    asked = next(at for at, line in enumerate(lines) if line.split()[:3] == ["x", "person", "code?"])
    assert "are its values codes that stand for something, confidence 0.3: so it is?" in lines[asked + 1]
