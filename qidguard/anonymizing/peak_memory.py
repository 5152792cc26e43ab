"""The peak of memory that a piece of work takes, as the operating system tells it."""

from contextlib import suppress
from pathlib import Path
from typing import Self

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory:
    """The peak of resident memory over what was there before, ``bytes``; None where nobody tells."""

    def __init__(self) -> None:
        self.bytes: int | None = None
        self._before: int | None = None

    def __enter__(self) -> Self:
        with suppress(OSError):
            _RESET.write_text("5")  # begins the high-water mark anew
            self._before = _read("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        peak = _read("VmHWM")
        if peak is not None and self._before is not None:
            self.bytes = max(0, peak - self._before)


def _read(name: str) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None
