"""No value of the table stands in a note, a refusal, an error, a name of what was suppressed, or a step."""

import re
from collections.abc import Iterator

from qidguard.anonymize.protocol import Anonymised
from qidguard.testing.checks.direct_identifiers import SHORTEST
from qidguard.testing.trial import Trial


def silence(trial: Trial) -> Iterator[str]:
    """Yield the sentences that hold a value of the table."""
    values = _values(trial)
    for where, text in _sentences(trial):
        if any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) for value in values if value in text):
            yield f"a value of the table stands in {where}: {text!r}"


def _sentences(trial: Trial) -> Iterator[tuple[str, str]]:
    if isinstance(trial.answer, Anonymised):
        for note in trial.answer.notes:
            yield "a note", str(note)
        for name in trial.answer.suppressed_by:
            yield "a name in suppressed_by", str(name)
    if trial.refusal:
        yield "its refusal", trial.refusal
    # what else it raises the host tells by its type alone
    if trial.said_by_host:
        yield "its error", trial.said_by_host
    for title in dict.fromkeys(title for title, _, _ in trial.listener.steps):
        yield "a step of its progress", str(title)


def _values(trial: Trial) -> set[str]:
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
