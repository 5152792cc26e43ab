"""An anonymiser that does what another does and keeps what came of it."""

from typing import Any

from qidguard.anonymize.protocol import Anonymiser, Records, Task
from qidguard.core.parameter import Arguments
from qidguard.testing.listener import Listener


class Recorder:
    """Passes every call on, and keeps the answer or the error: the host tells neither in full.

    Args:
        anonymiser: The anonymiser that works.
        listener: Takes the time of its work.
    """

    def __init__(self, anonymiser: Anonymiser, listener: Listener) -> None:
        self._anonymiser = anonymiser
        self._listener = listener
        self.answer: Any = None
        self.error: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._anonymiser, name)

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Any:
        """Call the anonymiser."""
        self._listener.begin()
        try:
            self.answer = self._anonymiser.anonymize(records, arguments, task)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._listener.end()
        return self.answer
