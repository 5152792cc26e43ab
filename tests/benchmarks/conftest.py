"""Tools of the benchmarks: processes of their own, peak memory and a place for the figures."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SUPPORT = Path(__file__).resolve().parents[1] / "support"
"""Modules that the code of a process may import; a peer's package has none of them."""


def _in_own_process(
    code: str, *arguments: str, python: tuple[str, ...] = (sys.executable,)
) -> dict[str, Any]:
    """Run code that prints one JSON object last, and return it with the process's peak memory in MB."""
    # VmHWM and not ru_maxrss, which a process inherits from the one that started it
    tail = (
        "\nprint(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
    )
    done = subprocess.run(
        [*python, "-c", textwrap.dedent(code) + tail, *arguments],
        env=os.environ | ({"PYTHONPATH": str(SUPPORT)} if python == (sys.executable,) else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    *lines, peak = done.stdout.strip().splitlines()
    # DuckDB's own progress bar may stand before it
    result = next(line[line.index("{") :] for line in reversed(lines) if "{" in line)
    return {**json.loads(result), "peak_mb": int(peak) // 1024}


@pytest.fixture
def in_own_process() -> Callable[..., dict[str, Any]]:
    """Return a function that runs code in a process of its own and gives its result and peak memory."""
    return _in_own_process


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that prints the figures of a benchmark."""

    def show(**values: object) -> None:
        cells = ", ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items())
        sys.stdout.write(f"\nFIGURES {request.node.name}: {cells}\n")

    return show


@pytest.fixture(scope="session")
def large_parquet(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a seeded Parquet file of 10M records: Adult re-sampled, each value redrawn with p = 0.1."""
    import numpy as np
    import pandas as pd

    path = tmp_path_factory.mktemp("large") / "large.parquet"
    adult = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";").iloc[:, :8]
    generator = np.random.default_rng(20261113)
    records = 10_000_000
    rows = generator.integers(0, len(adult), records)
    columns = {}
    for name in adult:
        codes, values = pd.factorize(adult[name])
        taken = codes[rows]
        redrawn = generator.random(records) < 0.1
        taken[redrawn] = generator.choice(codes, int(redrawn.sum()))
        columns[name] = pd.Categorical.from_codes(taken, values)
    frame = pd.DataFrame(columns)
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain = pa.table({name: pa.array(frame[name]).cast(_plain(frame[name])) for name in frame})
    pq.write_table(plain, path)
    return path


def _plain(column: Any) -> Any:
    import pyarrow as pa

    return pa.int64() if column.cat.categories.dtype.kind == "i" else pa.string()
