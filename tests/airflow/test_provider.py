"""What Airflow knows of this package: checked by its own schema, and asked of its own manager."""

import doctest
import json
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import walk_packages

import airflow
import jsonschema
import pytest
from airflow.providers_manager import ProvidersManager
from airflow.sdk.providers_manager_runtime import ProvidersManagerTaskRuntime

import qidguard_provider
from qidguard_provider.get_provider_info import get_provider_info
from qidguard_provider.hooks.qidguard import QidguardHook
from qidguard_provider.operators import __all__ as operators

pytestmark = pytest.mark.airflow

DISTRIBUTION = "airflow-provider-qidguard"


@pytest.fixture(scope="module")
def manager():
    """Return Airflow's manager of providers."""
    return ProvidersManager()


def test_the_description_fits_the_schema_of_airflow():
    """Nothing is missing, and nothing has another type than Airflow asks for."""
    schema = json.loads(Path(airflow.__file__).with_name("provider_info.schema.json").read_text())
    jsonschema.validate(get_provider_info(), schema)


def test_the_description_has_known_fields_alone():
    """A misspelled field would be ignored, so each one stands in the schema."""
    schema = json.loads(Path(airflow.__file__).with_name("provider_info.schema.json").read_text())
    assert set(get_provider_info()) - set(schema["properties"]) == {"versions"}


def test_airflow_finds_the_provider(manager):
    """The entry point is read, under the name of the package."""
    (point,) = [e for e in entry_points(group="apache_airflow_provider") if e.dist.name == DISTRIBUTION]
    assert point.load()() == get_provider_info()
    assert manager.providers[DISTRIBUTION].data["name"] == "qidguard"


def test_airflow_finds_the_connection_type():
    """Its hook can be imported, and knows the argument that names a connection."""
    found = ProvidersManagerTaskRuntime().hooks["qidguard"]
    assert found.hook_class_name == "qidguard_provider.hooks.qidguard.QidguardHook"
    assert found.connection_id_attribute_name == "qidguard_conn_id"
    assert found.connection_testable


def test_airflow_offers_the_fields_of_the_connection(manager):
    """The form has the fields that the hook reads, those with secrets under names that Airflow hides."""
    widgets = manager._connection_form_widgets_from_metadata
    names = {name.removeprefix("extra__qidguard__") for name in widgets if "qidguard" in name}
    assert names == {"ledger_secret", "home", "signing_key_secret", "history_key_secret", "anchors"}
    behavior = manager.field_behaviours["qidguard"]
    assert behavior["relabeling"] == {"password": "Passphrase of the signing key"}


def test_airflow_finds_links_decorators_and_notifiers(manager):
    """Each of them can be imported by the name that is said."""
    assert "qidguard_provider.links.qidguard.QidguardReportLink" in manager.extra_links_class_names
    decorators = ProvidersManagerTaskRuntime().taskflow_decorators
    assert decorators["qidguard_audit"].__name__ == "qidguard_audit_task"
    assert decorators["qidguard_release"].__name__ == "qidguard_release_task"
    assert "qidguard_provider.notifications.qidguard.QidguardNotifier" in [
        getattr(n, "notification_class_name", n) for n in manager.notification
    ]


def test_every_module_that_is_named_is_there():
    """Operators and hooks stand where the description says, and all operators do."""
    said = get_provider_info()
    found = set()
    for part in ("operators", "hooks"):
        for module in said[part][0]["python-modules"]:
            found |= {name for name in vars(import_module(module)) if name.startswith("Qidguard")}
    assert {*operators, "QidguardHook"} <= found
    assert QidguardHook.conn_type == said["connection-types"][0]["connection-type"]


def _modules():
    package = qidguard_provider
    return [package.__name__, *(m.name for m in walk_packages(package.__path__, f"{package.__name__}."))]


@pytest.mark.parametrize("name", _modules())
def test_the_examples_hold(name, monkeypatch, tmp_path):
    """Every example in a docstring gives what stands below it."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path))
    monkeypatch.setenv("AIRFLOW_CONN_GATE", "")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0, f"{failed} of {tried} examples"


def test_there_are_examples():
    """A floor under their number, so that none is lost unseen."""
    finder = doctest.DocTestFinder()
    examples = [test for name in _modules() for test in finder.find(import_module(name)) if test.examples]
    assert len(examples) >= 20
