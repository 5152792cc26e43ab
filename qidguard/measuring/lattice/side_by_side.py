"""Several threads that walk, one that takes what they find."""

from collections.abc import Callable, Generator, Iterator
from queue import Queue
from threading import Event, Lock, Thread

from qidguard.engines.classes import Chunk
from qidguard.measuring.lattice.walk import Found

Chunks = Callable[[Found], Iterator[Chunk]]
"""Makes chunks out of partitions."""


def side_by_side(pieces: Iterator[Found], chunks: Chunks, threads: int) -> Generator[Chunk]:
    """Yield the chunks of all pieces; their order is left open, what is in them is not.

    A failure in a thread is raised here. Closing the iterator stops the threads at their next partition.
    """
    if threads == 1:
        yield from chunks(partition for piece in pieces for partition in piece)
        return
    work = _Work(pieces, chunks, threads)
    try:
        yield from work.found()
    finally:
        work.end()


class _Work:
    """What the threads share."""

    def __init__(self, pieces: Iterator[Found], chunks: Chunks, threads: int) -> None:
        self._pieces = pieces
        self._chunks = chunks
        self._lock = Lock()
        self._is_over = Event()
        self._running = threads
        # bounded, so that who walks quickly does not fill the memory
        self._ready: Queue[Chunk | BaseException | None] = Queue(threads)
        self._threads = [Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def found(self) -> Iterator[Chunk]:
        """Yield chunks as they get ready."""
        while self._running:
            one = self._taken()
            if isinstance(one, BaseException):
                raise one
            if one is not None:
                yield one

    def end(self) -> None:
        """Stop the threads and wait for them."""
        self._is_over.set()
        while self._running:
            # a thread may wait for room in the queue
            self._taken()
        for thread in self._threads:
            thread.join()

    def _taken(self) -> Chunk | BaseException | None:
        one = self._ready.get()
        if one is None:
            self._running -= 1
        return one

    def _run(self) -> None:
        try:
            for chunk in self._chunks(self._partitions()):
                self._ready.put(chunk)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
            self._ready.put(error)
        finally:
            self._ready.put(None)

    def _partitions(self) -> Found:
        while (piece := self._next()) is not None:
            for partition in piece:
                if self._is_over.is_set():
                    return
                yield partition

    def _next(self) -> Found | None:
        with self._lock:
            return next(self._pieces, None)
