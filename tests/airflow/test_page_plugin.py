"""The plugin itself: what Airflow takes of it, and what it shows."""

import subprocess
import sys

import pytest
from airflow.api_fastapi.core_api.datamodels.plugins import ExternalViewResponse
from airflow.plugins_manager import is_valid_plugin

from qidguard_provider.plugins.qidguard import QidguardPlugin

pytestmark = pytest.mark.airflow


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
    monkeypatch.setitem(sys.modules, "qidguard_provider.plugins.pages.app", None)
    assert QidguardPlugin().fastapi_apps == []
    assert "The pages of the privacy gate need" in caplog.text


def test_the_plugin_is_light():
    """Every process of Airflow imports it: no table library, no database of ours, no web framework."""
    code = (
        "import sys, airflow.settings; before = set(sys.modules); import qidguard_provider.plugins.qidguard;"
        "print(*sorted(m for m in set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    added = {name.split(".")[0] for name in done.stdout.split()}
    assert added <= {"airflow", "qidguard_provider"}
    assert not [n for n in done.stdout.split() if n.startswith(("qidguard.ledger", "qidguard.releasing"))]
