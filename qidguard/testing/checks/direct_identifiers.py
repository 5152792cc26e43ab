"""What the host would publish holds no direct identifier, neither its column nor its values elsewhere."""

from collections.abc import Iterator

from qidguard.testing.trial import Trial

SHORTEST = 5
"""Characters from which a text of the kit's tables is unlike any other."""
_MOST_SOUGHT = 500
"""Values that are looked for within other texts, which takes a search through all of them for each."""


def direct_identifiers(trial: Trial) -> Iterator[str]:
    """Yield the columns in which values of a direct identifier, or of the entity, are published."""
    if not trial.is_published or trial.receipt is None:
        return
    sample = trial.sample
    hidden = [*sample.direct_identifiers, *([sample.entity] if sample.entity else [])]
    for name in hidden:
        values = [text for text in trial.before.column(name).texts if text and len(text) >= SHORTEST]
        for changed in sorted(set(trial.receipt.cells_changed) - {name}):
            own = set(trial.before.column(changed).texts)
            texts = [text for text in trial.published.column(changed).texts if text and text not in own]
            together = "\n".join(texts)
            # who copies identifiers copies more than one in a hundred of them
            some = values[:: 1 + len(values) // _MOST_SOUGHT]
            if any(value in together for value in some) or not set(values).isdisjoint(texts):
                yield f"values of {name!r} are published in the column {changed!r}"
