"""The pages as a web application, for those who may read a DAG."""

import logging
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import urlencode

from airflow.api_fastapi.app import API_ROOT_PATH, get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import AccessView
from airflow.api_fastapi.common.db.common import SessionDep
from airflow.api_fastapi.core_api.security import GetUserDep, requires_access_view
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.templating import Jinja2Templates
from pydantic import BaseModel, ConfigDict, Field

from qidguard import QidguardError
from qidguard.sdk import LONGEST_TREND, LedgerView, RunStatus, shown_name, visible
from qidguard_provider.plugins.pages.audit_page import audit_page
from qidguard_provider.plugins.pages.drawing import Trend, apart, look, moment, tightest_words, trend

if TYPE_CHECKING:
    from qidguard.sdk import DataSetOverview


@dataclass(frozen=True, kw_only=True)
class NextRun:
    """When a DAG runs next.

    Args:
        dag_id: The DAG.
        at: The moment, UTC; None where no clock starts it.
        words: What starts it where no clock does: ``on data``, ``on demand`` or ``paused``.
    """

    dag_id: str
    at: datetime | None
    words: str


def next_runs(session: Any, dag_ids: Collection[str]) -> dict[str, NextRun]:
    """Return when DAGs run next."""
    if not dag_ids:
        return {}
    from airflow.models.dag import DagModel

    rows = session.query(
        DagModel.dag_id,
        DagModel.is_paused,
        DagModel.next_dagrun_create_after,
        DagModel.asset_expression,
    ).filter(DagModel.dag_id.in_(sorted(dag_ids)), DagModel.is_stale.is_(False))
    return {row.dag_id: _next_run(row) for row in rows}


def _next_run(row: Any) -> NextRun:
    at = None if row.is_paused else row.next_dagrun_create_after
    words = "paused" if row.is_paused else "on data" if row.asset_expression else "on demand"
    return NextRun(dag_id=row.dag_id, at=at, words="" if at is not None else words)


def soonest(dag_ids: Iterable[str], runs: Mapping[str, NextRun]) -> NextRun | None:
    """Return which of several DAGs runs first: by the clock, else on data, else on demand, else paused."""
    known = [runs[dag_id] for dag_id in dag_ids if dag_id in runs]
    timed = [(run.at, place) for place, run in enumerate(known) if run.at is not None]
    if timed:
        return known[min(timed)[1]]
    return min(known, key=lambda run: ("on data", "on demand", "paused").index(run.words), default=None)


_FOLDER: Final = Path(__file__).parent / "templates"
_CSS: Final = (_FOLDER / "page.css").read_text(encoding="utf-8")
_SCRIPT: Final = (_FOLDER / "page.js").read_text(encoding="utf-8")


def _allowed(text: str) -> str:
    """Return how a policy names one inline text, to the letter."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


HEADERS: Final = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src {_allowed(_CSS)}; script-src {_allowed(_SCRIPT)}; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Only the page's own style and its few lines of script; only Airflow may hold it in a frame."""


@cache
def _templates() -> Any:
    templates = Jinja2Templates(directory=_FOLDER)  # it escapes whatever stands in a file called .html
    templates.env.filters |= {"visible": visible, "column": shown_name, "moment": moment}
    templates.env.globals |= {"css": _CSS, "script": _SCRIPT, "apart": apart}
    templates.env.trim_blocks = templates.env.lstrip_blocks = True
    return templates


def page(
    request: Any, template: str, names: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK
) -> HTMLResponse:
    """Return a page.

    Example:
        >>> page(None, "message.html", {"status": HTTPStatus.NOT_FOUND, "sentence": "<b>"}).status_code
        200
    """
    text = _templates().get_template(template).render(request=request, **names)
    return HTMLResponse(text, status_code=status.value, headers=HEADERS)


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
        request: Request, user: GetUserDep, session: SessionDep, wanted: Annotated[WantedPart, Query()]
    ) -> Response:
        def answer() -> Response:
            lines, runs = known(user, session)
            return page(request, "overview.html", overview_page(lines, runs, wanted, _now()))

        return _answered(request, answer)

    @app.get("/audits/{audit_id}")
    def show_audit(request: Request, user: GetUserDep, audit_id: str) -> Response:
        def answer() -> Response:
            now = _now()
            audit = view.audit(ledger_address(), audit_id, now.date())
            if audit is None:
                return _message(request, HTTPStatus.NOT_FOUND, "The ledger has no audit of this name.")
            shown = audit_page(audit, readable=lambda: readable_dags(user), now=now)
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


def ledger_address() -> str:
    """Return where the ledger is: as the default connection says, else as the environment does."""
    from qidguard_provider.hooks.qidguard import QidguardHook

    return QidguardHook().access().ledger_address()


ON_A_PAGE: Final = 50


class WantedPart(BaseModel):
    """Which part of the list was asked for.

    Args:
        q: A part of the data set's name; upper and lower case are the same.
        show: All, or those whose last verdict is not good.
        page: Which page, 1 is the first.
    """

    model_config = ConfigDict(extra="ignore")

    q: str = Field(default="", max_length=200)
    show: Literal["all", "attention"] = "all"
    page: int = Field(default=1, ge=1, le=1_000_000)


@dataclass(frozen=True, kw_only=True)
class DataSetRow:
    """One data set of the list."""

    line: "DataSetOverview"
    look: str
    trend: Trend
    tightest: str
    next_run: NextRun | None


def overview_page(
    lines: "Sequence[DataSetOverview]", runs: Mapping[str, NextRun], wanted: WantedPart, now: datetime
) -> dict[str, Any]:
    """Return what the template of the list is given: those that need attention first, then by name.

    Example:
        >>> overview_page([], {}, WantedPart(), datetime.now())["total"]
        0
    """
    matching = [line for line in lines if wanted.q.strip().casefold() in line.data_set.casefold()]
    bad = [line for line in matching if not line.last.status.is_good]
    shown = bad if wanted.show == "attention" else [*bad, *(f for f in matching if f.last.status.is_good)]
    pages = max(1, -(-len(shown) // ON_A_PAGE))
    number = min(wanted.page, pages)
    return {
        "rows": [_row(line, runs) for line in shown[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]],
        "is_empty": not lines,
        "total": len(matching),
        "attention": len(bad),
        "shown": len(shown),
        "counts": _counts(matching),
        "wanted": wanted,
        "number": number,
        "pages": pages,
        "now": now,
    }


def overview_document(line: "DataSetOverview", runs: Mapping[str, NextRun]) -> dict[str, Any]:
    """Return one data set as plain values that JSON knows."""
    fields: dict[str, Any] = jsonable_encoder(line)
    for judgment in fields["trend"]:
        if judgment["dag_id"] not in runs:
            judgment["dag_id"] = None
    fields["next_runs"] = [jsonable_encoder(runs[dag_id]) for dag_id in line.dag_ids if dag_id in runs]
    return fields


def _row(line: "DataSetOverview", runs: Mapping[str, NextRun]) -> DataSetRow:
    return DataSetRow(
        line=line,
        look=look(line.last.status),
        trend=trend(line.trend, LONGEST_TREND),
        tightest=tightest_words(line.last),
        next_run=soonest(line.dag_ids, runs),
    )


def _counts(lines: "Sequence[DataSetOverview]") -> list[tuple[RunStatus, int, str]]:
    statuses = [line.last.status for line in lines]
    return [(s, number, look(s)) for s in RunStatus if (number := statuses.count(s))]
