"""Sensitive attributes, the entity and every other column that is no quasi-identifier stay as they are."""

from collections.abc import Iterator

from qidguard.anonymize.protocol import Anonymised
from qidguard.testing.trial import Trial


def untouched_columns(trial: Trial) -> Iterator[str]:
    """Yield the columns that are changed and must not be."""
    allowed = may_change(trial)
    answer = trial.answer
    named = set(answer.columns) if isinstance(answer, Anonymised) else set()
    for name in sorted(named - allowed):
        yield (
            f"it publishes other values in {name!r}, which is no quasi-identifier; leave it out of"
            " Anonymised.columns, or declare changes_sensitive = True"
        )
    if not trial.is_published or trial.receipt is None:
        return
    for name in trial.source.names:
        if name in trial.receipt.cells_changed:
            continue
        before, after = trial.before.column(name), trial.published.column(name)
        kept = before.codes[trial.done.kept]
        if [before.texts[code] for code in kept] != [after.texts[code] for code in after.codes]:
            yield f"the column {name!r} is not the source's, and nothing was published in its place"


def may_change(trial: Trial) -> set[str]:
    """Return the columns in which other values may be published."""
    sample = trial.sample
    columns = set(sample.quasi_identifiers)
    if getattr(trial.subject.anonymiser, "changes_sensitive", False):
        columns |= {*sample.sensitive, *([sample.target] if sample.target else [])}
    return columns - {sample.entity, *sample.direct_identifiers}
