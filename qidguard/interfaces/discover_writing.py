"""Write what a search found into a policy: quasi-identifiers are added, and nothing else changes."""

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError, UserError
from qidguard.core.system import open_plain
from qidguard.interfaces.screen import check_not_read

if TYPE_CHECKING:
    from qidguard.core.role import RoleAssignment
    from qidguard.discovering.discovery import Discovery
    from qidguard.discovering.found import ColumnFinding
    from qidguard.engines.base import ReadOptions

BOM = "\ufeff"


def check_policy_file(path: str, *inputs: str | None) -> None:
    """Check before a search that its result can be written to a policy.

    Example:
        >>> check_policy_file("policy.yaml")
    """
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise UserError(f"--write {path!r} names no file in a folder that exists; correct the path")
    for given in inputs:
        if given is not None and _is_same(target, Path(given)):
            raise UserError(f"--write {path!r} would overwrite what is read or written; name another file")
    check_not_read(path, option="--write", but="policy")
    if target.exists():
        _text(target)


def write_policy(path: str, found: "Discovery", options: "ReadOptions") -> tuple[str, ...]:
    """Write the quasi-identifiers that were found into a policy, in one step.

    A file that is there keeps everything it says, and gets those it does not name; ``auto`` becomes the list
    of what recognizers know and what was found. A new file is a draft for a person to decide on.
    """
    from qidguard.interfaces.drafting import drafted
    from qidguard.interfaces.starter.writing import write_text
    from qidguard.policy import parse_policy

    target = Path(path)
    if not target.exists():
        from qidguard.core.report import ColumnReport

        reports = [
            ColumnReport(
                facts=column.facts,
                assignment=_asked(column, role),
                proposals=column.proposals,
                kind=column.kind,
            )
            for column, role in zip(found.columns, found.roles(), strict=True)
        ]
        identifying = [column.identifying for column in found.columns if column.identifying is not None]
        name = PurePath(found.source).stem or "draft"
        text = drafted(reports, name, options, identifying, target.parent)
        parse_policy(text, path)
        write_text(target, text, remedy="name another file")
        return (f"{path}: a new draft; decide on every column in it.",)
    before = _text(target)
    bare = before.removeprefix(BOM)
    after = before[: len(before) - len(bare)] + _with_found(bare, path, found)
    if after == before:
        return (f"{path}: it names all of them already; nothing was written.",)
    write_text(target, after, mode=target.stat().st_mode & 0o777, remedy="give rights to it")
    return (f"{path}: changed so:", *_changes(before, after))


def _asked(column: "ColumnFinding", role: "RoleAssignment") -> "RoleAssignment":
    """Return a role that the search did not find and of which recognizers are not sure as a question."""
    from qidguard.auditing.proposed import asked
    from qidguard.core.role import DecidedBy

    first = next(iter(column.proposals), None)
    if column.is_found or first is None or first.is_sure or role.decided_by is DecidedBy.PERSON:
        return role
    return role.left_open(asked(first))


def _with_found(text: str, path: str, found: "Discovery") -> str:
    from qidguard.core.role import Role
    from qidguard.policy.rewriting import is_auto, with_quasi_identifiers

    is_open = is_auto(text, path)
    added = {
        role.column: f"{role.decided_by}: {role.reason}"
        for column, role in zip(found.columns, found.roles(), strict=True)
        if column.is_found or (is_open and role.role is Role.QUASI_IDENTIFIER)
    }
    return with_quasi_identifiers(text, added, path)


def _changes(before: str, after: str) -> Iterator[str]:
    lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return (f"  {line}" for line in lines if line[:1] in "+-" and line[:3] not in {"+++", "---"})


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, which need not exist yet."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def _text(path: Path) -> str:
    try:
        # as bytes, so that line ends stay what they are
        with open_plain(path) as file:
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise PolicyError(
            f"{str(path)!r} cannot be read as UTF-8 text, so it is no policy to write to"
        ) from None
