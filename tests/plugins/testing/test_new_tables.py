"""The kit tests anonymizers that answer with a new table: what they copy, and what they may not say."""

import numpy as np
import pytest

from qidguard.sdk import NewTable, NewTableKind, NotMeasurable, Recoded, new_values
from qidguard_testing import check_anonymizer

MARK = "is published in a note: "


class Resampled:
    """Draws each quasi-identifier by itself from the source's values; it promises nobody anything."""

    name = "resampled"
    title = "columns drawn one by one"
    parameters = ()

    def anonymize(self, records, arguments, task):
        """Draw as many records as there are."""
        generator = np.random.default_rng(task.seed)
        columns = {}
        for name in task.quasi_identifiers:
            column = records.column(name)
            values = new_values(column)
            if name == task.entity:
                continue
            drawn_codes = generator.choice(np.sort(column.codes), records.records)
            used, drawn = np.unique(drawn_codes, return_inverse=True)
            columns[name] = Recoded(codes=drawn, values=tuple(values[code] for code in used))
        if not columns:
            raise NotMeasurable(
                "no quasi-identifier has a finite value: there is nothing to draw; name another"
            )
        return self.answer(records, columns)

    def answer(self, records, columns):
        """Return what was drawn."""
        return NewTable(kind=NewTableKind.SYNTHETIC_RECORDS, columns=columns)


class Telling(Resampled):
    """Tells a value of the table in a note."""

    def answer(self, records, columns):
        """Put one into it."""
        texts = (text for name in columns for text in records.column(name).texts[1:])
        value = max((text for text in texts if not text.isdigit()), key=len, default="none")
        return NewTable(kind=NewTableKind.SYNTHETIC_RECORDS, columns=columns, notes=(MARK + value,))


class AsText(Resampled):
    """Publishes numbers as text."""

    def answer(self, records, columns):
        """Turn each value into its text."""
        told = {
            name: Recoded(codes=c.codes, values=tuple(None if v is None else str(v) for v in c.values))
            for name, c in columns.items()
        }
        return NewTable(kind=NewTableKind.SYNTHETIC_RECORDS, columns=told)


def found(anonymizer):
    """Return which checks find something, by the kit's own tables."""
    return {one.check for one in check_anonymizer(anonymizer, claims={}, is_thorough=False)}


@pytest.mark.slow
def test_an_honest_one_keeps_its_protocol():
    """It suppresses nothing, claims nothing and is asked for neither."""
    assert [str(one) for one in check_anonymizer(Resampled(), claims={}, is_thorough=False)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("saboteur", "check"), [(Telling(), "silence"), (AsText(), "value_types")])
def test_what_is_wrong_with_a_new_table_is_found(saboteur, check):
    """A value in a note, and numbers as text."""
    assert check in found(saboteur)
