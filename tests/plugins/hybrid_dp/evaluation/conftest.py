"""A maker of published tables that are written by hand."""

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import Anonymized, Recoded, RehearsedTable, k_anonymity_task, records_of, taxonomy_hierarchy


@pytest.fixture
def published():
    """Return a maker of rehearsals: a table, and what is published in place of some of its columns."""

    def make(before, changed, qids, sensitive=(), *, kept=None, trees=None):
        rows = len(next(iter(before.values())))
        # records in memory stand in an order of their own
        held = records_of(pd.DataFrame({**before, "row": range(rows)}))
        row = held.column("row")
        order = np.asarray(row.numbers)[row.codes].astype(int)
        recoded = {}
        for name, values in changed.items():
            distinct = tuple(dict.fromkeys(values))
            codes = np.array([distinct.index(value) for value in values])
            recoded[name] = Recoded(codes=codes[order], values=distinct)
        hierarchies = {
            name: taxonomy_hierarchy(held.column(name), tree) for name, tree in (trees or {}).items()
        }
        return RehearsedTable(
            before=held,
            task=k_anonymity_task(2, qids, sensitive=sensitive, hierarchies=hierarchies),
            anonymizer="by hand",
            done=Anonymized(
                kept=np.ones(rows, dtype=np.bool_) if kept is None else np.array(kept)[order], columns=recoded
            ),
            seconds=0.0,
        )

    return make
