"""What figures rest on beside the question: how persons are counted, and against which population."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qidguard.releasing.record import population_digest

if TYPE_CHECKING:
    from qidguard.releasing.job import Job

_READ = ("missing", "trim", "suppression_mark")


def basis_then(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the figures of a record rest on.

    Args:
        record: The internal record of a release.

    Returns:
        Plain values; figures with different ones answer different questions.

    Units:
        None.

    Raises:
        KeyError: When the record lacks what every record holds.

    Example:
        >>> roles = {"entity": None, "weight": None}
        >>> document = {"roles": roles, "source": {}, "population": None, "sampling_fraction": None}
        >>> basis_then({"policy": {"document": document}, "attack": {}})["entity"] is None
        True
    """
    return _basis(record["policy"]["document"], record["attack"].get("population_sha256"))


def basis_now(job: "Job") -> dict[str, Any]:
    """Return what today's policy makes figures rest on; the population is read for its digest.

    Args:
        job: The re-audit.

    Returns:
        Plain values, comparable with those of ``basis_then``.

    Units:
        None.

    Raises:
        DataError: When the population cannot be read.

    Example:
        >>> import inspect
        >>> list(inspect.signature(basis_now).parameters)
        ['job']
    """
    return _basis(job.policy.model_dump(mode="json"), population_digest(job))


def _basis(document: Mapping[str, Any], population_sha256: str | None) -> dict[str, Any]:
    roles, source, population = document["roles"], document["source"], document["population"]
    if population is not None:
        # where it lies may change, what is in it may not; and how it is read counts too
        population = {name: value for name, value in population.items() if name != "path"}
    return {
        "entity": roles["entity"],
        "weight": roles["weight"],
        "read": [source.get(name) for name in _READ],
        "population": population,
        "population_sha256": population_sha256,
        "sampling_fraction": document["sampling_fraction"],
    }
