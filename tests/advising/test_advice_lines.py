"""Advice on a screen: twelve lines at most, whatever the columns are called, and lines of policy to paste."""

from dataclasses import replace

import pytest

from qidguard.advising.advice import Advice, Change, Coarser, Exposed, ForSeries
from qidguard.advising.advice_lines import MOST_LINES, advice_lines, short_sentence, tried_lines
from qidguard.advising.asking import TriedAdvice, tried_advice
from qidguard.core.errors import DataError
from qidguard.core.isolated import Isolated, IsolatedBy, IsolatedOverTime

AGE = Coarser(column="age", level=2, coarsest=4, ncp=0.2)
SPECIALTY = Coarser(column="specialty", level="drop", coarsest=0, ncp=1.0)
LINES = ("remedy:", "  recode:", "    age: 2", "    specialty: drop", "  suppress: 0.02")
BEST = Change(
    columns=(AGE, SPECIALTY), left_out=12, records_left_out=30, suppress=0.02, loss=0.31, lines=LINES
)
ADVICE = Advice(
    combination="default",
    qids=("age", "sex", "specialty"),
    person="entities",
    persons=1306,
    limit=5,
    diversity=(("illness", 2),),
    below=1254,
    alone=323,
    without=tuple(Exposed(columns=(name,), below=9, alone=1, added=9) for name in ("age", "sex")),
    smallest=(Exposed(columns=("age", "specialty"), below=924, alone=75, added=924),),
    changes=(BEST, *(replace(BEST, loss=0.4 + at / 100) for at in range(9))),
)


def test_the_best_change_stands_as_lines_of_policy_and_others_in_a_line_each():
    """At 80 columns: counts, columns left away, few columns, the change, its lines, the next ones."""
    assert advice_lines(ADVICE, 80) == [
        "What would make it pass",
        "  1,254 of 1,306 entities (96.0%), 323 of them alone, are below k = 5 or l = 2 …",
        "  Still below without age: 9, sex: 9",
        "  Few columns suffice: age + specialty: 924",
        "  Cheapest that passes, loss 31.0%, 12 entities left out; these lines of policy:",
        *LINES,
        "  Or, loss 40.0%: age to level 2 of 4, drop specialty, leave out 12",
        "  Or, loss 41.0%: age to level 2 of 4, drop specialty, leave out 12",
    ]


ISOLATED = IsolatedOverTime(
    combination="c" * 60,
    qids=("age",),
    k=5,
    releases=24,
    followed=1_234_567,
    isolated=Isolated(left=1000, came=20_000, stayed=300_000),
    already=Isolated(left=1),
    by_release=tuple(IsolatedBy(release_id="r" * 40, isolated=Isolated(left=7)) for _ in range(24)),
)


TRIED = ForSeries(anonymizers=("one",), is_tried=True)
PASSED = replace(TRIED, is_passed=True, ncp=0.056, notes=("9 wait", "3 stale"))
SERIES = "The remedy one or two keeps a series from its first release on; qidguard series plan"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (ForSeries(anonymizers=("one", "two")), SERIES),
        (PASSED, "The policy's remedy one would pass at NCP 5.6%: 9 wait; 3 stale."),
        (replace(TRIED, notes=("k is 9",)), "The policy's remedy one would not do: k is 9."),
    ],
)
def test_what_keeps_a_series_is_told_with_its_cost(told, words):
    """Which command tells it, where nothing was tried; else the loss and what the anonymizer says."""
    lines = advice_lines(replace(ADVICE, changes=(), isolated=ISOLATED, for_series=told), 120)
    assert words in " ".join(line.strip() for line in lines)
    assert len(lines) <= MOST_LINES


def test_who_is_isolated_is_told_beside_a_change_of_many_lines():
    """The lines of policy are left to the document then, and not the counts to them."""
    lines = advice_lines(replace(ADVICE, isolated=ISOLATED, changes=(of_lines(9),)), 120)
    assert "  They are many: see changes in --format json." in lines
    assert any(line.startswith("  Who left has to stay") for line in lines)
    assert len(lines) <= MOST_LINES


def test_a_sentence_says_the_first_thing_to_know():
    """The cheapest change; else whom releases isolate; else why there is no change."""
    without = replace(ADVICE, changes=(), hindrances=("No level helps.",))
    told = (ADVICE, replace(without, isolated=replace(ISOLATED, combination="default")), without)
    assert [short_sentence(TriedAdvice(advice=one)) for one in told] == [
        "It would pass with age to level 2 of 4, drop specialty, leave out 12 (loss 31.0%).",
        (
            "24 earlier releases and this one isolate 321,000 of 1,234,567 entities below k = 5: 1,000 left,"
            " 20,000 came, 300,000 stayed."
        ),
        "No level helps.",
    ]


LONG = 'a very long name of a column, with signs: "quotes", {braces} and \x1b[31m' * 3


HELD = "The policy holds; nothing has to be changed."


def of_lines(count):
    """Return the best change with so many lines of policy."""
    return replace(BEST, lines=tuple(f"line {at}" for at in range(count)))


SCREENS = {
    "usual": {},
    "forty lines": {"changes": (of_lines(40), BEST)},
    "nine lines": {"changes": (of_lines(9), BEST)},
    "hindered": {"changes": (), "hindrances": ("No change helps, for " + "word " * 200,) * 5},
    "nothing": {"changes": (), "below": None, "hindrances": (HELD,)},
    "three hundred names": {"without": (Exposed(columns=(LONG,), below=1, alone=1, added=1),) * 300},
    "hostile": {"changes": (replace(BEST, columns=(replace(AGE, column=LONG),)),) * 5},
    "isolated": {"isolated": ISOLATED},
    "isolated, hindered": {"isolated": ISOLATED, "changes": (), "hindrances": ("No, for " + "word " * 99,)},
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("advice", [replace(ADVICE, **told) for told in SCREENS.values()], ids=SCREENS)
def test_it_fits_on_a_screen(advice, width):
    """Twelve lines at most, none wider than the screen, and no sign that a terminal would obey."""
    lines = advice_lines(advice, width)
    assert len(lines) <= MOST_LINES
    assert [line for line in lines if len(line) > width] == []
    assert "\x1b" not in "".join(lines)


def test_a_failure_is_one_line_and_tells_no_value():
    """What a fault says may hold a value, so only its kind is told; an error with words is told by these."""

    def fails(error):
        raise error

    assert tried_advice(lambda: ADVICE) == TriedAdvice(advice=ADVICE)
    said = [tried_advice(lambda e=e: fails(e)).fault for e in (ValueError("Zanzibar"), DataError("no file"))]
    assert said == ["There is no advice: internal error (ValueError).", "There is no advice: no file"]
    assert tried_advice(lambda: fails(KeyboardInterrupt())).fault == "There is no advice: it was stopped."
    assert tried_lines(TriedAdvice(fault=said[0]), 80) == [said[0]]
    assert TriedAdvice(fault=said[0]).to_dict() == {"fault": said[0]}
    assert TriedAdvice().to_dict() is None


def test_the_document_holds_every_field():
    """Columns, levels and counts as plain values."""
    told = TriedAdvice(advice=ADVICE).to_dict()
    age = {"column": "age", "level": 2, "coarsest": 4, "ncp": 0.2}
    specialty = {"column": "specialty", "level": "drop", "coarsest": 0, "ncp": 1.0}
    left_out = {"left_out": 12, "records_left_out": 30, "suppress": 0.02, "loss": 0.31}
    assert told["changes"][0] == {"columns": [age, specialty], "lines": list(LINES), **left_out}
    assert told["diversity"] == {"illness": 2}
