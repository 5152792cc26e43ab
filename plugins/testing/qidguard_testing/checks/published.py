"""What is published: each record once, allowed columns only, true cells, types, and each claim by SQL."""

from collections.abc import Iterator

import numpy as np

from qidguard.sdk import Anonymized, ColumnValues, QidguardError, ValueType, policy_limit
from qidguard_testing.checks.guaranteed import ask
from qidguard_testing.trial import KitTrial


def row_accounting(trial: KitTrial) -> Iterator[str]:
    """Yield what is wrong with the number and the order of the records."""
    if not trial.is_published or trial.receipt is None or trial.new_table is not None:
        return
    kept = trial.done.kept
    source, published = trial.source.records, trial.published.records
    suppressed = source - int(kept.sum())
    if published + suppressed != source or trial.receipt.records_suppressed != suppressed:
        yield (
            f"{published:,} published and {suppressed:,} suppressed records are not the {source:,} of the"
            " source"
        )
    row = trial.sample.row
    before, after = trial.before.column(row), trial.published.column(row)
    expected = [before.texts[code] for code in before.codes[kept]]
    if expected != [after.texts[code] for code in after.codes]:
        yield "the published records are not the kept ones in the order of the source"
    counts = [int(count) for count in trial.done.suppressed_by.values()]
    told = sum(counts)
    if told and not suppressed:
        yield f"suppressed_by counts {told:,} records, and none is suppressed"
    if told < suppressed:
        yield (
            f"suppressed_by counts {told:,} records of the {suppressed:,} that are suppressed;"
            " count each on behalf of a combination"
        )
    if any(count > source for count in counts):
        yield "suppressed_by counts more records for one combination than there are"


