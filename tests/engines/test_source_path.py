"""Tests of paths that name no readable file."""

import os

import pytest


def test_a_missing_file_names_one_like_it(tmp_path, refuse):
    """A slip of the pen is met with the name that was meant."""
    (tmp_path / "patients.csv").write_text("a,b\n1,2\n")
    assert "its folder holds 'patients.csv'." in refuse(tmp_path / "patient.csv")
    assert "check the path" in refuse(tmp_path / "zzz.csv")
    assert "does not exist" in refuse(tmp_path / "nowhere" / "x.csv")
    assert "does not exist" in refuse(tmp_path / "patients.csv" / "x.csv")
    assert "does not exist" in refuse(tmp_path / ("x" * 300))


@pytest.mark.parametrize("path", ["", "a\0b.csv"])
def test_a_text_that_is_no_path(refuse, path):
    """The empty text and a NUL name nothing."""
    assert "path" in refuse(path)


def test_a_folder_is_no_csv(tmp_path, refuse):
    """A folder without Parquet files is not searched for others."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert "folder" in refuse(tmp_path)


def test_a_pipe_is_no_file(tmp_path, refuse):
    """What can be read only once, or never ends, is not opened."""
    os.mkfifo(tmp_path / "pipe.csv")
    assert "neither a file nor a folder" in refuse(tmp_path / "pipe.csv")


def test_a_broken_link_does_not_exist(tmp_path, refuse):
    """A link to nothing is nothing."""
    (tmp_path / "x.csv").symlink_to(tmp_path / "nothing.csv")
    assert "does not exist" in refuse(tmp_path / "x.csv")


@pytest.mark.parametrize("name", ["x.json", "x.xlsx", "x.jsonl.gz"])
def test_a_format_that_is_not_read(tmp_path, refuse, name):
    """A known other format is refused by its name, unless the format is declared."""
    (tmp_path / name).write_text("a,b\n1,2\n")
    assert "`format:`" in refuse(tmp_path / name)


def test_a_declared_format_is_believed(tmp_path, read, refuse):
    """The name does not matter then; an unknown format is a mistake."""
    (tmp_path / "x.parquet").write_text("a,b\n1,2\n")
    assert read(tmp_path / "x.parquet", format="csv").rows == [("1", "2")]
    assert "'x.parquet'" in refuse(tmp_path / "x.parquet")
    assert "not 'xml'" in refuse(tmp_path / "x.parquet", format="xml")
