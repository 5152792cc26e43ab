"""What an anonymizer gives back is checked and counted by the host."""

from dataclasses import replace
from datetime import date
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import snapshots
from examples import examples
from plugged import OWNER, Doing, chosen, kept_as_it_is
from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.core.errors import DeclarationError, ExitCode, UnreachableError
from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Bound,
    Direction,
    Guarantee,
    Limit,
    NotMeasurable,
    Original,
    PluginError,
    Recoded,
    Solution,
    SolutionFigure,
    Solutions,
    k_anonymity_task,
    records_of,
)
from snapshots import cells

FEW = settings(max_examples=examples(15, fewest=3), deadline=None, derandomize=True, database=None)
MARK = "Zq7Wx9Kp"
ALL = np.ones(4, dtype=np.bool_)
LIMIT = Limit(bound=Bound.AT_LEAST, value=2)


FOUR = pd.DataFrame(
    {
        "person": [f"{MARK}1", f"{MARK}1", f"{MARK}2", None],
        "age": [30, 30, 41, 50],
        "city": [f"{MARK}a", None, f"{MARK}b", f"{MARK}a"],
        "illness": [f"{MARK}x", f"{MARK}y", f"{MARK}x", None],
    }
)
"""Four records of three persons."""
TASK = AnonymizationTask(
    combinations=(("age", "city"),), entity="person", sensitive=("illness",), seed=0, target="illness"
)
OF_AGES = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
ran = partial(snapshots.ran, table=FOUR, task=TASK)


def recoded(name, values, codes=(0, 0, 0, 0), kept=ALL, **more):
    """Return a function that publishes other values in one column."""
    column = Recoded(codes=np.array(codes), values=values)
    return lambda *_: Anonymized(kept=kept, columns={name: column}, **more)


def raising(error):
    """Return a function that raises."""

    def do(*_):
        raise error

    return do


def answer(**more):
    """Return a function that answers so, and keeps all records where nothing else is said."""
    return lambda *_: Anonymized(**{"kept": ALL, **more})


def fault_of(do):
    """Return what is said of a fault: whose it is, and no value of the table."""
    with pytest.raises(PluginError) as raised, ran(do):
        pass
    said = str(raised.value)
    assert said.startswith(f"{OWNER}: anonymizer 'doing' ")
    assert said.endswith("; mend the plugin")
    assert MARK not in said
    return said


def claim(limit, column):
    """Return a function that claims something over one column."""
    return answer(guarantees=(Guarantee(metric="k_anonymity", limit=limit, qids=(column,)),))


NO_VALUE = "an original value or a number that there is not"
NO_CLAIM = "claims what is no Guarantee"
NO_COUNT = "something else than text and a count"


@pytest.mark.samples(15)
@pytest.mark.parametrize(
    ("do", "said"),
    [
        (lambda *_: None, "returned NoneType, not Anonymized"),
        (answer(kept=np.ones(3, dtype=np.bool_)),
         "an array of bool of the shape (3,), not by one truth value for each of the 4 records"),
        (answer(kept=np.ones(4, dtype=np.int8)), "says what is kept by an array of int8"),
        (answer(kept=[True] * 4), "says by list, not by a numpy array"),
        (lambda *_: SimpleNamespace(kept=ALL), "returned SimpleNamespace, not Anonymized"),
        (recoded(f"{MARK}new", ("x",)), "publishes a column that the table does not have"),
        (recoded("illness", ("x",)), "changes the column 'illness', which is no quasi-identifier"),
        (recoded("person", ("x",)), "changes the column 'person', which is no quasi-identifier"),
        # one code too few
        (recoded("age", ("x",), (0, 0, 0)),
         "recodes the column 'age' by something other than one value a record"),
        (answer(columns={"age": [1, 2, 3, 4]}), "by something other than one value"),
        (answer(columns=[("age", 1)]), "gives columns that are no mapping"),
        *(
            (recoded("age", (value,)), NO_VALUE)
            for value in (Original(9), Original(-1), Original("1"), 10**30, *map(float, ("nan", "inf")))
        ),
        (recoded("age", (np.float64("nan"),)), NO_VALUE),
        (answer(guarantees=("k = 5",)), NO_CLAIM),
        (answer(guarantees=5), NO_CLAIM),
        (claim(LIMIT, "nowhere"), f"{NO_CLAIM} over columns of the table"),
        (claim(5, "age"), f"{NO_CLAIM} over columns of the table"),
        (answer(notes="one sentence"), "gives notes that are no sentences"),
        (answer(notes=(1,)), "gives notes that are no sentences"),
        *((answer(suppressed_by=by), NO_COUNT) for by in ({"age": -1}, {"age": "1"}, [1])),
        (answer(suppressed_by={"age": 1}), "more records that were suppressed than the 0 that were"),
    ],
)  # fmt: skip
def test_what_the_protocol_does_not_allow_is_a_fault_of_the_plugin(do, said):
    """The sentence says what is wrong and whose it is, and no value of the table."""
    assert said in fault_of(do)


LOSS = SolutionFigure(name="information_loss", title="loss", direction=Direction.LOWER_IS_SAFER)


