"""What is asked of one batch while a suite runs: gathered first, then answered together."""

from typing import TYPE_CHECKING

from qidguard.core.errors import InternalError
from qidguard.interfaces.gx.answer import FAULTS, Answer, of_fault
from qidguard.interfaces.gx.answering import answers

if TYPE_CHECKING:
    from qidguard.interfaces.gx.batches.reader import Reader


class AskedBatch:
    """A batch, the questions about it and their answers. It keeps no table open.

    Args:
        reader: The batch.
    """

    def __init__(self, reader: "Reader") -> None:
        self._reader = reader
        self._waiting: dict[str, None] = {}
        self._answers: dict[str, Answer] = {}

    def ask(self, text: str) -> None:
        """Remember a question, to be answered together with the others."""
        if text not in self._answers:
            self._waiting[text] = None

    def answer(self, text: str) -> Answer:
        """Return the answer of a question; all that wait are answered at once."""
        self.ask(text)
        if text not in self._answers:
            waiting, self._waiting = list(self._waiting), {}
            try:
                self._answers |= answers(self._reader, waiting)
            except FAULTS as error:  # the words of an error that leaves here would be shown by GX
                self._answers |= dict.fromkeys(waiting, of_fault(error))
        lost = InternalError("The batch gave no answer to this expectation; run it again.")
        return self._answers.get(text) or of_fault(lost)