def untouched_columns(trial: KitTrial) -> Iterator[str]:
    """Yield the columns that are changed and must not be."""
    if trial.new_table is not None:  # the host took it, and copies nothing
        return
    allowed = may_change(trial)
    given = (answer for answer in trial.answers if isinstance(answer, Anonymized))
    named = {name for answer in given for name in answer.columns}
    for name in sorted(named - allowed):
        yield (
            f"it publishes other values in {name!r}, which is no quasi-identifier; leave it out of"
            " Anonymized.columns, or declare changes_sensitive = True"
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


def may_change(trial: KitTrial) -> set[str]:
    """Return the columns in which other values may be published."""
    sample = trial.sample
    columns = set(sample.quasi_identifiers)
    if getattr(trial.subject.anonymizer, "changes_sensitive", False):
        columns |= {*sample.sensitive, *([sample.target] if sample.target else [])}
    return columns - {sample.entity, *sample.direct_identifiers}


SHORTEST = 5
"""Characters from which a text of the kit's tables is unlike any other."""
_MOST_SOUGHT = 500
"""Values that are looked for within other texts, which takes a search through all of them for each."""


def direct_identifiers(trial: KitTrial) -> Iterator[str]:
    """Yield the columns in which values of a direct identifier, or of the entity, are published."""
    if not trial.is_published or trial.receipt is None:
        return
    sample = trial.sample
    hidden = [*sample.direct_identifiers, *([sample.entity] if sample.entity else [])]
    for name in hidden:
        values = [text for text in trial.before.column(name).texts if text and len(text) >= SHORTEST]
        for changed in sorted(set(trial.columns_written) - {name}):
            own = set(trial.before.column(changed).texts)
            texts = [text for text in trial.published.column(changed).texts if text and text not in own]
            together = "\n".join(texts)
            # who copies identifiers copies more than one in a hundred of them
            some = values[:: 1 + len(values) // _MOST_SOUGHT]
            if any(value in together for value in some) or not set(values).isdisjoint(texts):
                yield f"values of {name!r} are published in the column {changed!r}"


_TEXT = {ValueType.TEXT, ValueType.EMPTY}
_ALLOWED = {
    ValueType.INTEGER: {ValueType.INTEGER, *_TEXT},
    ValueType.NUMBER: {ValueType.NUMBER, ValueType.INTEGER, *_TEXT},
    ValueType.DATE: {ValueType.DATE, *_TEXT},
    ValueType.TIMESTAMP: {ValueType.TIMESTAMP, ValueType.DATE, *_TEXT},
    ValueType.BOOLEAN: {ValueType.BOOLEAN, *_TEXT},
    ValueType.TEXT: _TEXT,
    ValueType.EMPTY: _TEXT,
}


def value_types(trial: KitTrial) -> Iterator[str]:
    """Yield the columns whose published type is none that follows from the source's."""
    if trial.after is None or trial.receipt is None:
        return
    if trial.after.format != trial.source.format:
        yield f"a source of {trial.source.format} is published as one of {trial.after.format}"
    own, theirs = trial.source.types(), trial.after.types()
    for name in trial.columns_written:
        before, after = trial.before.column(name), trial.published.column(name)
        # texts of a CSV may read as numbers once a few of them are gone
        is_narrowed = trial.source.format == "csv" and before.value_type is ValueType.TEXT
        if after.value_type not in _ALLOWED[before.value_type] and not is_narrowed:
            yield f"{name!r} is of type {before.value_type} and published as {after.value_type}"
        elif before.is_numeric and own[name] != theirs[name] and _are_numbers(after):
            yield f"{name!r} is of type {before.value_type} and published as texts of numbers alone"


def _are_numbers(column: ColumnValues) -> bool:
    """Whether every value of a column of text reads as a number."""
    if column.value_type is not ValueType.TEXT or not column.distinct:
        return False
    try:
        return all(float(text or "") is not None for text in column.texts[1:])
    except ValueError:
        return False


_MOST_SHOWN = 3
"""How many of the values that cannot be read are shown."""


def truth(trial: KitTrial) -> Iterator[str]:
    """Yield the columns in which an interval, a set or a label does not cover the record's own value.

    A cell that stands for one value, such as a centroid or a perturbed one, need not be the record's. An
    interval of noised values need not cover the true one either, but has to be readable.
    """
    if trial.run is None or trial.receipt is None or trial.new_table is not None:
        return
    noised = _noised_columns(trial)
    for name in sorted(trial.receipt.cells_changed):
        before, after = trial.before.column(name), trial.published.column(name)
        coverage = trial.run.coverage(name)
        if coverage.unreadable:
            # the tables of the kit are made up, so their values may be shown
            unread = [after.texts[code] for code in np.flatnonzero(coverage.is_unreadable)]
            some = ", ".join(map(repr, unread[:_MOST_SHOWN])) + (", …" if len(unread) > _MOST_SHOWN else "")
            yield (
                f"{coverage.unreadable:,} values published in {name!r} cannot be read: {some}; write"
                " intervals with interval_text, sets with set_text and suppressed cells as the task's"
                " suppression_mark"
            )
        if name in noised:
            continue
        wide = (coverage.counts > 1) & ~coverage.is_suppressed
        original = before.codes[trial.done.kept]
        wrong = np.count_nonzero(wide[after.codes] & ~coverage.covers(after.codes, original))
        if wrong:
            yield f"{wrong:,} generalized cells of {name!r} do not cover the record's own value"


def _noised_columns(trial: KitTrial) -> set[str]:
    """Return the columns that its guarantee says noise is drawn for; none of one that draws none."""
    if not trial.subject.is_rehearsed:
        return set()
    try:
        return set(ask(trial).columns)
    except Exception:  # noqa: BLE001 - the check of guarantees says what is wrong with it
        return set()


def proven_claims(trial: KitTrial) -> Iterator[str]:
    """Yield the limits that do not hold on what is published."""
    if trial.run is None:
        return
    new_table = trial.new_table
    claims = trial.done.guarantees if new_table is None else new_table.guarantees
    if new_table is None and trial.task.targets and not claims:
        yield "the task has targets, and nothing is claimed; name in Anonymized.guarantees what is reached"
    # what is asked of persons is not asked of records that are nobody's
    limits = [("asked", target) for target in trial.task.targets if new_table is None]
    for claim in claims:
        try:
            limit = policy_limit(
                claim.metric,
                claim.limit,
                claim.qids,
                sensitive=claim.sensitive,
                parameters=claim.parameters,
            )
        except QidguardError as error:
            yield f"the claim of {claim.metric} cannot be measured: {error}"
        else:
            limits.append(("claimed", limit))
    measured = trial.run.measure([limit for _, limit in limits])
    for (word, limit), found in zip(limits, measured, strict=True):
        if limit.limit.is_met_by(found.value):
            continue
        over = f"over {', '.join(limit.qids)}" + (f" beside {limit.sensitive}" if limit.sensitive else "")
        value = found.reason if found.value is None else f"is {found.value:.6g}"
        yield (
            f"{limit.metric.name} {over} {value}, {word} was {limit.limit.bound.replace('_', ' ')}"
            f" {limit.limit.value:g}"
        )
