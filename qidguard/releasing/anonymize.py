"""Try a method on a table under a policy, in the ledger or without one."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qidguard.auditing.remedy import chosen_remedy, first_choices
from qidguard.core.errors import UserError
from qidguard.core.progress import SILENT, Progress
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.policy.recoding import FixedRecoding
from qidguard.trials.context import TrialContext, seed_of
from qidguard.trials.first_choices import best_of
from qidguard.trials.measuring import Losses
from qidguard.trials.stages import audit_copy
from qidguard.trials.trial import Trial

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host
    from qidguard.policy import Policy


def anonymize(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    *,
    anonymizer: str | None = None,
    parameters: Mapping[str, object] | None = None,
    recode: Mapping[str, int | str] | None = None,
    suppress: float | None = None,
    seed: int | None = None,
    attacks: Sequence[str] = (),
    choose: "str | Mapping[str, object] | None" = None,
    losses: Sequence[str] | None = None,
    has_models: bool = False,
    has_plots: bool = False,
    is_recorded: bool = False,
    has_advice: bool = False,
    data_set: str | None = None,
    ledger: str | None = None,
    home: str | None = None,
    read: "ReadOptions | None" = None,
    settings: "EngineSettings | None" = None,
    host: "Host | None" = None,
    progress: Progress = SILENT,
) -> Trial:
    """Run an anonymizer on a table and audit what it makes from scratch; nothing is written.

    The method works on a private copy. Its own claims count for nothing: what it made is judged by the whole
    policy, and each claim stands beside what was measured. What it cost is told by the installed metrics
    that hold a table against its original. The method is run where the policy holds already, too.
    What draws noise is rehearsed unless it is recorded: noise by the seed, nothing charged, nothing written.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        anonymizer: Its name, as ``qidguard plugins`` lists it, parameters in brackets: ``"mdav[k=5]"``. None
            takes the policy's remedy; where it has none, the methods that suit most tables are tried, and of
            those that meet the policy the one that loses least is taken, by ``ncp``.
        parameters: Parameters that are not in the brackets. All stand over those of the policy's remedy where
            that names the same anonymizer.
        recode: In the place of an anonymizer: QID → the level of its hierarchy in the policy, 0 is exact, or
            ``"drop"``, so that it is not published. What the policy's remedy recodes plays no part then.
        suppress: With ``recode``: the largest share that may be left out, 0 ≤ share < 1, of persons where
            there is an entity column, else of records, since their classes miss a limit that holds for every
            class; None leaves nothing out.
        seed: Seeds whatever is random: the same seed gives the same bytes. None draws one. What a method drew
            from a seed that was given is not written, but ``is_recorded``, which mixes the seed with the
            history key: there the same home gives the same bytes.
        attacks: Attacks to rehearse, beside those of the policy's remedy; see ``rehearse``.
        choose: Which of a method's solutions is taken: ``"cheapest"``, ``"knee"``, or weights such as
            ``{"information_loss": 1, "prosecutor_share_above": 2}``; None takes the policy's way, else the
            method's own.
        losses: Which losses are measured: names of metrics such as ``"ncp"``, ``"all"`` for all that train no
            models, ``()`` for none; None takes all that cost little.
        has_models: Whether what was lost is measured by training models, too.
        has_plots: Whether the method draws what it made, where it can: ``Trial.plots``.
        is_recorded: Whether the verdict is kept in the ledger, and earlier releases count as for a release.
        has_advice: With ``is_recorded``: whether a table that stays blocked is recorded with what would make
            it pass.
        data_set: With ``is_recorded``: the name under which releases are kept; None takes the policy's or the
            file's.
        ledger: With ``is_recorded``: the ledger's URL; None takes QIDGUARD_LEDGER, or one in the home folder.
        home: With ``is_recorded``: the folder of keys and ledger; None takes QIDGUARD_HOME or the user's own.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.

    Returns:
        What came of it; close it. A table that stays blocked is a result, no error.

    Units:
        Figures carry their own unit: records or entities, shares 0..1, nats, bits; times are seconds.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When a plugin that is needed is broken or missing, or the method, what it draws or an
            attack fails.
        UserError: When there is no such anonymizer, parameter, attack, loss or level, or an anonymizer is
            named beside ``recode``.

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
        >>> with qidguard.anonymize(
        ...     table,
        ...     policy=policy,
        ...     anonymizer="small_class_suppression[k=2, most_suppressed=0.5]",
        ... ) as tried:
        ...     tried.is_passed, tried.receipt.records_suppressed
        (True, 1)
        >>> with qidguard.anonymize(table, policy, recode={"age": "drop"}, suppress=0.4) as tried:
        ...     tried.is_passed, tried.receipt.columns_dropped
        (True, ('age',))
    """
    rules = load_policy(policy)
    host = host or load_host()
    named = asked_method(anonymizer, recode, suppress)
    wanted = Losses.asked(losses, host, has_models=has_models)
    is_open = named is None and rules.remedy is None and not parameters and bool(first_choices(host))
    candidates = [
        chosen_remedy(rules, host, one, parameters or {}, attacks, choose)
        for one in (first_choices(host) if is_open else (named,))
    ]
    if is_recorded:
        from qidguard.releasing.deciding.check import recorded_trial

        return recorded_trial(
            source,
            rules,
            candidates,
            losses=wanted,
            has_plots=has_plots,
            data_set=data_set,
            ledger=ledger,
            home=home,
            read=read,
            settings=settings,
            host=host,
            seed=seed,
            progress=progress,
            has_advice=has_advice,
        )
    context = TrialContext.of(
        source,
        rules,
        host,
        read=read,
        settings=settings,
        progress=progress,
        seed=seed_of(seed),
        has_plots=has_plots,
    )
    with context.snapshot() as snapshot:
        remedy, tried = best_of(context, candidates, audit_copy(context, snapshot), losses=wanted)
    return Trial(context, tried, is_guessable=seed is not None and remedy.draws_values())


def asked_method(
    anonymizer: str | None, recode: "Mapping[str, object] | None", suppress: float | None
) -> str | FixedRecoding | None:
    """Return the method that is asked for: an anonymizer by name, fixed levels, or None for the policy's.

    Raises:
        UserError: When both are, or a level or a share is none.
    """
    if recode is None:
        if suppress is not None:
            raise UserError("suppress goes with recode; name levels, or leave it out.")
        return anonymizer
    if anonymizer is not None:
        raise UserError("An anonymizer and recode are both given; keep one of them.")
    return FixedRecoding.read(recode, suppress)


def check_writable(policy: "Policy", anonymizer: str | FixedRecoding | None) -> None:
    """Raise UserError for a method that draws noise: without a record it is rehearsed, and never written."""
    host = load_host()
    if anonymizer is None and policy.remedy is None and first_choices(host):
        return
    remedy = chosen_remedy(policy, host, anonymizer, {}, ())
    if remedy.draws_noise:
        raise UserError(
            f"{remedy.anonymizer.name} draws noise, which is only rehearsed here, and a rehearsal is not"
            " written; add --record, which charges the privacy budget, or leave --to out."
        )
