"""Try a method on a table under a policy, without a release."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from qidguard.auditing.options import engine_settings, read_options, source_of
from qidguard.auditing.run import source_label
from qidguard.core.errors import UserError
from qidguard.core.policy import load_policy
from qidguard.host import load_host
from qidguard.releasing.bench import Bench
from qidguard.releasing.cure import Cure, audited_source, cure
from qidguard.releasing.job import new_seed
from qidguard.releasing.prepare import Wishes, checked_seed
from qidguard.releasing.read_places import read_beside
from qidguard.releasing.recorded_cure import recorded_cure
from qidguard.releasing.remedy import chosen_remedy
from qidguard.releasing.trial import Trial

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host


def anonymise(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    method: str | None = None,
    parameters: Mapping[str, object] | None = None,
    seed: int | None = None,
    attacks: Sequence[str] = (),
    has_models: bool = False,
    is_recorded: bool = False,
    wishes: Wishes | None = None,
) -> Trial:
    """Run an anonymiser on a table and audit what it makes from scratch; nothing is written.

    The method works on a private copy. Its own claims count for nothing: what it made is judged by the whole
    policy, and each claim stands beside what was measured. What it cost is told by every installed metric
    that holds a table against its original. The method is run where the policy holds already, too.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        method: The anonymiser's name, as ``qidguard plugins`` lists it; None takes the policy's remedy.
        parameters: Its parameters, beside or over those of the policy's remedy where that is the same method.
        seed: Seeds whatever is random: the same seed gives the same bytes. None draws one.
        attacks: Attacks to rehearse, beside those of the policy's remedy; see ``rehearse``.
        has_models: Whether what was lost is measured by training models, too.
        is_recorded: Whether the verdict is kept in the ledger, and earlier releases count as for a release.
        wishes: Reading options, settings, plugins, progress; with ``is_recorded`` ledger and names as well.

    Returns:
        What came of it; close it. A table that stays blocked is a result, no error.

    Units:
        Figures carry their own unit: records or entities, shares 0..1, nats, bits; times are seconds.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When a plugin that is needed is broken or missing, or the method or an attack fails.
        UserError: When there is no such method, parameter or attack, or noise is to be drawn unrecorded.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is judged like any other.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"sex": ["f", "f", "m"], "age": [30, 30, 41]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex", "age"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> with qidguard.anonymise(
        ...     table,
        ...     policy=policy,
        ...     method="small_class_suppression",
        ...     parameters={"k": 2, "most_suppressed": 0.5},
        ... ) as tried:
        ...     tried.is_passed, tried.receipt.records_suppressed
        (True, 1)
    """
    rules = load_policy(policy)
    wished = wishes or Wishes()
    host = wished.host or load_host()
    wished = replace(wished, host=host, seed=wished.seed if seed is None else seed)
    remedy = chosen_remedy(rules, host, method, parameters or {}, attacks)
    if is_recorded:
        made = recorded_cure(source, rules, remedy, wished, has_models=has_models)
        return _trial(made.cure, rules, made.source, made.seed, made.scratch, made.audit_id)
    if remedy.cost() is not None:
        raise UserError(
            f"The method {remedy.anonymiser.name} draws noise, and what that spends of the privacy budget is"
            " kept in the ledger; record the verdict, or publish with a release."
        )
    table = source_of(source, rules)
    with taken(table, rules, host, wished) as (bench, snapshot):
        found = cure(bench, remedy, audited_source(bench, snapshot), has_models=has_models)
    return _trial(found, rules, table, bench.seed, bench.settings.spill_directory)


def _trial(
    found: Cure, policy: "Policy", source: Any, seed: int, scratch: str | None, audit_id: str | None = None
) -> Trial:
    """Return a trial that will not write over what was read."""
    return Trial(found, sources=(source, *read_beside(policy)), seed=seed, scratch=scratch, audit_id=audit_id)


@contextmanager
def taken(source: Any, policy: "Policy", host: "Host", wishes: Wishes) -> "Iterator[tuple[Bench, Snapshot]]":
    """Yield where the table is audited, and its private copy.

    Raises:
        UserError: When the engine cannot open it, or makes no copies.
        DataError: When it cannot be read without guessing.
    """
    engine: Any = host.engine(policy.engine)  # of releases: it takes snapshots, or says that it does not
    if not engine.can_open(source):
        kind = type(source).__name__
        raise UserError(f"engine {engine.name!r} cannot open what is a Python {kind}; give a path or a table")
    bench = Bench(
        policy=policy,
        host=host,
        engine=engine,
        settings=wishes.settings or engine_settings(policy),
        label=source_label(source),
        today=datetime.now(UTC).date(),
        seed=new_seed() if wishes.seed is None else checked_seed(wishes.seed),
        progress=wishes.progress,
    )
    with engine.snapshot(source, wishes.read or read_options(policy.source), bench.settings) as snapshot:
        yield bench, snapshot
