"""Facts of a column from its values, with the tests of a recognizer made in the plainest way."""

from collections import Counter

from qidguard.sdk import ColumnFacts, ContentTest, Look, ValueType

PROBED = 50


def looked(name: str, values: list[str], tests: tuple[ContentTest, ...]) -> ColumnFacts:
    """Return the facts of a column: 50 values are probed, and more where at least half of them pass."""
    records = Counter(values)
    texts = list(records)
    is_number = all(t.lstrip("-").isdigit() and t.isascii() for t in texts)
    kind = (
        ValueType.INTEGER
        if is_number
        else ValueType.NUMBER
        if all(map(_is_number, texts))
        else ValueType.TEXT
    )
    looks = []
    for test in tests:
        if kind not in test.value_types:
            continue
        seen = texts[:PROBED]
        passing = [text for text in seen if test.passes(text)]
        if len(passing) >= len(seen) / 2:
            passing += [text for text in texts[PROBED:] if test.passes(text)]
            seen = texts
        if passing:
            looks.append(
                Look(
                    kind=test.title,
                    share=len(passing) / len(seen),
                    test=test.name,
                    share_of_records=sum(records[t] for t in passing) / sum(records[t] for t in seen),
                    looked_at=len(seen),
                    chance=test.chance,
                )
            )
    return ColumnFacts(
        name=name,
        value_type=kind,
        records=len(values),
        distinct=len(texts),
        missing=0,
        looks=tuple(looks),
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
