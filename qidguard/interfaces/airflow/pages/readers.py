"""Who may see the pages: whoever may see Airflow's website, and of DAGs only those that they may read."""

from typing import Any
from urllib.parse import urlencode

from airflow.api_fastapi.app import API_ROOT_PATH, get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import AccessView
from airflow.api_fastapi.core_api.security import requires_access_view

may_read = requires_access_view(AccessView.WEBSITE)
"""Asks for a user with a valid token, in a header or a cookie, who may see Airflow's website."""


def readable_dags(user: Any) -> set[str]:
    """Return the ids of the DAGs that a user may read.

    Args:
        user: As Airflow's auth manager knows them.

    Returns:
        The ids.

    Units:
        None.

    Raises:
        RuntimeError: When Airflow's server has no auth manager yet.

    Example:
        >>> import inspect
        >>> list(inspect.signature(readable_dags).parameters)
        ['user']
    """
    return set(get_auth_manager().get_authorized_dag_ids(user=user, method="GET"))


def login_address(request: Any) -> str:
    """Return where somebody logs in, and comes back from to what they asked for.

    Args:
        request: What they asked for.

    Returns:
        A path of this server.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> from types import SimpleNamespace
        >>> login_address(SimpleNamespace(url=SimpleNamespace(path="/qidguard/", query="q=ward")))
        '/api/v2/auth/login?next=%2Fqidguard%2F%3Fq%3Dward'
    """
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"{API_ROOT_PATH}api/v2/auth/login?{urlencode({'next': asked})}"
