"""Turn what a policy says of its sources and resources into what an engine takes."""

from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.engines.base import EngineSettings, Needs, ReadOptions

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.core.policy.source import Reading


def source_of(source: Any, policy: "Policy | None") -> Any:
    """Return the table that is meant: what was given, or where the policy says that it is.

    Args:
        source: What was given; None where nothing was.
        policy: The policy, if there is one.

    Returns:
        What an engine opens.

    Units:
        None.

    Raises:
        UserError: When neither names a table.

    Example:
        >>> source_of("visits.csv", None)
        'visits.csv'
    """
    found = policy.source_path if source is None and policy is not None else source
    if found is None:
        raise UserError("There is no table; name one, or write source: path: in the policy.")
    return found


def read_options(source: "Reading") -> ReadOptions:
    """Return how the policy says a source is read."""
    return ReadOptions(
        format=source.format,
        delimiter=source.delimiter,
        quote=source.quote,
        has_header=source.header,
        columns=source.columns,
        encoding=source.encoding,
        missing=source.missing,
        is_trimmed=source.trim,
        table=source.table,
        query=source.query,
    )


def engine_settings(policy: "Policy | None") -> EngineSettings:
    """Return the resources the policy grants."""
    if policy is None:
        return EngineSettings()
    return EngineSettings(
        memory_limit=policy.memory_limit, threads=policy.threads, spill_directory=policy.spill_directory
    )


def needs(policy: "Policy", columns: tuple[str, ...] | None) -> Needs:
    """Return what an audit under the policy asks of a table; ``columns`` None keeps them all."""
    population = policy.population
    return Needs(
        columns=columns,
        entity=policy.roles.entity,
        weight=policy.roles.weight,
        population=policy.beside(population.path) if population else None,
        population_options=read_options(population.source) if population else ReadOptions(),
        population_entity=population.entity if population else None,
        suppression_mark=policy.source.suppression_mark,
        sampling_fraction=policy.sampling_fraction,
    )
