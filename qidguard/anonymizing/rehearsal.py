"""A rehearsal of an attack: some people are withheld from the anonymizer, to be the control group."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from qidguard.anonymizing.attack import Attack, Attacked, AttackResult
from qidguard.anonymizing.protocol import AnonymizationTask, ChosenAnonymizer, Records
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.run import run_on
from qidguard.core.errors import DeclarationError, NotMeasurable, PluginError, UnreachableError
from qidguard.core.guard import PluginCode
from qidguard.core.parameter import Arguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.choosing import Chooser
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.engines.base import Snapshot

WITHHELD_SHARE: Final = 0.2
"""Share of the people who are withheld; at least one is."""

_OWN_STREAM: Final = 0xA77AC
"""Tells this draw apart from whatever else the same seed draws."""


@dataclass(frozen=True, kw_only=True)
class ChosenAttack:
    """An attack with its arguments, ready to run.

    Args:
        attack: The attack.
        arguments: Its checked arguments.
        owner: The plugin that offers it, for errors.
    """

    attack: Attack
    arguments: Arguments
    owner: str


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """What attacks found.

    Args:
        attacks: One result an attack that applies.
        notes: A sentence for each that does not, or that none could be made.
    """

    attacks: tuple[AttackResult, ...] = ()
    notes: tuple[str, ...] = ()


def rehearse(
    attacks: Sequence[ChosenAttack],
    snapshot: "Snapshot",
    method: ChosenAnonymizer,
    task: AnonymizationTask,
    *,
    hierarchies: "Callable[[Records], Mapping[str, Hierarchy]]",
    chooser: "Chooser | None" = None,
) -> Rehearsal:
    """Anonymize a table without some of its people, and attack what comes out.

    What a published table tells of people who are in it is only worth something beside what it tells of
    people who are not (Giomi et al. 2023, A unified framework for quantifying privacy risk in synthetic
    data): a fifth of the people, drawn by the seed, is withheld, all records of each. The same anonymizer
    with the same arguments works on the others, and each attack is made on both groups.

    Args:
        attacks: The attacks; where there are none nothing is done.
        snapshot: The table.
        method: The anonymizer.
        task: What it was asked to reach on the whole table.
        hierarchies: Binds the hierarchies to the records that are left, whose codes are their own.
        chooser: Chooses among several solutions, as for the whole table.
    """
    if not attacks:
        return Rehearsal()
    withheld = withheld_records(snapshot, task)
    if withheld.all() or not withheld.any():
        return Rehearsal(notes=("No attack was rehearsed: it takes two people, one of whom is withheld.",))
    task.progress.step("rehearsing", 0, len(attacks))
    with snapshot.keep(~withheld) as rest, snapshot.keep(withheld) as others:
        before = SnapshotRecords(rest, task.suppression_mark, task.normalized, task.kinds)
        earlier = None if task.earlier is None else task.earlier.of_records(~withheld)
        smaller = replace(task, hierarchies=hierarchies(before), earlier=earlier)
        try:
            run = run_on(before, method, smaller, chooser=chooser)
        except (UnreachableError, DeclarationError) as reason:
            left = f"{rest.records:,} of {snapshot.records:,} records"
            return Rehearsal(notes=(f"No attack was rehearsed, which works on {left}: {reason}",))
        with run.after:
            control = SnapshotRecords(others, task.suppression_mark, kinds=task.kinds)
            return _attacked(attacks, Attacked(changes=run.changes, withheld=control, task=smaller))


def withheld_records(snapshot: "Snapshot", task: AnonymizationTask) -> "NDArray[np.bool_]":
    """Return which records are withheld: those of a fifth of the people, at least of one.

    Shape (records,). All records of a person are withheld, or none.
    """
    import numpy as np

    if task.entity is None:
        person = np.arange(snapshot.records)
    else:
        person = np.unique(snapshot.codes((task.entity,))[:, 0], return_inverse=True)[1]
    people = int(person.max()) + 1
    drawn = np.zeros(people, dtype=np.bool_)
    generator = np.random.default_rng([task.seed, _OWN_STREAM])
    drawn[generator.choice(people, size=max(1, round(WITHHELD_SHARE * people)), replace=False)] = True
    return drawn[person]


def _attacked(attacks: Sequence[ChosenAttack], attacked: Attacked) -> Rehearsal:
    results: list[AttackResult] = []
    notes = []
    for done, chosen in enumerate(attacks):
        attacked.task.progress.step("rehearsing", done, len(attacks))
        try:
            results.append(_result(chosen, attacked))
        except NotMeasurable as reason:
            notes.append(f"The attack {chosen.attack.name} does not apply: {reason}")
    attacked.task.progress.step("rehearsing", len(attacks), len(attacks))
    return Rehearsal(attacks=tuple(results), notes=tuple(notes))


def _result(chosen: ChosenAttack, attacked: Attacked) -> AttackResult:
    attack, arguments = chosen.attack, chosen.arguments
    with PluginCode(chosen.owner, f"attack {attack.name!r}"):
        result: Any = attack.attack(attacked, arguments)
    if not isinstance(result, AttackResult) or result.attack != attack.name:
        got = f"that of {result.attack!r}" if isinstance(result, AttackResult) else type(result).__name__
        raise PluginError(
            f"{chosen.owner}: attack {attack.name!r} returned {got}, not an AttackResult of its own; mend the"
            " plugin"
        )
    return result
