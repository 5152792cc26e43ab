"""What a run tells: how it ended, its steps, and no value of the table in any of its words."""

import json
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

from qidguard.sdk import NewTable, NotMeasurable, Plot, Solutions
from qidguard_testing.checks.published import SHORTEST
from qidguard_testing.trial import KitTrial

_SHORTEST_SENTENCE = 20
_DATA = ("data", "datasets", "datum", "equal", "value")
EXAMPLE = "classes of k = 5 persons need 5 persons and there are 3; lower k"
"""A sentence that has all that a refusal must have."""


def outcome(trial: KitTrial) -> Iterator[str]:
    """Yield what is wrong with how a run ended."""
    if trial.error is not None:
        error = trial.error
        if trial.answer is None:
            frames = traceback.extract_tb(error.__traceback__)
            where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
            yield (
                f"it raised {type(error).__name__}: {error}{where}; raise NotMeasurable with a sentence where"
                " the task cannot be met"
            )
        # untouched_columns tells of a column that must not be changed
        elif "without declaring it" not in trial.said_by_host:
            yield f"the host refused its answer: {trial.said_by_host}"
    elif trial.refusal and trial.answer is None:
        yield from _sentence(trial.refusal)


def _sentence(text: str) -> Iterator[str]:
    lacks = []
    if len(text) < _SHORTEST_SENTENCE:
        lacks.append(f"it has {len(text)} characters, fewer than {_SHORTEST_SENTENCE}")
    if "\n" in text:
        lacks.append("it is more than one line")
    if not any(mark in text for mark in ";,:"):
        lacks.append("no ';', ',' or ':' sets the rule apart from the remedy")
    if lacks:
        yield (
            f"{NotMeasurable.__name__} says {text!r}, but {', '.join(lacks)}; say in one sentence the rule,"
            f" the number and the remedy, such as {EXAMPLE!r}"
        )


def plots(trial: KitTrial) -> Iterator[str]:
    """Yield what is wrong with what it drew of its result."""
    if trial.plots_fault:
        yield trial.plots_fault


def progress(trial: KitTrial) -> Iterator[str]:
    """Yield what is wrong with the steps that were told."""
    for title, done, total in trial.listener.steps:
        if not (title and 0 <= done <= total):
            yield f"the step {title!r} tells {done} of {total}; tell 0 ≤ done ≤ total of work with a title"
            return


def silence(trial: KitTrial) -> Iterator[str]:
    """Yield the sentences that hold a value of the table."""
    values = _values(trial)
    for where, text in _sentences(trial):
        if any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) for value in values if value in text):
            yield f"a value of the table stands in {where}: {text!r}"


def _sentences(trial: KitTrial) -> Iterator[tuple[str, str]]:
    for answer in trial.answers:
        for note in answer.notes:
            yield "a note", str(note)
        if isinstance(answer, NewTable):
            yield from (words for plot in answer.plots for words in _words_in(plot))
        else:
            yield from (("a name in suppressed_by", str(name)) for name in answer.suppressed_by)
    if isinstance(trial.answer, Solutions):
        yield from _words_of(trial.answer)
    for plot in trial.plots:
        yield from _words_in(plot)
    if trial.refusal:
        yield "its refusal", trial.refusal
    # what else it raises the host tells by its type alone
    if trial.said_by_host:
        yield "its error", trial.said_by_host
    for title in dict.fromkeys(title for title, _, _ in trial.listener.steps):
        yield "a step of its progress", str(title)


def _words_of(answer: Solutions) -> Iterator[tuple[str, str]]:
    for figure in answer.figures:
        yield "the title of a figure", str(figure.title)
    for solution in answer.solutions:
        yield "the label of a solution", str(solution.label)
    for plot in answer.plots:
        yield from _words_in(plot)


def _words_in(plot: Plot) -> Iterator[tuple[str, str]]:
    for text in dict.fromkeys((plot.alternative, *_told(plot.vega_lite))):
        yield "a plot", text


def _told(part: object, *, is_data: bool = False) -> Iterator[str]:
    """Yield names, texts and numbers of a plot; true and false outside its data are settings of the chart."""
    if isinstance(part, dict):
        for name, inner in part.items():
            yield name
            if is_data or name in _DATA or not isinstance(inner, bool):
                yield from _told(inner, is_data=is_data or name in _DATA)
    elif isinstance(part, list):
        for inner in part:
            yield from _told(inner, is_data=is_data)
    elif isinstance(part, str):
        yield part
    elif part is not None:
        yield json.dumps(part)


def _values(trial: KitTrial) -> set[str]:
    """Return the table's texts that are long enough to be unlike any other, as they are and as numbers."""
    found: set[str] = set()
    names = set(trial.source.names)
    for name in trial.source.names:
        if name == trial.sample.row:
            continue
        for text in trial.before.column(name).texts:
            if text is None or len(text) < SHORTEST or text in names:
                continue
            found.add(text)
            if text.isdigit():
                found.add(f"{int(text):,}")
    return found
