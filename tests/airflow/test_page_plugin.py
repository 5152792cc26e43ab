"""The plugin itself, and the examples of every module behind it."""

import doctest
import subprocess
import sys
from importlib import import_module

import pytest
from airflow.api_fastapi.core_api.datamodels.plugins import ExternalViewResponse
from airflow.plugins_manager import is_valid_plugin

from qidguard.interfaces.airflow.plugin import QidguardPlugin

pytestmark = pytest.mark.airflow

MODULES = (
    "plugin",
    *(f"pages.{name}" for name in ("app", "audit_page", "drawing", "ledger_view", "next_run")),
)
MODULES += tuple(f"pages.{name}" for name in ("overview_page", "readers", "render", "words"))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name):
    """Every example in the documentation of these modules gives what it says."""
    found = doctest.testmod(import_module(f"qidguard.interfaces.airflow.{name}"))
    assert (found.failed, found.attempted > 0) == (0, True)


def test_the_plugin_is_one_that_airflow_takes():
    """A menu entry below "Browse" that opens the pages inside Airflow's own, and the pages themselves."""
    assert is_valid_plugin(QidguardPlugin)
    (view,) = [ExternalViewResponse(**view) for view in QidguardPlugin.external_views]
    assert (view.name, view.href, view.url_route, view.category, view.destination) == (
        "Privacy gate",
        "qidguard/",
        "privacy-gate",
        "browse",
        "nav",
    )
    plugin = QidguardPlugin()
    (mounted,) = plugin.fastapi_apps
    assert (mounted["url_prefix"], mounted["name"]) == ("/qidguard", "Privacy gate")
    assert plugin.fastapi_apps[0]["app"] is mounted["app"]


def test_pages_that_cannot_be_made_do_not_stop_the_server(monkeypatch, caplog):
    """An Airflow in which something moved still starts, without the pages, and says so."""
    monkeypatch.setitem(sys.modules, "qidguard.interfaces.airflow.pages.app", None)
    assert QidguardPlugin().fastapi_apps == []
    assert "The pages of the privacy gate need" in caplog.text


def test_the_plugin_is_light():
    """Every process of Airflow imports it: no table library, no database of ours, no web framework."""
    code = (
        "import sys, airflow.settings; before = set(sys.modules); import qidguard.interfaces.airflow.plugin;"
        "print(*sorted(m for m in set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    added = {name.split(".")[0] for name in done.stdout.split()}
    assert added <= {"airflow", "qidguard"}
    assert not [n for n in done.stdout.split() if n.startswith(("qidguard.ledger", "qidguard.releasing"))]
