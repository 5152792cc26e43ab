"""A table larger than the memory limit spills to disk and gives the figures of an unlimited run."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import duckdb
import pytest

PERSONS = 4_000_000
RECORDS = 3 * PERSONS
CLASSES = 40_000
"""Classes of equal size: 2,000 postcodes by 20 ages."""

BYTES = RECORDS * (8 + 8 + 2 * (16 + 17))
"""Size in memory: two integers and two texts of 17 letters a record, each behind 16 bytes; 984 MB."""

TABLE = f"""COPY (
    SELECT i // 3 AS id, (i // 3) // 2000 % 20 AS age,
        printf('postcode-%08d', (i // 3) % 2000) AS postcode, printf('ward-no.-%08d', i % 7) AS ward
    FROM range({RECORDS}) AS t(i)
) TO 'big.parquet' (FORMAT parquet)"""

POLICY = """qidguard: 1
name: big
spill_directory: spill
roles:
  quasi_identifiers: [age, postcode]
  sensitive: [ward]
  entity: id
thresholds:
  - {metric: k_anonymity, at_least: 100}
  - {metric: distinct_l_diversity, at_least: 7}
  - {metric: prosecutor_risk_average, at_most: 0.01}
"""


@contextmanager
def watched(folder: Path) -> Iterator[list[int]]:
    """Give the largest number of bytes that were seen in a folder."""
    largest, is_over = [0], Event()

    def look() -> None:
        while not is_over.wait(0.1):
            try:
                size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            except FileNotFoundError:  # a spilled file went away while it was looked at
                continue
            largest[0] = max(largest[0], size)

    thread = Thread(target=look)
    thread.start()
    try:
        yield largest
    finally:
        is_over.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_table_of_five_times_the_memory_limit_spills_and_gives_the_same_figures(run):
    """Of 4,000,000 entities each class holds 100 with all 7 wards; the limit changes no figure."""
    assert BYTES > 4 * 200_000_000
    duckdb.connect().execute(TABLE).close()
    Path("spill").mkdir()
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    reports = []
    for limit in ("200MB", "4GB"):
        with watched(Path("spill")) as largest:
            code, out, err = run(
                "audit", "big.parquet", "-p", "policy.yaml", "--memory-limit", limit, "--format", "json"
            )
        assert (code, err) == (0, "")
        reports.append({**json.loads(out), "seconds": 0})
        if limit == "200MB":
            assert largest[0] > 100_000_000
        assert list(Path("spill").iterdir()) == []
    assert [t["value"] for t in reports[0]["thresholds"]] == [100, 7, pytest.approx(0.01)]
    assert reports[0] == reports[1]
