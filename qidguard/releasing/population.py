"""The population of a release: read once, so that what is recorded of it is what figures rest on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from qidguard.auditing.reading import read_options
from qidguard.releasing.context import ReleaseContext


@contextmanager
def population_kept(context: ReleaseContext) -> Iterator[ReleaseContext]:
    """Yield the context with a private copy of the policy's population, which every audit reads."""
    population = context.policy.population
    if population is None:
        yield context
        return
    path = context.policy.resolve(population.path)
    with context.engine.snapshot(path, read_options(population.source), context.settings) as kept:
        yield replace(context, population=kept)
