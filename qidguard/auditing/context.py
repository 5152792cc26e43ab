"""What an audit was asked for: made once, from arguments and what the policy says."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Self

from qidguard.auditing.linked.source import linked_source
from qidguard.auditing.reading import read_options
from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.core.files import sweep_copies
from qidguard.core.progress import Progress
from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions
from qidguard.engines.linked import LinkedTables

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class AuditContext:
    """What an audit was asked for.

    Args:
        source: What the engine opens.
        label: What reports call it, without secrets.
        policy: The policy, or None to describe the table only.
        host: The plugins.
        engine: The engine, guarded.
        read: How the source is read.
        settings: The engine's resources.
        today: The day against which the policy's dates are held.
        progress: Hears of finished steps.
        population: What stands in the place of the policy's population, such as a private copy of it.
        reopened: Gives the source and how it is read once more, where ``source`` cannot.
    """

    source: Any = field(repr=False)
    label: str
    policy: "Policy | None"
    host: "Host" = field(repr=False)
    engine: Engine
    read: ReadOptions
    settings: EngineSettings
    today: date
    progress: Progress = field(repr=False)
    population: Any = field(default=None, repr=False)
    reopened: "Callable[[], AbstractContextManager[tuple[Any, ReadOptions]]] | None" = None

    def with_population(self, needs: Needs) -> Needs:
        """Return needs with what stands in the place of the policy's population."""
        if needs.population is None or self.population is None:
            return needs
        return replace(needs, population=self.population, population_options=ReadOptions())

    def once_more(self) -> "AbstractContextManager[tuple[Any, ReadOptions]]":
        """Return the source and how it is read, for whoever has to look at all records again."""
        return nullcontext((self.source, self.read)) if self.reopened is None else self.reopened()

    @classmethod
    def of(
        cls,
        source: Any,
        policy: "Policy | None",
        host: "Host",
        *,
        engine: str | None = None,
        read: ReadOptions | None = None,
        settings: EngineSettings | None = None,
        today: date | None = None,
        progress: Progress,
        **more: Any,
    ) -> Self:
        """Return what was asked for; what is None is as the policy says, or its default.

        A run begins here, so what dead ones left of their tables is removed first.

        Args:
            source: The table; None takes the policy's.
            policy: The policy, or None.
            host: The plugins.
            engine: The engine's name.
            read: How the source is read.
            settings: The engine's resources.
            today: The day; None takes the clock's, in UTC.
            progress: Hears of finished steps.
            more: What a context that holds more is told beside it.

        Raises:
            UserError: When there is no table, no such engine, or the engine cannot open the table.
        """
        resources = settings or engine_settings(policy)
        sweep_copies(resources.spill_directory)
        source = source_of(source, policy)
        opener = host.engine(engine or (policy.engine if policy else "duckdb"))
        if not opener.can_open(source):
            kind = type(source).__name__
            raise UserError(
                f"engine {opener.name!r} cannot open what is a Python {kind}; give a path or a table"
            )
        return cls(
            source=source,
            label=source_label(source),
            policy=policy,
            host=host,
            engine=opener,
            read=read or (read_options(policy.source, policy.order) if policy else ReadOptions()),
            settings=resources,
            today=today or datetime.now(UTC).date(),
            progress=progress,
            **more,
        )


def source_of(source: Any, policy: "Policy | None") -> Any:
    """Return the table that is meant: what was given, or where the policy says that it is.

    Args:
        source: What was given; None where nothing was. Where the policy names several tables, a mapping of
            their names to what is opened.
        policy: The policy, if there is one.

    Returns:
        What an engine opens.

    Raises:
        UserError: When neither names a table.

    Example:
        >>> source_of("visits.csv", None)
        'visits.csv'
    """
    if policy is not None and policy.tables:
        return linked_source(source, policy)
    chosen = policy.source_path if source is None and policy is not None else source
    if chosen is None:
        raise UserError("There is no table; name one, or write source: path: in the policy.")
    return chosen


def engine_settings(policy: "Policy | None") -> EngineSettings:
    """Return the resources the policy grants."""
    if policy is None:
        return EngineSettings()
    return EngineSettings(
        memory_limit=policy.memory_limit, threads=policy.threads, spill_directory=policy.spill_directory
    )


def needs(policy: "Policy", columns: tuple[str, ...] | None, rest: tuple[str, ...] = ()) -> Needs:
    """Return what an audit under the policy asks of a table; ``columns`` None keeps them all.

    ``rest`` is what is published outside the QIDs.
    """
    population = policy.population
    return Needs(
        columns=columns,
        entity=policy.roles.entity,
        weight=policy.roles.weight,
        population=policy.resolve(population.path) if population else None,
        population_options=read_options(population.source) if population else ReadOptions(),
        population_entity=population.entity if population else None,
        suppression_mark=policy.suppression_mark,
        sampling_fraction=policy.sampling_fraction,
        rest=rest,
        normalized=policy.normalized,
    )


def source_label(source: Any) -> str:
    """Return what the user calls the source: its path, its URL without secrets, or the kind of object.

    Args:
        source: What an engine opens.

    Returns:
        A text that may be shown and kept.

    Raises:
        TypeError: When ``source`` is a path-like object whose path is no text.

    Example:
        >>> source_label("s3://key:secret@bucket/x.csv?token=1")
        's3://bucket/x.csv'
    """
    if hasattr(source, "__fspath__"):
        return str(source.__fspath__())
    if isinstance(source, LinkedTables):
        return source.label
    return shown_address(source) if isinstance(source, str) else type(source).__name__
