"""A small anonymizer that keeps its protocol: the kit is tested with it, and saboteurs spoil it."""

from itertools import pairwise

import numpy as np

from qidguard.sdk import (
    Anonymized,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    Original,
    Parameter,
    Recoded,
    interval_text,
    set_text,
)


class Blocks:
    """Sort the records by their quasi-identifiers and publish blocks of at least k persons alike."""

    name = "blocks"
    title = "blocks of sorted records"
    parameters = (Parameter(name="k", type=int, default=0, minimum=0, meaning="smallest class, persons"),)
    is_order_free = True

    def anonymize(self, records, arguments, task):
        """Return the blocks."""
        k = arguments["k"] or 3
        qids = task.quasi_identifiers
        entity = None if task.entity is None else records.column(task.entity).codes
        codes = records.codes(qids)
        _, number = np.unique(codes, axis=0, return_inverse=True)
        block = self.blocks(number.ravel(), entity, k, task)
        columns = {
            name: self.published(records.column(name), block, task) for name in qids if name != task.entity
        }
        return Anonymized(
            kept=np.ones(records.records, dtype=bool),
            columns=columns,
            guarantees=self.claims(k, task),
            notes=("every class is a block of neighbors",),
        )

    def claims(self, k, task):
        """Return the claim of k over each combination."""
        limit = Limit(bound=Bound.AT_LEAST, value=k)
        return tuple(Guarantee(metric="k_anonymity", limit=limit, qids=qids) for qids in task.combinations)

    def blocks(self, number, entity, k, task):
        """Return the block of each record: equal records share one, and each holds k persons."""
        order = np.argsort(number, kind="stable")
        person = np.arange(len(number)) if entity is None else entity
        starts = [0, *(np.flatnonzero(np.diff(number[order])) + 1), len(order)]
        found, block, persons = np.zeros(len(number), dtype=np.int64), 0, set()
        places = list(pairwise(starts))
        for done, (first, end) in enumerate(places):
            if done % 1000 == 0:
                task.progress.step("cutting blocks", done, len(places))
            if len(persons) >= k:
                block, persons = block + 1, set()
            found[order[first:end]] = block
            persons.update(person[order[first:end]].tolist())
        task.progress.step("cutting blocks", len(places), len(places))
        if len(persons) < k:
            if not block:
                raise NotMeasurable(f"k = {k} needs {k} persons, and there are fewer; lower k")
            found[found == block] = block - 1
        return found

    def published(self, column, block, task):
        """Return what a column publishes: the own value, an interval or a set a block."""
        pairs = np.unique(np.stack([block, column.codes]), axis=1)
        cuts = np.flatnonzero(np.diff(pairs[0])) + 1
        values, places = [], np.split(pairs[1], cuts)
        for done, codes in enumerate(places):
            if done % 1000 == 0:
                task.progress.step("writing blocks", done, len(places))
            values.append(self.cell(column, codes, task))
        return Recoded(codes=block, values=tuple(values))

    def cell(self, column, codes, task):
        """Return what stands for some codes."""
        if len(codes) == 1:
            return Original(int(codes[0]))
        texts = [column.texts[code] for code in codes]
        if column.is_numeric and np.isfinite(column.numbers[codes]).all():
            return interval_text(texts[0], texts[-1])
        return set_text(texts)
