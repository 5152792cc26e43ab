"""Tables that hypothesis draws."""

from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.testing.made_up import ILLNESSES, Columns, sample
from qidguard.testing.sample import Sample

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MOST_RECORDS = 24


def drawn_samples() -> "SearchStrategy[Sample]":
    """Return a hypothesis strategy for small tables of mixed types, with ties, NULL and entities.

    Returns:
        A strategy; each table has 1..24 records, a number, a text, a date and a Boolean as quasi-identifiers,
        one or all pairs of them as combinations, and sometimes an entity column.

    Raises:
        UserError: When hypothesis is not installed.

    Example:
        >>> drawn_samples().__class__.__module__.split(".")[0]
        'hypothesis'
    """
    try:
        from hypothesis import strategies as st
    except ImportError as missing:
        raise UserError("tables are drawn by hypothesis, which is not installed; install it") from missing
    return st.integers(1, MOST_RECORDS).flatmap(lambda records: _of(st, records))


def _of(st: Any, records: int) -> "SearchStrategy[Sample]":
    def column(values: Any) -> Any:
        return st.lists(values, min_size=records, max_size=records)

    floats = st.floats(allow_nan=False, width=32)
    integers = st.integers(-3, 3) | st.integers(-(2**40), 2**40)
    texts = st.sampled_from(["", "north-west", "south-east", "*", "[1, 2]", "{a, b}", "it's"]) | st.text(
        max_size=3
    )
    drawn: SearchStrategy[Sample] = st.builds(
        _sample,
        number=column(st.none() | integers) | column(floats),
        text=column(st.none() | texts.filter(_is_storable)),
        born=column(st.none() | st.dates()),
        flag=column(st.booleans()),
        illness=column(st.sampled_from(ILLNESSES)),
        patient=st.none() | column(st.none() | st.integers(0, 5).map("patient-{:04d}".format)),
        is_of_pairs=st.booleans(),
    )
    return drawn


def _is_storable(text: str) -> bool:
    """Whether a database holds a text."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _sample(*, patient: list[str | None] | None, is_of_pairs: bool, **columns: list[Any]) -> Sample:
    qids = ("number", "text", "born", "flag")
    pairs = tuple((one, other) for i, one in enumerate(qids) for other in qids[i + 1 :])
    table: Columns = columns if patient is None else columns | {"patient": patient}
    if all(value is None for value in columns["number"]):
        table = table | {"number": [0] * len(columns["number"])}
    return sample(
        "drawn",
        table,
        combinations=pairs if is_of_pairs else (qids,),
        entity=None if patient is None else "patient",
    )
