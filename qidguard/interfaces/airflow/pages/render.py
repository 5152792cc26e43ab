"""Templates and headers: what comes from outside is escaped, and nothing comes from another place."""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from qidguard.interfaces.airflow.pages.words import apart, moment
from qidguard.rendering.printable import shown_name, visible

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
