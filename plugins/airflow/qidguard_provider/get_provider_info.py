"""What Airflow's providers manager asks: connection type, links, decorators and notifiers of this package."""

from importlib.metadata import version
from typing import Any

_PACKAGE = "airflow-provider-qidguard"
_HERE = "qidguard_provider"
_INTEGRATION = "qidguard"
_OPERATORS = ("anonymize", "audit", "exception", "reaudit", "release", "verify")


def get_provider_info() -> dict[str, Any]:
    """Return the description of this provider, as Airflow's schema of providers asks for it."""
    return {
        "package-name": _PACKAGE,
        "name": "qidguard",
        "description": "Decides whether a table of personal data may be published, and blocks it.",
        "versions": [version(_PACKAGE)],
        "integrations": [{"integration-name": _INTEGRATION, "tags": ["software"]}],
        "operators": [
            {
                "integration-name": _INTEGRATION,
                "python-modules": [f"{_HERE}.operators.{name}" for name in _OPERATORS],
            }
        ],
        "triggers": [{"integration-name": _INTEGRATION, "python-modules": [f"{_HERE}.triggers.qidguard"]}],
        "hooks": [{"integration-name": _INTEGRATION, "python-modules": [f"{_HERE}.hooks.qidguard"]}],
        "connection-types": [
            {
                "connection-type": "qidguard",
                "hook-class-name": f"{_HERE}.hooks.qidguard.QidguardHook",
                "hook-name": "qidguard",
                "conn-fields": _connection_fields(),
                "ui-field-behaviour": {
                    "hidden-fields": ["host", "schema", "login", "port", "extra"],
                    "relabeling": {"password": "Passphrase of the signing key"},
                    "placeholders": {},
                },
            }
        ],
        "asset-uris": [
            {
                "schemes": ["qidguard"],
                "handler": f"{_HERE}.assets.qidguard.sanitize_uri",
                "factory": f"{_HERE}.assets.qidguard.create_asset",
                "to_openlineage_converter": f"{_HERE}.assets.qidguard.convert_asset_to_openlineage",
            }
        ],
        "extra-links": [f"{_HERE}.links.qidguard.QidguardReportLink"],
        "notifications": [f"{_HERE}.notifications.qidguard.QidguardNotifier"],
        "task-decorators": [
            {"name": f"qidguard_{kind}", "class-name": f"{_HERE}.decorators.qidguard.qidguard_{kind}_task"}
            for kind in ("audit", "release")
        ],
    }


def _connection_fields() -> dict[str, Any]:
    text = {"type": ["string", "null"]}
    hidden = {**text, "format": "password"}
    return {
        "ledger_secret": {
            "label": "Ledger",
            "schema": hidden,
            "description": "postgresql://user@host/database, or the path of a SQLite file.",
        },
        "home": {
            "label": "Home folder",
            "schema": text,
            "description": "Keys and ledger of every worker; leave it out where a history key is given.",
        },
        "signing_key_secret": {
            "label": "Signing key",
            "schema": hidden,
            "description": "The text of a PEM file, or the path of one.",
        },
        "history_key_secret": {
            "label": "History key",
            "schema": hidden,
            "description": "64 hexadecimal digits: the file history.key of a home folder.",
        },
        "anchors": {
            "label": "Folder of anchors",
            "schema": text,
            "description": "Beside a history key: a folder that stays on the worker, to notice a cut ledger.",
        },
    }
