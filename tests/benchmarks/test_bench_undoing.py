"""Columns that undo a generalization: the check beside an audit, 1M records and 40 columns, 10 QIDs."""

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]

MOST_RATIO = 2
"""Processor time of the check to that of an audit without it."""

CHECK = """
    import json, sys, time
    from pathlib import Path
    import numpy as np
    import pandas as pd
    import qidguard
    from qidguard.core.column import ColumnValues, ValueType
    from qidguard.core.versions import Changes
    from qidguard.sdk import LeakTask
    from qidguard_checks.plugin import Undoing

    class Table:
        def __init__(self, columns):
            self.columns = columns
            self.names, self.records = tuple(columns), len(next(iter(columns.values())).codes)

        def column(self, name):
            return self.columns[name]

    def column(name, codes):
        some, codes = np.unique(codes, return_inverse=True)
        return ColumnValues(
            name=name, value_type=ValueType.INTEGER, codes=(codes + 1).astype(np.int32),
            texts=(None, *map(str, some.tolist())), numbers=np.append(np.nan, some),
        )

    generator, records = np.random.default_rng(1), 1_000_000
    kinds = (5, 70, 400, 2, 20, 12, 100, 365, 50, 3000)
    qids = {f"q{i}": generator.integers(0, k, records) for i, k in enumerate(kinds)}
    some = (2, 5, 9, 20, 50, 100, 300, 1000, 5000, 20_000)
    rest = {f"x{i}": generator.integers(0, some[i % 10], records) for i in range(26)}
    rest |= {"key": generator.permutation(records), "weight": generator.integers(0, 10**9, records)}
    rest |= {"copy": generator.permutation(70)[qids["q1"]], "finer": qids["q2"] * 50 + rest["x4"]}
    coarse = {name: codes // max(2, k // 8) for (name, codes), k in zip(qids.items(), kinds, strict=True)}
    path = Path(sys.argv[1])
    pd.DataFrame({**coarse, **rest}).to_parquet(path)
    thresholds = [{"metric": "k_anonymity", "at_least": 2}]
    roles = {"quasi_identifiers": list(qids), "insensitive": list(rest)}
    policy = {"qidguard": 1, "name": "bench", "roles": roles, "thresholds": thresholds}
    started = time.process_time()
    qidguard.audit(path, policy=policy).close()
    audit = time.process_time() - started
    before = Table({name: column(name, codes) for name, codes in {**qids, **rest}.items()})
    after = {name: column(name, codes) for name, codes in coarse.items()}
    changes = Changes(before=before, after=Table({**before.columns, **after}), kept=np.ones(records, bool))
    started = time.process_time()
    found = Undoing().find(LeakTask(changes=changes, qids=tuple(qids), published=(*qids, *rest)))
    check = time.process_time() - started
    undone = [[*leak.columns, leak.qid] for leak in found if leak.is_undone]
    print(json.dumps({"audit_s": audit, "check_s": check, "undone": undone}))
"""


def test_the_check_beside_an_audit(tmp_path, figures, in_own_process):
    """Both planted columns are found and nothing else; the check takes at most twice as long as the audit."""
    found = in_own_process(CHECK, str(tmp_path / "table.parquet"))
    undone = found.pop("undone")
    ratio = found["check_s"] / found["audit_s"]
    figures(**found, ratio=ratio)
    assert undone == [["copy", "q1"], ["finer", "q2"]]
    assert ratio <= MOST_RATIO
