"""Commands of ``qidguard``: the names of its own, and what a plugin adds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from qidguard.core.annotation import field_misfits

if TYPE_CHECKING:
    from click import Command as ClickCommand

OWN_GROUPS: Final = ("exception", "hierarchy", "keys", "policy")
"""The commands of qidguard itself that hold others."""
OWN_COMMANDS: Final = (
    *("anonymize", "audit", "demo", "discover", "explain", "history", "init", "plugins"),
    *("release", "schema", "show", "verify", "withdraw"),
)
"""The other commands of qidguard itself."""
OF_EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "compare": ("comparison",),
    "gx": (),
    "series": ("series-plan",),
}
"""The commands that an extra of the same name brings, and the documents whose schemas come with each."""


@dataclass(frozen=True, kw_only=True)
class StarterFiles:
    """What a command adds to the folder that ``qidguard init`` fills; nothing of it is written yet.

    Args:
        files: Path below that folder → the file's text; a text that stands there already is left as it is.
        next_step: What to do with them, in one line.
        notes: What a reader must know beside them, one sentence each.

    Example:
        >>> StarterFiles(files={"gx/readme.txt": "..."}, next_step="read gx/readme.txt").notes
        ()
    """

    files: Mapping[str, str] = field(repr=False)
    next_step: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command that a plugin adds to ``qidguard``; it may be a group of commands.

    Args:
        name: What is typed after ``qidguard``: a plain identifier that is no command of qidguard.
        title: One phrase for ``qidguard --help``, such as ``Compare two ways to choose QIDs.``
        make: Makes the command of click when it is called, so that what it needs is imported only then. The
            command returns its exit code: 0 done, 1 blocked, 2 a mistake of the user.
        schemas: Name of a document that the command writes → returns the text of its JSON Schema, which
            ``qidguard schema NAME`` prints.
        starter: Returns what ``qidguard init`` writes for the command, of a policy and the folder that is
            filled; None for nothing.
        solutions: Shows the solutions of a method for ``qidguard anonymize --pareto`` and returns the exit
            code; it takes source and policy, and by name anonymizer, choose, seed, reading and output.

    Raises:
        TypeError: When a field has another type.
        ValueError: When the title is empty.

    Example:
        >>> import click
        >>> @click.command()
        ... def hello() -> int:
        ...     return 0
        >>> Command(name="hello", title="Say hello.", make=lambda: hello).make().name
        'hello'
    """

    name: str
    title: str
    make: "Callable[[], ClickCommand]"
    starter: Callable[[Any, Path], StarterFiles] | None = None
    schemas: Mapping[str, Callable[[], str]] = field(default_factory=dict, repr=False)
    solutions: Callable[..., int] | None = None

    def __post_init__(self) -> None:
        given: dict[str, Any] = vars(self)
        for name, words in field_misfits(self).items():
            raise TypeError(f"the command {given['name']!r}: {name} must be {words}")
        if not callable(given["make"]):
            kind = type(given["make"]).__name__
            raise TypeError(f"the command {self.name!r}: make must be a function, not {kind}")
        if not self.title.strip():
            raise ValueError(f"the command {self.name!r} needs a title, which qidguard --help shows")
