"""What Airflow's providers manager asks: the connection type, links, decorators and notifiers of this package."""

from importlib.metadata import version
from typing import Any


def get_provider_info() -> dict[str, Any]:
    """Return the description of this provider, as Airflow's schema of providers asks for it."""
    return {
        "package-name": "qidguard",
        "name": "qidguard",
        "description": "Decides whether a table of personal data may be published, and blocks it.",
        "versions": [version("qidguard")],
    }
