"""What tests ask an Airflow server by REST."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

USERS = {"officer": "op", "clerk": "op", "guest": "viewer", "admin": "admin"}
"""Who may log in, and as what."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a server answered.

    Args:
        status: The HTTP status.
        body: The body, as text.
    """

    status: int
    body: str

    @property
    def document(self) -> Any:
        """The body, which must be JSON."""
        return json.loads(self.body)


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow nothing: a redirect to the login page is an answer of its own."""


class AirflowApi:
    """The door of an Airflow whose users share a password.

    Args:
        url: Where it listens.
        password: The password of every one of ``USERS``.
    """

    def __init__(self, url: str, password: str) -> None:
        self.url = url
        self._password = password
        self._tokens: dict[str, str] = {}
        self._opener = build_opener(ProxyHandler({}), _NoRedirect())

    def ask(self, method: str, path: str, body: Any = None, *, user: str | None = "admin") -> Answer:
        """Ask the server, as a user or as nobody, and return its answer whatever the status."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if user is not None:
            headers["Authorization"] = f"Bearer {self.token(user)}"
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.url + path, data=data, headers=headers, method=method)  # noqa: S310 - our own server
        try:
            with self._opener.open(request, timeout=60) as answer:
                return Answer(status=answer.status, body=answer.read().decode())
        except HTTPError as error:
            with error:
                return Answer(status=error.code, body=error.read().decode())

    def token(self, user: str) -> str:
        """Return the token of a user, who is logged in when first asked for."""
        if user not in self._tokens:
            login = {"username": user, "password": self._password}
            self._tokens[user] = self._done("POST", "/auth/token", login, user=None)["access_token"]
        return self._tokens[user]

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the API and return its document; any failure of it fails the test."""
        return self._done(method, "/api/v2" + path, body)

    def trigger(self, dag_id: str, conf: Mapping[str, Any] | None = None) -> str:
        """Trigger a DAG and return the id of its run."""
        body = {"conf": dict(conf or {}), "logical_date": None}
        return str(self.api("POST", f"/dags/{dag_id}/dagRuns", body)["dag_run_id"])

    def runs(self, dag_id: str) -> list[str]:
        """Return the ids of a DAG's runs, oldest first."""
        found = self.api("GET", f"/dags/{dag_id}/dagRuns?order_by=run_after&limit=100")["dag_runs"]
        return [run["dag_run_id"] for run in found]

    def state(self, dag_id: str, run_id: str) -> str:
        """Return the state of a run."""
        return str(self.api("GET", run_path(dag_id, run_id))["state"])

    def tasks(self, dag_id: str, run_id: str) -> dict[str, str | None]:
        """Return the state of each task of a run; a mapped task is named with its index."""
        found = self.api("GET", run_path(dag_id, run_id) + "/taskInstances?limit=100")["task_instances"]
        return {
            t["task_id"] + (f"[{t['map_index']}]" if t["map_index"] >= 0 else ""): t["state"] for t in found
        }

    def task(self, dag_id: str, run_id: str, task_id: str) -> Any:
        """Return all that is known of one task, such as its ``try_number``."""
        return self.api("GET", f"{run_path(dag_id, run_id)}/taskInstances/{task_id}")

    def returned(self, dag_id: str, run_id: str, task_id: str) -> Any:
        """Return what a task left in XCom."""
        path = f"{run_path(dag_id, run_id)}/taskInstances/{task_id}/xcomEntries/return_value"
        return self.api("GET", path + "?deserialize=false&stringify=false")["value"]

    def answer(
        self, question: str, option: str, values: Mapping[str, Any] | None = None, *, user: str = "admin"
    ) -> int:
        """Answer what a task asks a person, and return the HTTP status."""
        body = {"chosen_options": [option], "params_input": dict(values or {})}
        return self.ask("PATCH", question, body, user=user).status

    def asset(self, uri: str) -> int:
        """Return the number of an asset."""
        found = self.api("GET", f"/assets?uri_pattern={quote(uri, safe='')}&limit=100")["assets"]
        (number,) = [asset["id"] for asset in found if asset["uri"] == uri]
        return int(number)

    def announce(self, uri: str, extra: Mapping[str, Any] | None = None) -> None:
        """Tell Airflow that an asset is new."""
        self.api("POST", "/assets/events", {"asset_id": self.asset(uri), "extra": dict(extra or {})})

    def _done(self, method: str, path: str, body: Any = None, *, user: str | None = "admin") -> Any:
        answer = self.ask(method, path, body, user=user)
        assert answer.status in {200, 201}, f"{method} {path}: {answer.status} {answer.body}"
        return answer.document


def run_path(dag_id: str, run_id: str) -> str:
    """Return where the API has a run."""
    return f"/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}"
