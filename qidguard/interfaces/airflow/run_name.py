"""The name of a release that a run makes: the same for every try of it."""

import json
import re
from hashlib import sha256

LONGEST = 100
"""Longest name of a release, in characters."""

_DIGITS = 8
_DIGITS_OF_A_RUN = 12
_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]+")


def release_name(text: str) -> str:
    """Return a text as the name of a release: a short hash is added where it had to be changed.

    Args:
        text: For example the names of a DAG and of its run.

    Returns:
        At most 100 letters, digits, ``.``, ``_`` and ``-``, not beginning with ``.`` or ``-``.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> release_name("gate-2026-11"), release_name("gate-manual__2026-11-21T12:00:00+00:00")
        ('gate-2026-11', 'gate-manual__2026-11-21T12-00-00-00-00-1650da0a')
    """
    name = _valid(text)
    if name == text and len(name) <= LONGEST:
        return name
    return _marked(name, sha256(text.encode()).hexdigest()[:_DIGITS])


def run_name(dag_id: str, run_id: str, map_index: int = -1) -> str:
    """Return the name of the release that a run makes: no two runs of any DAGs share one.

    Args:
        dag_id: The DAG.
        run_id: Its run.
        map_index: Which of the mapped tasks it is; negative where the task is not mapped.

    Returns:
        The parts, as far as they are valid in a name, and a short hash over each of them.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> run_name("a-b", "c"), run_name("a", "b-c"), run_name("a", "b", 3)
        ('a-b-c-97a167673bea', 'a-b-c-310c65171925', 'a-b-3-38a5a23ee986')
    """
    parts = [dag_id, run_id, *([str(map_index)] if map_index >= 0 else [])]
    mark = sha256(json.dumps(parts).encode()).hexdigest()[:_DIGITS_OF_A_RUN]
    return _marked(_valid("-".join(parts)), mark)


def _valid(text: str) -> str:
    name = _FORBIDDEN.sub("-", text)
    return name if name and name[0] not in ".-" else f"_{name}"


def _marked(name: str, mark: str) -> str:
    return f"{name[: LONGEST - len(mark) - 1]}-{mark}"
