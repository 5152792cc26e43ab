"""A comparison of choices, as lines of text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable, result_lines, shown_name
from qidguard_qir.dimensions import size_text

if TYPE_CHECKING:
    from qidguard_qir.compared_choices import ChoiceComparison

NOTE = (
    "PG and NUE are of the anonymized columns alone, as in the paper. PG over all is the share of the mean"
    " prosecutor risk that was removed for an attacker who knows all quasi-identifiers."
)
AVERAGE_HEADINGS = ("choice", "columns", "over", "runs", "PG %", "NUE %", "PG over all %")
RUN_HEADINGS = ("choice", "size", "k", "PG %", "NUE %", "PG over all %", "PG persons")


def headline(found: "ChoiceComparison") -> Iterator[str]:
    """Yield among which columns was chosen, by which anonymizer, and how far it came."""
    yield f"CHOICES  of {len(found.qids)} quasi-identifiers: {', '.join(map(shown_name, found.qids))}"
    yield f"  anonymizer  {found.anonymizer}, on {found.records:,} records"
    done = len(found.by_k) + len(found.by_size)
    if found.is_interrupted:
        yield f"  stopped     after {done:,} of {found.asked:,} runs"
    for run in (*found.by_k, *found.by_size):
        if run.reason:
            where = f"{shown_name(run.choice)}, k = {run.k}, size {size_text(run.size)}"
            yield f"  no figure   {where}: {run.reason}"
    yield f"  {NOTE}"


def lines(found: "ChoiceComparison") -> Iterator[str]:
    """Yield the choices, their means, and every run."""
    yield from headline(found)
    yield ""
    averages = tuple(
        (
            shown_name(one.choice), ", ".join(map(shown_name, one.columns)), one.over, one.runs,
            one.privacy_gain, one.kept, one.gain_over_all,
        )
        for one in found.averages()
    )  # fmt: skip
    table = ResultTable(name="averages", title="Means over runs", columns=AVERAGE_HEADINGS, rows=averages)
    yield from ("  " + line for line in result_lines(table))
    yield ""
    runs = tuple(
        (choice, size, k, pg, nue, wide, persons)
        for choice, _, size, k, pg, persons, nue, wide, *_ in found.rows()
    )
    table = ResultTable(name="runs", title="Every run", columns=RUN_HEADINGS, rows=runs)
    yield from ("  " + line for line in result_lines(table))
