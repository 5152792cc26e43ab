"""Turn what a policy says of its sources and resources into what an engine takes."""

from typing import TYPE_CHECKING

from qidguard.engines.base import EngineSettings, Needs, ReadOptions

if TYPE_CHECKING:
    from qidguard.core.policy import Policy, Source


def read_options(source: "Source") -> ReadOptions:
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
        population=population.path if population else None,
        population_options=read_options(population.source) if population else ReadOptions(),
        population_entity=population.entity if population else None,
        suppression_mark=policy.source.suppression_mark,
        sampling_fraction=policy.sampling_fraction,
    )