def several(*solutions, chosen=0, figures=(LOSS,), **more):
    """Return a function that answers with solutions."""
    return lambda *_: Solutions(solutions=solutions, chosen=chosen, figures=figures, **more)


EVERYONE = Anonymized(kept=ALL)


def solution(label="a", done=EVERYONE, loss=0.5, **figures):
    """Return a solution that keeps all records."""
    return Solution(label=label, anonymized=done, figures={"information_loss": loss, **figures})


ONE_LESS = Anonymized(kept=np.array([True, True, True, False]))
TITLELESS = SolutionFigure(name="loss", title=" ", direction=Direction.LOWER_IS_SAFER)
DIRECTIONLESS = SolutionFigure(name="loss", title="loss", direction="lower")
NO_NAME = SolutionFigure(name=f"{MARK} 1", title="loss", direction=Direction.LOWER_IS_SAFER)
NO_FIGURES = "figures are no tuple of SolutionFigure with a name and a title each"


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("do", "said"),
    [
        (several(), "without a tuple of at least one Solution"),
        (several("a"), "without a tuple of at least one Solution"),
        (lambda *_: Solutions(solutions=[solution()], chosen=0, figures=(LOSS,)), "without a tuple of"),
        (several(solution(), chosen=1),
         "returned 1 solutions and chose none of them; chosen is a number 0..0"),
        *((several(solution(), chosen=chosen), "chose none of them") for chosen in (-1, True, 0.0)),
        (several(solution(), plots=("a plot",)), "plots that are no tuple of Plot"),
        *(
            (several(solution(), figures=figures), NO_FIGURES)
            for figures in ([LOSS], ("information_loss",), (TITLELESS,), (DIRECTIONLESS,), (NO_NAME,))
        ),
        (several(solution(), figures=(LOSS, LOSS)), "two figures of one name"),
        *(
            (several(solution(label), solution("b")), "a Solution whose label is no line of text")
            for label in ("", "a\nb", 3)
        ),
        (several(solution(MARK), solution(MARK)), "two solutions of one label"),
        (several(solution(), figures=()), "number 1 does not tell the declared figures"),
        (several(solution("a"), solution("b", risk=1.0)), "number 2 does not tell the declared figures"),
        *(
            (several(solution(loss=loss)), "number 1 tells a figure that is no finite number")
            for loss in (float("nan"), float("inf"), "0.5", None, True)
        ),
        (several(solution(), solution("b", done=None)),
         "returned several solutions, and number 2 returned NoneType, not Anonymized"),
        (several(solution(), solution("b", done=Anonymized(kept=ALL[:3]))),
         "and number 2 says what is kept by an array of bool of the shape (3,)"),
        (several(solution(done=Anonymized(kept=~ALL))), "and number 1 keeps no record"),
        (several(solution("b", done=recoded("illness", ("x",))())),
         "and number 1 changes the column 'illness', which is no quasi-identifier"),
    ],
)  # fmt: skip
def test_each_fault_of_several_solutions_is_one_sentence_of_the_plugin(do, said):
    """Released or rehearsed: it says what is wrong and whose it is, and no value of the table."""
    found = fault_of(do)
    assert found.startswith(f"{OWNER}: anonymizer 'doing' returned ")
    assert said in found
    held = records_of(FOUR)
    with pytest.raises(PluginError, match="anonymizer 'doing' returned "):
        rehearse_on(held, chosen(Doing(do)), k_anonymity_task(2, ["age", "city"]))


def test_of_several_solutions_the_chosen_one_is_taken():
    """Nobody asked for several: what the anonymizer would take is published, and counted alone."""
    dear, cheap = solution("dear", loss=0.9), solution("cheap", done=ONE_LESS, loss=np.float64(0.1))
    held = records_of(FOUR)
    for taken, records in ((0, 4), (1, 3)):
        do = several(dear, cheap, chosen=np.int64(taken))
        with ran(do) as run:
            assert (run.after.records, run.receipt.records_after) == (records, records)
        done = rehearse_on(held, chosen(Doing(do)), k_anonymity_task(1, ["age", "city"]))
        assert done.records == records


@pytest.mark.parametrize("error", [ValueError(MARK), SystemExit(MARK), GeneratorExit(MARK), KeyError(MARK)])
def test_what_an_anonymizer_raises_is_a_fault_of_the_plugin_without_its_words(error):
    """They may hold a value; an exit of the interpreter is no way out."""
    with pytest.raises(PluginError) as raised, ran(raising(error)):
        pass
    kind = type(error).__name__
    assert str(raised.value) == f"{OWNER}: anonymizer 'doing' failed with {kind}; mend the plugin"
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt()])
def test_a_lack_of_memory_and_an_interruption_pass(error):
    """They are no fault of the plugin."""
    with pytest.raises(type(error)), ran(raising(error)):
        pass


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (raising(NotMeasurable("k is too large")),
         "The remedy doing cannot make the policy hold: k is too large"),
        (answer(kept=~ALL), "would suppress every record"),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_met_is_said_in_the_words_of_the_anonymizer(do, said):
    """The user reads which remedy gave up, and why; an empty table, which keeps every limit, is none."""
    with pytest.raises(UnreachableError, match=said), ran(do):
        pass


