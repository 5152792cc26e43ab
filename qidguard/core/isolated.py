"""Persons whom releases isolate together, as counts: by which release, and what became of them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Isolated:
    """Persons in joint classes that are too small, by what became of them; they add up to ``persons``.

    Args:
        left: Those who are in an earlier release and not in the table.
        came: Those who are in the table and in none of the earlier releases that are looked at.
        stayed: Those who are in both: their own class changed, or others of it left or came.

    Raises:
        ValueError: When a count is below 0.
    """

    left: int = 0
    came: int = 0
    stayed: int = 0

    def __post_init__(self) -> None:
        if min(self.left, self.came, self.stayed) < 0:
            raise ValueError("a number of persons is at least 0")

    @property
    def persons(self) -> int:
        """All of them."""
        return self.left + self.came + self.stayed


@dataclass(frozen=True, kw_only=True)
class IsolatedBy:
    """Persons whom the table isolates together with one earlier release alone.

    Args:
        release_id: The release.
        isolated: Those who share their class in it, and their class in the table, with fewer than k − 1
            others; here ``came`` is who is not in this release.
    """

    release_id: str
    isolated: Isolated


@dataclass(frozen=True, kw_only=True)
class IsolatedOverTime:
    """Persons whom a table and its earlier releases isolate together.

    A joint class is the persons who share their class in every release, absence being a class of its own.
    Whoever is in one of fewer than ``k`` persons is isolated.

    Args:
        combination: The name of the QID combination.
        qids: The columns that make the table's classes.
        k: Persons that a joint class needs, ≥ 2.
        most_recent: How many of the latest earlier releases are looked at; None means all.
        releases: Number of earlier releases that are looked at, ≥ 1.
        followed: Persons of any of the releases, the table's own included.
        isolated: Those who are isolated.
        already: Those of them whom the earlier releases isolate by themselves, whatever the table is.
        at_any_level: Those of them who would be isolated if no QID were published: who is in which release
            tells them apart, so that no change of levels helps them.
        by_release: For each earlier release, oldest first, those whom the table isolates with it alone;
            somebody may be isolated by several.
        together: Those whom no earlier release isolates alone, but all of them do together.
    """

    combination: str = "default"
    qids: tuple[str, ...]
    k: int
    most_recent: int | None = None
    releases: int
    followed: int
    isolated: Isolated
    already: Isolated = field(default_factory=Isolated)
    at_any_level: Isolated = field(default_factory=Isolated)
    by_release: tuple[IsolatedBy, ...] = ()
    together: Isolated = field(default_factory=Isolated)
