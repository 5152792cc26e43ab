"""An anonymizer that does what another does and keeps what came of it."""

from typing import Any

from qidguard.anonymizing.protocol import AnonymizationTask, Anonymizer, Records
from qidguard.core.parameter import Arguments
from qidguard.testing.listener import Listener


class Recorder:
    """Passes every call on, and keeps the answer or the error: the host tells neither in full.

    Args:
        anonymizer: The anonymizer that works.
        listener: Takes the time of its work.
    """

    def __init__(self, anonymizer: Anonymizer, listener: Listener) -> None:
        self._anonymizer = anonymizer
        self._listener = listener
        self.answer: Any = None
        self.error: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._anonymizer, name)

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Any:
        """Call the anonymizer."""
        self._listener.begin()
        try:
            self.answer = self._anonymizer.anonymize(records, arguments, task)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._listener.end()
        return self.answer
