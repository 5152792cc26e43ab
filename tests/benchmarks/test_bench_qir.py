"""Algorithm 1 on 10M records of 15 columns, beside exact ``count(DISTINCT)`` of the same columns."""

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]

RECORDS = 10_000_000

BOTH = """
    import json, statistics, sys, time
    import duckdb
    from qidguard_qir.classification import classify
    from qidguard_qir.risk import attribute_risks
    path = sys.argv[1]

    def counted():
        connection = duckdb.connect()
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
        names = [row[0] for row in described]
        counts = ", ".join(f'count(DISTINCT "{name}")' for name in names)
        found = connection.execute(f"SELECT {counts} FROM read_parquet(?)", [path]).fetchall()[0]
        connection.close()
        return list(found)

    def risks():
        return [one.classes for one in attribute_risks(path)]

    def classified():
        return [one.risk.classes for one in classify(path, alpha=0.2, beta=0.01).attributes]

    times = {"counted": [], "risks": [], "classified": []}
    for _ in range(3):
        found = []
        for work in (counted, risks, classified):
            wall, processor = time.perf_counter(), time.process_time()
            found.append(work())
            spent = time.perf_counter() - wall, time.process_time() - processor
            times[work.__name__].append(spent)
        assert found[0] == found[1] == found[2], found
    print(json.dumps({
        f"{name}_{what}": statistics.median(spent[at] for spent in of)
        for name, of in times.items() for at, what in enumerate(("wall", "processor"))
    }))
"""


@pytest.fixture(scope="module")
def wide_parquet(tmp_path_factory):
    """Return a seeded Parquet file: ten columns of few values, a key, and four in between."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(20261123)
    columns = {}
    for place, many in enumerate((2, 5, 7, 9, 16, 42, 74, 90, 99, 119)):
        codes = rng.integers(0, many, RECORDS).astype(np.int32)
        texts = pa.DictionaryArray.from_arrays(codes, [f"value {value}" for value in range(many)])
        columns[f"few_{place}"] = texts.cast(pa.string()) if place % 2 else pa.array(codes.astype(np.int64))
    columns["postcode"] = pa.array(rng.integers(1_000, 99_999, RECORDS))
    columns["amount"] = pa.array(rng.lognormal(8, 1, RECORDS).round(0))
    columns["day"] = pa.array(rng.integers(0, 30_000, RECORDS).astype(np.int32)).cast(pa.date32())
    towns = pa.DictionaryArray.from_arrays(
        rng.integers(0, 5_000, RECORDS).astype(np.int32), [f"town {value}" for value in range(5_000)]
    )
    columns["town"] = towns.cast(pa.string())
    columns["number"] = pa.array(rng.permutation(RECORDS))
    path = tmp_path_factory.mktemp("qir") / "wide.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_every_risk_costs_little_more_than_counting_distinct_values(wide_parquet, in_own_process, figures):
    """Within 1.5 times of one exact count, reading included on both sides; classes and effects too."""
    found = in_own_process(BOTH, str(wide_parquet))
    ratio = found["risks_processor"] / found["counted_processor"]
    whole = found["classified_processor"] / found["counted_processor"]
    figures(
        **found, ratio=ratio, ratio_of_the_whole=whole, by_wall=found["risks_wall"] / found["counted_wall"]
    )
    assert ratio <= 1.5
    assert whole <= 1.5
