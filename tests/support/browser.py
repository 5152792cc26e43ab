"""A real browser without a window, that goes nowhere but to one server."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 30


def chromium() -> str:
    """Return the path of the browser; without one a test fails in CI and skips elsewhere."""
    found = os.environ.get("CHROMIUM") or next((p for p in map(shutil.which, _NAMES) if p), None)
    if found is None:
        reason = f"no browser: none of {', '.join(_NAMES)} is installed, and CHROMIUM names none"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


class Visit:
    """Somebody's window on a server; it notes what went wrong and where requests went.

    Args:
        page: A page of the browser.
        url: The server.
    """

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self.places: set[str] = set()
        page.set_default_timeout(_SECONDS * 1000)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda request: self.places.add(_server(request.url)))

    def _heard(self, message: Any) -> None:
        # what Airflow's own pages say of themselves is none of ours
        if message.type == "error" or "Content Security Policy" in message.text:
            self.complaints.append(message.text)

    def log_in(self, path: str, user: str, password: str) -> Self:
        """Ask for a page, be led to the login, and come back to the page."""
        self.page.goto(self.url + path)
        self.page.fill("input[name=username]", user)
        self.page.fill("input[name=password]", password)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(self.url + path)
        self.complaints.clear()  # Airflow's own pages ask before somebody is logged in, and are refused
        return self

    def go(self, path: str) -> Self:
        """Ask for a page."""
        self.page.goto(self.url + path)
        return self

    def frame(self, title: str, start: str) -> Any:
        """Return the frame of a title as soon as it holds a page whose path begins so."""
        found = self.page.wait_for_selector(f"iframe[title='{title}']").content_frame()
        found.wait_for_url(re.compile(re.escape(self.url + start)))
        return found

    def overflow_pixels(self) -> int:
        """Return by how much the page is wider than its window."""
        script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(script))


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a running browser."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    # as root, which containers often are, Chromium has no sandbox of its own
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as player:
        running = player.chromium.launch(executable_path=path, args=arguments)
        try:
            yield running
        finally:
            running.close()


@contextmanager
def visit(running: Any, url: str, *, width: int = 1280, scheme: str = "light") -> Iterator[Visit]:
    """Yield a window of a width in pixels, on a system that is light or dark, without any cookie."""
    context = running.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    try:
        yield Visit(context.new_page(), url)
    finally:
        context.close()


def _server(url: str) -> str:
    """Return protocol, host and port; what a page made itself is at the page's own server."""
    url = url.removeprefix("blob:")
    return "/".join(url.split("/")[:3]) if "://" in url else url.partition(":")[0]
