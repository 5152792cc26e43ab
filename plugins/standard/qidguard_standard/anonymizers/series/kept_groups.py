"""Kept groups: a series of releases in which the persons of a group stay together."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    LARGEST_SET,
    AnonymizationTask,
    Anonymized,
    Arguments,
    ColumnValues,
    NotMeasurable,
    Parameter,
    Records,
    changeable_columns,
)
from qidguard_standard.anonymizers.clustering.partitioned import (
    DrawsClassSizes,
    partitioned,
    publish_parameters,
)
from qidguard_standard.anonymizers.clustering.wanted import K, L, T, Wanted, as_they_are, wanted
from qidguard_standard.anonymizers.series.arrivals import MOST_LOSS, ArrivalPartition, arrivals
from qidguard_standard.anonymizers.series.departures import Departures, departures, returning
from qidguard_standard.anonymizers.series.people import People, merged, people_of
from qidguard_standard.anonymizers.series.stay import (
    FIRST_GROUPS,
    LEAVERS_STAY,
    NEWCOMERS_WAIT,
    SENSITIVE_CHANGES,
    TURNOVER,
    stay_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class KeptGroups(DrawsClassSizes):
    """Groups that are kept over a series of releases, so that no difference between two isolates anybody.

    Who holds several releases knows of each person the class of every release, absence being a class: their
    trajectory. Nobody is isolated if each trajectory is shared by k persons. So the persons of one trajectory
    are a group, and a release divides it into parts of k or more, if at all:

    - Who left stays, with the last values, until ``leavers_stay`` says that it is time, or until k of the
      group left and k stay. Then k go together: those who left, and companions, the present persons who are
      farthest from the group's median. A group that cannot spare them is dissolved: it goes whole.
    - Newcomers enter k at a time, in groups of their own by Mondrian, whose NCP is at most 3 times that of
      a first release of the persons present. After ``newcomers_wait`` releases they enter at any cost.
    - Who left with a batch and comes back waits until k of the batch can, and k or nobody of it stays away.
    - Where it is known when persons leave, groups are formed within a wave of exits, and go as one.

    Boxes are those of today's values: a changed quasi-identifier costs loss and isolates nobody. First groups
    have g·k persons, with g = 1.3 / (1 − (1 − r)ⁿ) for turnover r and ``leavers_stay`` n, so that k of them
    leave in time. A group that by itself misses k, l or t is published with the nearest one. A person's
    records share one class.

    Quasi-identifiers that stand for records of other tables are never changed: groups form within equal ones.
    Where records of a person changed, the group is divided by what is held of each; a part of fewer than k
    goes, as companions do, and comes back where k of the trajectory share what they are.

    Of no records nothing is published; a first release is Mondrian with groups of g·k. NULL is a value of
    its own, which no class shows beside others.

    Literature: Byun, Sohn, Bertino & Li 2006, Secure anonymization for incremental datasets (SDM); Xiao & Tao
    2007, m-invariance (SIGMOD), whose counterfeits are stale records here; LeFevre, DeWitt & Ramakrishnan
    2006, Mondrian (ICDE); Denning, Denning & Schwartz 1979, The tracker (TODS 4).
    """

    name: ClassVar[str] = "kept_groups"
    needs_last_values: ClassVar[bool] = True
    title: ClassVar[str] = "series of releases: groups stay together, leave and come k at a time"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        L,
        T,
        LEAVERS_STAY,
        NEWCOMERS_WAIT,
        TURNOVER,
        FIRST_GROUPS,
        SENSITIVE_CHANGES,
        publish_parameters("sets")[0],
        replace(LARGEST_SET, default=20),  # groups of a series are large: the mark would hide most columns
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return the records of this release, its QIDs published by class.

        Example:
            >>> KeptGroups().parameters[3].name
            'leavers_stay'
        """
        stay = stay_of(arguments)
        asked = wanted(arguments, task)
        _check(arguments, task, asked, may_keep=stay.leavers != 0)
        columns = _changeable(records, task)
        people = people_of(records, columns, asked, task)
        present = np.flatnonzero(people.is_present)
        is_exit_known = bool((people.earlier.exit_wave[present] >= 0).any())
        if not people.earlier.releases:
            stay.check(people.k, len(present), is_exit_known=is_exit_known)
        least = people.k * stay.times_k(is_exit_known=is_exit_known)
        partition = ArrivalPartition(people=people, progress=task.progress)
        departed = departures(people, stay.leavers)
        group = np.where(departed.stays, people.earlier.trajectory, -1)
        back = returning(people)
        group = np.where(back >= 0, back, group)
        group = people.divided(group)
        kept = np.flatnonzero(group >= 0)
        each = partition.of(present, people.k, people.held[present])
        alone = people.ncp(_of_all(people, present, each))
        if people.earlier.releases:
            most = MOST_LOSS * people.ncp(partition.first(present, least)) if len(kept) else np.inf
            # later groups are half as large, for newcomers are few
            new = arrivals(partition, stay, max(people.k, least / 2), most)
        else:
            new = arrivals(partition, stay, least, np.inf)
        group = np.where(new.group >= 0, int(group.max(initial=-1)) + 1 + new.group, group)
        if not (group >= 0).any():
            raise NotMeasurable(_nobody(people))
        classes = merged(people, group)
        of_record = classes[people.person]
        done = partitioned(
            records, columns, of_record, people.record_rule, task, arguments, kept=of_record >= 0
        )
        notes = told(
            people,
            classes,
            departed,
            alone=alone,
            sensitive=(*task.sensitive, *task.sensitive_beside),
            may_change=arguments["sensitive_changes"] != "never",
        )
        return Anonymized(
            kept=done.kept, columns=done.columns, guarantees=done.guarantees, notes=(*notes, *done.notes)
        )


