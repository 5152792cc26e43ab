"""Whom releases isolate together, in words: counts and names of releases, no person."""

from collections.abc import Iterator

from qidguard.core.isolated import Isolated, IsolatedOverTime
from qidguard.core.report import AuditReport
from qidguard.rendering.figure import counted
from qidguard.rendering.printable import shown_name, visible


def most_isolated(report: AuditReport) -> IsolatedOverTime | None:
    """Return the combination over which most persons are isolated; None where nobody is."""
    return max(report.isolated, key=lambda one: one.isolated.persons, default=None)


def isolated_sentence(one: IsolatedOverTime, person: str) -> str:
    """Return how many persons are isolated, and what became of them.

    Example:
        >>> two = Isolated(left=1, stayed=1)
        >>> found = IsolatedOverTime(qids=("age",), k=5, releases=3, followed=900, isolated=two)
        >>> isolated_sentence(found, "entities")
        '3 earlier releases and this one isolate 2 of 900 entities below k = 5: 1 left, 1 stayed.'
    """
    releases = "The earlier release" if one.releases == 1 else f"{one.releases:,} earlier releases"
    return (
        f"{releases} and this one isolate {one.isolated.persons:,} of {counted(one.followed, person)}"
        f" below k = {one.k:,}{_over(one)}: {became(one.isolated)}."
    )


def became(some: Isolated) -> str:
    """Return what became of persons, those that there are.

    Example:
        >>> became(Isolated(left=1200, came=3)), became(Isolated())
        ('1,200 left, 3 came', 'nobody')
    """
    counts = {"left": some.left, "came": some.came, "stayed": some.stayed}
    return ", ".join(f"{number:,} {word}" for word, number in counts.items() if number) or "nobody"


def by_release(one: IsolatedOverTime) -> Iterator[str]:
    """Yield with which earlier release the table isolates how many, the latest first."""
    for by in reversed(one.by_release):
        if by.isolated.persons:
            yield f"{visible(by.release_id)}: {by.isolated.persons:,}"
    if one.together.persons:
        yield f"only all together: {one.together.persons:,}"


def helping_sentences(one: IsolatedOverTime) -> Iterator[str]:
    """Yield what would help those who are isolated, by what became of them."""
    others, left_to_help = one.k - 1, _less(one.isolated, one.already)
    parts = []
    if left_to_help.left:
        parts.append(f"who left has to stay, or go {one.k:,} of a group at a time")
    if left_to_help.came:
        parts.append(f"who came has to wait for {others:,} others")
    if left_to_help.stayed:
        parts.append(f"who stayed has to stay among {others:,} others, group by group")
    if parts:
        words = "; ".join(parts)
        yield f"{words[0].upper()}{words[1:]}."
    if one.already.persons:
        yield (
            f"{one.already.persons:,} of them the earlier releases isolate by themselves; what is out stays"
            " out, and nothing that this table could be changes it."
        )


def isolated_sentences(report: AuditReport) -> list[str]:
    """Return all sentences of a report on whom releases isolate."""
    found = []
    for one in report.isolated:
        found.append(isolated_sentence(one, report.person))
        if by := ", ".join(by_release(one)):
            found.append(f"By release: {by}.")
        found += helping_sentences(one)
    return found


def _less(some: Isolated, fewer: Isolated) -> Isolated:
    return Isolated(
        left=some.left - fewer.left, came=some.came - fewer.came, stayed=some.stayed - fewer.stayed
    )


def _over(one: IsolatedOverTime) -> str:
    return "" if one.combination == "default" else f" over {shown_name(one.combination)}"
