"""Files of a data source are judged as the file is, not as another reader makes it."""

import pandas as pd
import pytest

import qidguard
from qidguard.core.errors import DataError
from qidguard.engines.base import ReadOptions
from qidguard_expectations import ExpectTableKAnonymityToBeAtLeast
from qidguard_expectations.batches.pandas_files import file_of

pytestmark = pytest.mark.gx


@pytest.mark.parametrize(
    ("method", "given", "read"),
    [
        ("csv", {}, ReadOptions(format="csv")),
        ("read_csv", {"sep": ";", "encoding": "latin-1"}, {"delimiter": ";", "encoding": "latin-1"}),
        ("read_csv", {"sep": r"\s+", "header": 0}, {"delimiter": "whitespace", "has_header": True}),
        (
            "read_csv",
            {"names": ["a"], "skiprows": 2},
            {"columns": ("a",), "has_header": False, "skip_lines": 2},
        ),
        ("read_csv", {"dtype": {"a": "str"}, "na_values": ["?"], "decimal": ","}, {}),
        ("read_table", {}, {"delimiter": "\t"}),
        ("read_parquet", {"engine": "pyarrow"}, ReadOptions(format="parquet")),
        ("read_parquet", {"columns": ["a"]}, None),
        ("read_sql", {}, None),
        ("read_csv", {"usecols": ["a"], "dtype": {"a": "str"}, "keep_default_na": False}, None),
        ("read_excel", {"dtype": {"a": "str"}, "keep_default_na": False}, None),
        ("read_json", {"dtype": False, "convert_dates": False}, None),
    ],
)
def test_a_file_is_read_as_the_data_source_says(method, given, read):
    """Its options are followed; a frame that keeps every text, or has types of its own, is as good."""
    found = file_of({"path": "t.csv", "reader_method": method, "reader_options": given}, ("a",))
    if read is None:
        assert found is None
        return
    expected = read if isinstance(read, ReadOptions) else ReadOptions(format="csv", **read)
    assert found == ("t.csv", expected)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("read_csv", {"nrows": 5}),
        ("read_csv", {"on_bad_lines": "skip"}),
        ("read_csv", {"usecols": ["a"]}),
        ("read_csv", {"header": None}),
        ("read_csv", {"skiprows": [1]}),
        ("read_csv", {"dtype": {"a": "str"}, "keep_default_na": False, "sep": "||", "names": ["a", "b"]}),
        ("read_json", {}),
        ("read_excel", {"dtype": {"a": "int"}}),
    ],
)
def test_what_cannot_be_followed_is_not_measurable(method, given):
    """Other records, or values that pandas found out: no figure of them is one of the file."""
    with pytest.raises(DataError, match="may make one value of several"):
        file_of({"path": "t.csv", "reader_method": method, "reader_options": given}, ("a", "b"))


FILES = {
    "zip codes": "q,s\n01067,flu\n1067,ra\n02000,flu\n2000,ra\n",
    "words": "q,s\nNA,flu\nNone,ra\nDE,flu\nDE,ra\n",
    "truths": "q,s\nTrue,x\ntrue,y\n1,x\n1,y\n",
    "floats": "q,s\n1,x\n1.0,y\n2,x\n2,y\n",
    "long numbers": "q,s\n12345678901234567,x\n12345678901234568,y\n1.5,x\n1.5,y\n",
    "sums": "q,s\n5,x\n5,y\n6,x\n6,y\n",
}


@pytest.mark.parametrize("name", FILES)
def test_the_verdict_is_that_of_an_audit(tmp_path, name):
    """Whatever pandas makes of the texts."""
    import great_expectations as gx

    (tmp_path / "t.csv").write_text(FILES[name])
    context = gx.get_context(mode="ephemeral")
    folder = context.data_sources.add_pandas_filesystem("f", base_directory=tmp_path)
    batch = folder.add_csv_asset("a").add_batch_definition_path("b", "t.csv").get_batch()
    result = batch.validate(ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["q"], at_least=2))
    k = qidguard.measure(str(tmp_path / "t.csv"), "k_anonymity", qids=["q"]).value
    assert result.result["observed_value"] == k
    assert k == (2 if name == "sums" else 1)


@pytest.mark.parametrize(("is_skipped", "k"), [(False, None), (True, 2)])
def test_a_record_without_a_value_is_looked_for_in_the_whole_batch(is_skipped, k):
    """Where only some columns are read, one without a value in these may have one in the others."""
    import great_expectations as gx

    frame = pd.DataFrame({"q": ["a", "a", None, None, None], "s": ["x", "y", "x", "y", None]})
    source = gx.get_context(mode="ephemeral").data_sources.add_pandas("p").add_dataframe_asset("a")
    batch = source.add_batch_definition_whole_dataframe("b").get_batch({"dataframe": frame})
    expectation = ExpectTableKAnonymityToBeAtLeast(
        quasi_identifiers=["q"], at_least=2, source={"skip_empty_records": is_skipped}
    )
    result = batch.validate(expectation)
    assert result.success == is_skipped
    assert result.result.get("observed_value") == k