def _of_all(people: People, rows: "NDArray[np.int64]", found: "NDArray[np.int64]") -> "NDArray[np.int64]":
    group = np.full(people.count, -1)
    group[rows] = found
    return group


def _changeable(records: Records, task: AnonymizationTask) -> tuple[ColumnValues, ...]:
    """Return the quasi-identifiers that a class may show otherwise, without those that are held."""
    columns = tuple(column for column in changeable_columns(records, task) if column.name not in task.held)
    if not columns:
        raise NotMeasurable(
            "every quasi-identifier stands for records of other tables, which are published as they are; name"
            " one of the persons, too"
        )
    return columns


def _check(arguments: Arguments, task: AnonymizationTask, asked: Wanted, *, may_keep: bool) -> None:
    fixed = [name for name in task.quasi_identifiers if name in {task.entity, *as_they_are(asked, task)}]
    if fixed:
        raise NotMeasurable(
            f"{fixed[0]!r} is a quasi-identifier that stays as it is, since it is the entity or a limit is"
            " on its values, so it would divide groups; let it be one of the two"
        )
    sensitive = (*task.sensitive, *task.sensitive_beside)
    if may_keep and sensitive and arguments["sensitive_changes"] == "refused":
        names = ", ".join(map(repr, sensitive))
        raise NotMeasurable(
            "records of persons who left are to stay with their last values, and a sensitive attribute that"
            f" changes with time tells which these are ({names}); say sensitive_changes: never where no"
            " person's value changes, accepted where that is accepted, or leavers_stay: 0"
        )


def _nobody(people: People) -> str:
    waiting = int(np.count_nonzero(people.is_present))
    return (
        f"nobody can be published: {waiting:,} persons are present, and k = {people.k} of a group have to be"
        " shown together; let leavers or newcomers stay and wait otherwise, or add records"
    )


def told(
    people: People,
    classes: "NDArray[np.int64]",
    departed: Departures,
    *,
    alone: float,
    sensitive: tuple[str, ...],
    may_change: bool,
) -> Iterator[str]:
    """Yield the sentences of the receipt; ``alone`` is the NCP of the persons present, by themselves."""
    earlier, is_shown = people.earlier, classes >= 0
    is_fresh, is_stale = is_shown & people.is_present, is_shown & ~people.is_present
    present, fresh, stale = (int(np.count_nonzero(one)) for one in (people.is_present, is_fresh, is_stale))
    share = f" ({fresh / present:.1%})" if present else ""
    yield f"of {present:,} persons present {fresh:,}{share} are published with today's values"
    if stale:
        oldest = int(earlier.gone[is_stale].max())
        yield (
            f"{_counted(stale, 'person is', 'persons are')} stale, {stale / (stale + fresh):.1%} of those"
            f" published: they left and are shown with their last values, the oldest for {_releases(oldest)}"
        )
    else:
        yield "nobody is stale"
    is_waiting = ~is_shown & people.is_present
    new, back = is_waiting & people.is_new, is_waiting & ~people.is_new & ~earlier.is_in_last
    if new.any():
        longest = int(earlier.waited[new].max()) + 1
        how_long = f", the longest for {_releases(longest)}" if longest else ""
        yield f"{_counted(int(np.count_nonzero(new)), 'newcomer waits', 'newcomers wait')}{how_long}"
    if back.any():
        waiting = _counted(int(np.count_nonzero(back)), "person waits", "persons wait")
        yield f"{waiting} to come back, whom an earlier release showed"
    gone = int(np.count_nonzero(earlier.is_in_last & ~is_shown & ~people.is_present))
    gone += int(np.count_nonzero(earlier.is_missing_in_last))
    if gone or departed.companions or departed.dissolved:
        yield (
            f"{_counted(gone, 'person who left is', 'persons who left are')} no longer shown;"
            f" {_counted(departed.companions, 'present person', 'present persons')} went with them as"
            f" companions, and {_counted(departed.dissolved, 'group was', 'groups were')} dissolved, with"
            f" {_counted(departed.present, 'present person', 'present persons')}"
        )
    if departed.unlike:
        yield (
            f"of {_counted(departed.unlike, 'person', 'persons')} records of other tables changed, and"
            " fewer than k of their group share what they are now, so they are not shown"
        )
    yield f"NCP is {people.ncp(classes):.4f}, and {alone:.4f} for the persons present this month alone"
    if stale and sensitive and may_change:
        yield (
            "a sensitive attribute that changes with time tells stale records, for theirs no longer changes:"
            f" {', '.join(map(repr, sensitive))}"
        )


def _releases(count: int) -> str:
    return _counted(count, "release", "releases")


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
