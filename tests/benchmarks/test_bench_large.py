"""Large and wide tables: time against bare DuckDB, and peak memory."""

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]

BARE = """
    import json, statistics, sys, time
    import duckdb
    path, has_load = sys.argv[1], sys.argv[2] == "table"
    times = []
    for _ in range(3):
        connection = duckdb.connect()
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
        names = [row[0] for row in described]
        keys = ", ".join(f'"{name}"' for name in names)
        source = "read_parquet($path)"
        if has_load:
            connection.execute("CREATE TABLE raw AS SELECT * FROM read_parquet($path)", {"path": path})
            source = "raw"
        started = time.process_time()
        sql = f"SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM {source} GROUP BY {keys})"
        found = connection.execute(sql, None if has_load else {"path": path}).fetchall()[0]
        times.append(time.process_time() - started)
        connection.close()
    print(json.dumps({"seconds": statistics.median(times), "classes": found[0], "k": found[1]}))
"""

AUDIT = """
    import json, statistics, sys, time
    import duckdb
    import qidguard
    path = sys.argv[1]
    names = [row[0] for row in duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]
    policy = {
        "qidguard": 1, "name": "bench", "roles": {"quasi_identifiers": names},
        "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
    }
    times = []
    for _ in range(3):
        started = time.process_time()
        with qidguard.audit(path, policy=policy) as audit:
            times.append(time.process_time() - started)
            summary = audit.report.summaries[0]
            found = {"classes": summary.classes, "k": audit.verdict.thresholds[0].measurement.value}
    print(json.dumps({"seconds": statistics.median(times), **found}))
"""

OPENED = """
    import json, statistics, sys, time
    from qidguard.sdk import Grouping
    from qidguard.core.statistic import CLASSES, SMALLEST_CLASS
    from qidguard.engines.base import EngineSettings, Needs, ReadOptions
    from qidguard.engines.duckdb.engine import ENGINE
    path = sys.argv[1]
    names = ENGINE.column_names(path, ReadOptions(), EngineSettings())
    table = ENGINE.open(path, ReadOptions(), Needs(columns=names), EngineSettings())
    times = []
    for _ in range(3):
        started = time.process_time()
        found = table.statistics(Grouping(qids=names), (CLASSES, SMALLEST_CLASS))
        times.append(time.process_time() - started)
    table.close()
    k = found["smallest_class"]
    print(json.dumps({"seconds": statistics.median(times), "classes": found["classes"], "k": k}))
"""

WIDE = """
    import json, sys
    import duckdb, numpy as np, pandas as pd
    import qidguard
    from in_turns import in_turns
    path = sys.argv[1]
    generator = np.random.default_rng(5)
    frame = {f"column_{i}": generator.integers(0, 2 + i % 97, 100_000) for i in range(380)}
    frame |= {f"amount_{i}": generator.normal(size=100_000).round(3) for i in range(15)}
    frame |= {"age": generator.integers(0, 100, 100_000), "sex": generator.integers(0, 2, 100_000)}
    frame |= {"zip": generator.integers(10_000, 99_999, 100_000), "city": generator.integers(0, 400, 100_000)}
    frame |= {"nationality": generator.integers(0, 60, 100_000)}
    pd.DataFrame(frame).to_csv(path, index=False)
    counts = ", ".join(f"count(DISTINCT {name})" for name in frame)
    found = {}

    def audited():
        with qidguard.audit(path) as audit:
            found.update(columns=len(audit.report.columns), qids=len(audit.report.summaries[0].qids))

    counted, seconds = in_turns(
        lambda: duckdb.sql(f"SELECT {counts} FROM '{path}'").fetchall(), audited, repeats=1
    )
    print(json.dumps({"counted_s": counted, "seconds": seconds, "ratio": seconds / counted, **found}))
"""


@pytest.mark.realdata
def test_ten_million_records_against_bare_duckdb(large_parquet, figures, in_own_process):
    """An exact audit of 10M records and 8 QIDs takes at most 1.5 times the bare GROUP BY."""
    path = str(large_parquet)
    scan, table = in_own_process(BARE, path, "scan"), in_own_process(BARE, path, "table")
    audit, opened = in_own_process(AUDIT, path), in_own_process(OPENED, path)
    figures(
        bare_from_parquet_s=scan["seconds"],
        bare_on_table_s=table["seconds"],
        audit_from_parquet_s=audit["seconds"],
        opened_s=opened["seconds"],
        ratio_from_parquet=audit["seconds"] / scan["seconds"],
        ratio_opened=opened["seconds"] / table["seconds"],
        audit_peak_mb=audit["peak_mb"],
        bare_from_parquet_peak_mb=scan["peak_mb"],
        bare_on_table_peak_mb=table["peak_mb"],
    )
    assert (audit["classes"], audit["k"]) == (scan["classes"], scan["k"]) == (opened["classes"], opened["k"])
    assert audit["seconds"] < 3 * scan["seconds"]
    assert opened["seconds"] < 1.5 * table["seconds"]


def test_four_hundred_columns_without_a_policy(tmp_path, figures, in_own_process):
    """400 columns × 100,000 records: at most 8 times of counting distinct values, and 4 GB."""
    found = in_own_process(WIDE, str(tmp_path / "wide.csv"))
    figures(**found)
    assert found["columns"] == 400
    assert found["qids"] >= 4
    assert found["ratio"] <= 8
    assert found["peak_mb"] < 4000
