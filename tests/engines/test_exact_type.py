"""Which types a CSV's columns have in a published Parquet file: those that give back each text."""

import duckdb
import pyarrow.parquet
import pytest

from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE


def published(folder, texts, records=1):
    """Write a CSV's column to Parquet; return the type that is told, the one in the file, and its texts."""
    source, target = folder / "in.csv", folder / "out.parquet"
    rows = "".join(f'"{text}",x\n' if text else ",x\n" for text in texts * records)
    source.write_text(f"c,other\n{rows}")
    with ENGINE.snapshot(str(source), ReadOptions(), EngineSettings()) as snapshot:
        told = snapshot.write(target, ("c",), "parquet", seed=None)
        digest = snapshot.content_digest(("c",))
    found = duckdb.sql(f"SELECT CAST(c AS VARCHAR), typeof(c) FROM '{target}'").fetchall()
    with ENGINE.snapshot(str(target), ReadOptions(), EngineSettings()) as again:
        assert again.content_digest(("c",)) == digest
    assert [text or "" for text, _ in found] == texts * records
    assert pyarrow.parquet.read_table(target).num_rows == len(found)
    assert told == {"c": found[0][1]}
    return told["c"]


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-20", "", "0"], "BIGINT"),
        (["9223372036854775807"], "BIGINT"),
        (["9223372036854775808"], "VARCHAR"),
        (["1.5", "2.0", ""], "DOUBLE"),
        (["0.1", "1e+30"], "DOUBLE"),
        (["2021-03-04", "0999-01-01", ""], "DATE"),
        (["2021-03-04 10:15:00"], "TIMESTAMP"),
        (["true", "false", ""], "BOOLEAN"),
        (["True", "False"], "VARCHAR"),
        (["01", "2"], "VARCHAR"),
        (["+1"], "VARCHAR"),
        (["1.50", "2.25"], "VARCHAR"),
        (["1.5", "2"], "VARCHAR"),
        (["1", "*"], "VARCHAR"),
        (["[1, 2]", "3"], "VARCHAR"),
        (["nan", "1.5"], "VARCHAR"),
        (["inf"], "VARCHAR"),
        (["infinity", "2021-03-04"], "VARCHAR"),
        (["4.3.2021"], "VARCHAR"),
        (["", ""], "VARCHAR"),
    ],
)
def test_a_column_has_a_type_if_all_of_its_texts_come_back(tmp_path, texts, kind):
    """A code with a zero in front, a decimal too many, a mark or an interval leave it text."""
    assert published(tmp_path, texts) == kind


def test_one_text_among_many_decides(tmp_path):
    """The first records are no more than a guess."""
    assert published(tmp_path, [*["7"] * 1_500, "007"]) == "VARCHAR"
    (tmp_path / "out.parquet").unlink()
    assert published(tmp_path, [*[""] * 1_500, "7"]) == "BIGINT"


def test_a_csv_holds_texts_and_a_typed_source_keeps_its_types(tmp_path):
    """What is told is what the file holds."""
    duckdb.sql(f"COPY (SELECT 1::SMALLINT AS n, '1' AS t) TO '{tmp_path / 'in.parquet'}'")
    with ENGINE.snapshot(str(tmp_path / "in.parquet"), ReadOptions(), EngineSettings()) as snapshot:
        told = {
            kind: snapshot.write(tmp_path / f"out.{kind}", ("t", "n"), kind, seed=None)
            for kind in ("csv", "parquet")
        }
    assert told == {"csv": {"t": "VARCHAR", "n": "VARCHAR"}, "parquet": {"t": "VARCHAR", "n": "SMALLINT"}}
