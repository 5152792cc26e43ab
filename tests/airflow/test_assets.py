"""The Asset of a data set: one spelling, which Airflow itself checks."""

import pytest
from airflow.sdk import Asset
from airflow.sdk.providers_manager_runtime import ProvidersManagerTaskRuntime

from qidguard.core.errors import UserError
from qidguard_provider.assets.qidguard import convert_asset_to_openlineage, create_asset, data_set_asset

pytestmark = pytest.mark.airflow


def test_a_written_uri_is_that_of_the_function():
    """Whoever writes the URI by hand means the same Asset."""
    assert Asset(name="ward/published", uri="qidguard://ward/published/") == data_set_asset("ward")
    assert create_asset(data_set="ward", extra={"a": 1}).uri == data_set_asset("ward").uri


@pytest.mark.parametrize(
    "uri", ["qidguard://ward", "qidguard:///published", "qidguard://ward/gone", "qidguard://w/published?x=1"]
)
def test_airflow_refuses_another_uri(uri):
    """A misspelled Asset would never be updated, and its consumers never run."""
    with pytest.raises(ValueError, match=r"must read qidguard://DATA_SET/published|has no query"):
        Asset(name="ward", uri=uri)


@pytest.mark.parametrize(("data_set", "stage"), [(" ", "published"), ("ward", "gone")])
def test_no_name_and_no_other_stage(data_set, stage):
    """The sentence says what to write."""
    with pytest.raises(UserError, match="write one"):
        data_set_asset(data_set, stage)


def test_airflow_knows_the_scheme():
    """The provider's description names functions that exist."""
    found = ProvidersManagerTaskRuntime()
    assert found.asset_factories["qidguard"](data_set="ward").name == "ward/published"


def test_openlineage_hears_of_data_set_and_stage():
    """An Asset is a dataset called by its stage in the namespace of its data set."""
    told = convert_asset_to_openlineage(data_set_asset("ward visits"), None)
    assert (told.namespace, told.name) == ("qidguard://ward visits", "published")