def test_a_wrong_declaration_is_the_mistake_of_the_user():
    """It is no verdict on the table, and one that tries several methods sees that this one cannot be done."""
    wrong = raising(DeclarationError("bounds must rise"))
    with pytest.raises(DeclarationError, match="declared wrongly: bounds must rise") as raised, ran(wrong):
        pass
    assert raised.value.exit_code is ExitCode.USER_ERROR
    assert isinstance(raised.value, NotMeasurable)
    assert not isinstance(raised.value, UnreachableError)


def test_columns_must_be_named_to_be_changed():
    """A declared change of a sensitive attribute is allowed; of the entity never, be it the target too."""
    with ran(recoded("illness", ("x",)), changes_sensitive=True) as found:
        assert cells(found.after, "illness") == ["x"] * 4
    for task in (TASK, replace(TASK, target="person"), replace(TASK, combinations=(("age", "person"),))):
        with (
            pytest.raises(PluginError, match="changes the column 'person'"),
            ran(recoded("person", ("x",)), task=task, changes_sensitive=True),
        ):
            pass


def test_the_cells_that_changed_are_counted_among_the_kept_records():
    """30 → 30 and 50 → 50 stay, 41 becomes text; the fourth record is suppressed and counts for nothing."""
    values, more = (Original(1), "[40, 50]"), {"kept": ONE_LESS.kept, "suppressed_by": {"age": np.int64(1)}}
    with ran(recoded("age", values, codes=(0, 0, 1, 1), **more)) as found:
        assert cells(found.after, "age") == ["30", "30", "[40, 50]"]
        receipt = found.receipt
    assert (receipt.cells_changed, receipt.columns_changed) == ({"age": 1}, ("age",))
    assert (receipt.records_before, receipt.records_after, receipt.records_suppressed) == (4, 3, 1)
    assert receipt.suppressed_by == {"age": 1}
    assert (receipt.anonymizer, receipt.title, receipt.owner) == ("doing", "what a test does", OWNER)
    assert receipt.seconds >= 0
    assert receipt.peak_bytes is None or receipt.peak_bytes >= 0


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        ((None,), (0, 0, 0, 0), 3),  # a value that is taken away is a change, NULL that stays is none
        (("*",), (0, 0, 0, 0), 4),  # so is NULL that becomes a mark
        ((None, Original(1), Original(2)), (1, 0, 2, 1), 0),
        ((None, Original(1), Original(2)), (2, 0, 1, 1), 2),
    ],
)
def test_null_is_the_same_as_null_only(values, codes, expected):
    """The cities are a, NULL, b, a."""
    with ran(recoded("city", values, codes=codes)) as found:
        assert found.receipt.cells_changed == {"city": expected}


def test_a_whole_number_that_is_published_among_fractions_is_the_same_cell():
    """30 as 30.0 is no change, 41 as 40.5 is."""
    with ran(recoded("age", (Original(1), 40.5), codes=(0, 0, 1, 1))) as found:
        assert found.after.types()["age"] == "DOUBLE"
        assert found.receipt.cells_changed == {"age": 2}


def test_original_values_are_those_that_the_anonymizer_saw(tmp_path):
    """In a file with suppressed cells codes follow the numbers; without the mark, the texts."""
    table = tmp_path / "ages.csv"
    table.write_text("age\n9\n10\n*\n9\n", encoding="utf-8")
    with ran(kept_as_it_is, table=str(table), task=OF_AGES) as found:
        assert cells(found.after, "age") == ["9", "10", "*", "9"]
        assert found.receipt.cells_changed == {"age": 0}


VALUES = st.one_of(st.none(), st.integers(-3, 3), st.just(2**53))


@FEW
@given(ages=st.lists(VALUES, min_size=1, max_size=8), dates=st.booleans())
def test_what_is_kept_as_it_is_changes_no_cell(ages, dates):
    """Every cell its own original value: same content, no change, the same types."""
    table = pd.DataFrame({"age": pd.array(ages, dtype="Int64")})
    if dates:
        days = [None if a is None else date(2020, 1, 1 + a % 5) for a in ages]
        table = pd.DataFrame({"age": pd.Series(days, dtype=object)})
    with ran(kept_as_it_is, table=table, task=OF_AGES) as found:
        assert found.receipt.cells_changed == {"age": 0}
        assert found.after.types() == found.before.types()
        assert found.after.content_digest(["age"]) == found.before.content_digest(["age"])


def test_an_anonymizer_cannot_change_what_the_loss_is_measured_against():
    """The arrays that it sees are not its own."""
    with (
        pytest.raises(PluginError, match="failed with ValueError"),
        ran(lambda records, *_: records.column("age").codes.fill(0)),
    ):
        pass


def test_the_receipt_holds_no_value():
    """Counts and names only, whatever was suppressed or recoded."""
    with ran(recoded("city", (f"{{{MARK}a, {MARK}b}}",), suppressed_by={"age, city": 0})) as found:
        assert MARK not in repr(found.receipt)
