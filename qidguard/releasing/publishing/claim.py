"""One run at a time in a store that knows no lock: each says that it is there, and looks whether it is alone.

A claim is a file of its own. Whoever wrote one and then sees no other may go on: who comes later writes first
and looks then, so it sees the claim and takes its own back, for a moment whose length is drawn. Two that came
at once see one another, and both step back. All that is asked of the store is that a file that was written is
listed from then on, as S3, Google Cloud Storage and Azure promise.
"""

import json
import random
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from qidguard.core.errors import UserError
from qidguard.releasing.publishing.destination import LONGEST_WAIT_SECONDS, OccupiedError
from qidguard.releasing.publishing.process import MAKERS, is_alive, process_token

_FOLDER = ".qidguard-claims"
_LONGEST_ELSEWHERE = timedelta(hours=1)
"""A claim of another machine this old is of a dead process: one is held for the time of writing one file."""
_PAUSE_SECONDS = 0.05
_chance = random.SystemRandom()


class Claims:
    """The claims on one place of a store.

    Args:
        system: The store's file system.
        root: The place.
        label: What messages call it.
    """

    def __init__(self, system: Any, root: str, label: str) -> None:
        self._system = system
        self._folder = f"{root}/{_FOLDER}"
        self._label = label

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the only claim; OccupiedError where others stay, UserError where none can be made."""
        token, path = process_token(), f"{self._folder}/{secrets.token_hex(8)}"
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        MAKERS.add(token)
        try:
            while not self._is_alone(token, path):
                self._take_back(path)
                if time.monotonic() > deadline:
                    raise OccupiedError.at(self._label)
                time.sleep(_PAUSE_SECONDS * (1 + _chance.random()))
            yield
        finally:
            self._take_back(path)
            MAKERS.discard(token)

    def _is_alone(self, token: str, path: str) -> bool:
        """Write the claim, and return whether no other one stands there."""
        now = datetime.now(UTC)
        try:
            self._system.makedirs(self._folder, exist_ok=True)
            self._system.pipe_file(path, json.dumps([token, now.isoformat()]).encode("ascii"))
            self._system.invalidate_cache()
            others = [found for found in self._system.find(self._folder) if not found.endswith(path[-16:])]
            return not [found for found in others if self._is_held(found, now)]
        except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
            raise UserError(
                f"The destination {self._label!r} cannot be written ({type(error).__name__}), so nothing was"
                " published; check the address and the access to it."
            ) from None

    def _is_held(self, path: str, now: datetime) -> bool:
        """Whether a claim is of a run that may be at work; that of a dead one is removed."""
        try:
            token, since = json.loads(self._system.cat_file(path))
            is_recent = now - datetime.fromisoformat(since) < _LONGEST_ELSEWHERE
            is_held = is_alive(token, is_recent_elsewhere=is_recent)
        except FileNotFoundError:
            return False
        except (ValueError, TypeError, AttributeError):
            return True  # not yet whole, or not ours
        if not is_held:
            self._take_back(path)
        return is_held

    def _take_back(self, path: str) -> None:
        with suppress(Exception):
            self._system.rm_file(path)
        with suppress(Exception):
            self._system.rmdir(self._folder)
