"""Every record of the source is published or suppressed, once, in its place."""

from collections.abc import Iterator

from qidguard.testing.trial import Trial


def row_accounting(trial: Trial) -> Iterator[str]:
    """Yield what is wrong with the number and the order of the records."""
    if not trial.is_published or trial.receipt is None:
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
