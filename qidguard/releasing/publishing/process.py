"""Which process made something in a place that many machines reach, and whether it may still be at work."""

import os
import platform
import secrets
from pathlib import Path

MAKERS: set[str] = set()
"""The tokens of this very process that are still at work."""


def process_token() -> str:
    """Return a new token that names this machine, this process and when it began."""
    process = os.getpid()
    return f"{_machine()}/{process}/{_began(process)}/{secrets.token_hex(4)}"


def is_alive(token: str, *, is_recent_elsewhere: bool) -> bool:
    """Whether a token's process may be at work; one of another machine is while it is recent."""
    machine, process, began, _ = token.rsplit("/", 3)
    if machine != _machine():
        return is_recent_elsewhere
    if int(process) == os.getpid():
        return token in MAKERS
    return began == _began(int(process)) or (began == "" and _is_running(int(process)))


def _machine() -> str:
    """Return what tells this machine, since it was started, from another of the same name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot = space = ""
    return f"{platform.node()}:{boot}:{space}"


def _began(process: int) -> str:
    """Return when a process began, as its system says; empty where it does not say or there is none."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
