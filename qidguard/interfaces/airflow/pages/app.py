"""The pages as a web application, for those who may read a DAG."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from airflow.api_fastapi.app import API_ROOT_PATH, get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import AccessView
from airflow.api_fastapi.common.db.common import SessionDep
from airflow.api_fastapi.core_api.security import GetUserDep, requires_access_view
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

from qidguard.core.errors import QidguardError
from qidguard.interfaces.airflow.pages.audit_page import audit_page
from qidguard.interfaces.airflow.pages.ledger_view import LedgerView, ledger_address
from qidguard.interfaces.airflow.pages.next_run import next_runs
from qidguard.interfaces.airflow.pages.overview_page import Wanted, overview_document, overview_page
from qidguard.interfaces.airflow.pages.render import HEADERS, page

may_read = requires_access_view(AccessView.WEBSITE)
"""Asks for a user with a valid token, in a header or a cookie, who may see Airflow's website."""


def readable_dags(user: Any) -> set[str]:
    """Return the ids of the DAGs that a user may read."""
    return set(get_auth_manager().get_authorized_dag_ids(user=user, method="GET"))


def login_address(request: Any) -> str:
    """Return where somebody logs in, and comes back from to what they asked for.

    Example:
        >>> from types import SimpleNamespace
        >>> login_address(SimpleNamespace(url=SimpleNamespace(path="/qidguard/", query="q=ward")))
        '/api/v2/auth/login?next=%2Fqidguard%2F%3Fq%3Dward'
    """
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"{API_ROOT_PATH}api/v2/auth/login?{urlencode({'next': asked})}"


log = logging.getLogger(__name__)

_MOST_IN_JSON = 1000


def pages() -> FastAPI:
    """Return the application that Airflow's server mounts.

    Example:
        >>> sorted(route.path for route in pages().routes)
        ['/', '/api/overview', '/audits/{audit_id}']
    """
    # no documentation pages: they would be open to everybody, and load scripts from the network
    app = FastAPI(
        title="Privacy gate",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(may_read)],
    )
    view = LedgerView()

    def known(user: Any, session: Any) -> Any:
        lines = view.overview(ledger_address(), _now().date())
        names = {dag_id for line in lines for dag_id in line.dag_ids}
        return lines, next_runs(session, names & readable_dags(user))

    @app.get("/")
    def show_overview(
        request: Request, user: GetUserDep, session: SessionDep, wanted: Annotated[Wanted, Query()]
    ) -> Response:
        def answer() -> Response:
            lines, runs = known(user, session)
            return page(request, "overview.html", overview_page(lines, runs, wanted, _now()))

        return _answered(request, answer)

    @app.get("/audits/{audit_id}")
    def show_audit(request: Request, user: GetUserDep, audit_id: str) -> Response:
        def answer() -> Response:
            with view.opened(ledger_address()) as ledger:
                shown = audit_page(ledger, audit_id, readable=lambda: readable_dags(user), now=_now())
            if shown is None:
                return _message(request, HTTPStatus.NOT_FOUND, "The ledger has no audit of this name.")
            return page(request, "audit.html", shown)

        return _answered(request, answer)

    @app.get("/api/overview")
    def give_overview(
        request: Request,
        user: GetUserDep,
        session: SessionDep,
        q: Annotated[str, Query(max_length=200)] = "",
        limit: Annotated[int, Query(ge=1, le=_MOST_IN_JSON)] = 300,
    ) -> Response:
        def answer() -> Response:
            lines, runs = known(user, session)
            chosen = [line for line in lines if q.casefold() in line.data_set.casefold()]
            documents = [overview_document(line, runs) for line in chosen[:limit]]
            return JSONResponse({"total": len(chosen), "data_sets": documents}, headers=HEADERS)

        return _answered(request, answer)

    for known_fault in (HTTPException, HTTPStatus.NOT_FOUND.value, HTTPStatus.METHOD_NOT_ALLOWED.value):
        app.add_exception_handler(known_fault, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    return app


def _now() -> datetime:
    return datetime.now(UTC)


def _answered(request: Request, answer: Callable[[], Response]) -> Response:
    """Return the answer, or a page that says why there is none; the words of a foreign error stay out."""
    try:
        return answer()
    except QidguardError as error:
        return _message(request, HTTPStatus.SERVICE_UNAVAILABLE, str(error))
    except Exception as error:  # noqa: BLE001 - see above
        kind = type(error).__name__
        log.error("A page of the privacy gate failed: internal error (%s)", kind)  # noqa: TRY400 - the same
        return _message(request, HTTPStatus.SERVICE_UNAVAILABLE, f"internal error ({kind})")


def _refused(request: Request, error: Any) -> Response:
    """Lead somebody who is not logged in to the login; to a program say that it is not."""
    status = HTTPStatus(error.status_code)
    if status is HTTPStatus.UNAUTHORIZED and not _is_program(request):
        address = login_address(request)
        return Response(status_code=HTTPStatus.SEE_OTHER.value, headers=HEADERS | {"Location": address})
    return _message(request, status, str(error.detail))


def _misunderstood(request: Request, _: Any) -> Response:
    return _message(
        request, HTTPStatus.UNPROCESSABLE_ENTITY, "The address asks for something that is not there."
    )


def _message(request: Request, status: HTTPStatus, sentence: str) -> Response:
    if _is_program(request):
        return JSONResponse({"detail": sentence}, status_code=status.value, headers=HEADERS)
    return page(request, "message.html", {"status": status, "sentence": sentence}, status)


def _is_program(request: Request) -> bool:
    path = str(request.scope["path"]).removeprefix(str(request.scope.get("root_path", "")))
    return path.startswith("/api/")
