"""The menu entry "Privacy gate" and the pages behind it, light since every process of Airflow imports it."""

import logging
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import quote

from airflow.plugins_manager import AirflowPlugin

PREFIX = "/qidguard"
"""Where the pages are, below Airflow's own address."""

TITLE = "Privacy gate"

_SHIELD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="{color}"'
    ' stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
    '<path d="M12 2.5 4 5.5v6c0 5 3.4 8.4 8 10 4.6-1.6 8-5 8-10v-6z"/><path d="m8.5 12 2.5 2.5 4.5-5"/></svg>'
)


def icon(color: str) -> str:
    """Return the menu's picture as an address that holds all of it, so that no file need be served.

    Example:
        >>> icon("black").partition(",")[0]
        'data:image/svg+xml'
    """
    return f"data:image/svg+xml,{quote(_SHIELD.format(color=color))}"


class QidguardPlugin(AirflowPlugin):
    """What Airflow adds to its server and its menu."""

    name = "qidguard"
    external_views: ClassVar[list[dict[str, Any]]] = [
        {
            "name": TITLE,
            # without a slash in front it is found below whatever address Airflow is served from
            "href": f"{PREFIX.removeprefix('/')}/",
            "destination": "nav",
            "url_route": "privacy-gate",
            "category": "browse",
            "icon": icon("#52525b"),
            "icon_dark_mode": icon("#a1a1aa"),
        }
    ]

    @cached_property
    def fastapi_apps(self) -> list[dict[str, Any]]:
        """The pages, made when a server of Airflow first asks for them; none where they cannot be made."""
        try:
            from qidguard_provider.plugins.pages.app import pages
        except ImportError as error:  # a page that is missing must not keep Airflow's server from starting
            logging.getLogger(__name__).error(  # noqa: TRY400 - one sentence, no traceback
                "The pages of the privacy gate need %s, which this Airflow does not have; update qidguard.",
                error.name,
            )
            return []
        return [{"app": pages(), "url_prefix": PREFIX, "name": TITLE}]
