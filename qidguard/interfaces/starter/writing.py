"""Writing a working set into a folder of the user's, and never over what differs."""

from contextlib import suppress
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.interfaces.starter.working_set import PUBLIC, WorkingSet
from qidguard_suites.files import is_there, write_text


def write_set(made: WorkingSet, *, is_forced: bool = False) -> dict[str, bool]:
    """Write a working set; everything is looked at before the first file is written.

    Example:
        >>> import tempfile
        >>> from qidguard.interfaces.starter.working_set import working_set
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = working_set(folder, has_gx=False)
        ...     all(write_set(made).values()), any(write_set(made).values())
        (True, False)
    """
    changed = {path: not _is_same(made.folder / path, text) for path, text in made.files.items()}
    standing = [path for path, is_new in changed.items() if is_new and is_there(made.folder / path)]
    if standing and not is_forced:
        raise UserError(
            f"In {str(made.folder)!r} these files differ from what would be written: {', '.join(standing)};"
            " nothing was written. Name another folder, or replace them with --force"
        )
    for path, is_new in changed.items():
        if is_new and (made.folder / path).is_dir():
            raise UserError(f"{str(made.folder / path)!r} is a folder, and a file must stand there; move it")
    if made.project is not None:
        from qidguard_suites.files import write_files

        written = write_files(made.project.folder, made.documents, is_forced=is_forced)
        changed |= {f"gx/{path}": is_new for path, is_new in written.items()}
    for path, text in made.files.items():
        if changed[path]:
            _write(made.folder / path, text, made.policy_mode if path == made.policy_file else PUBLIC)
    return changed


def _is_same(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _write(path: Path, text: str, mode: int) -> None:
    with suppress(OSError):
        mode &= path.stat().st_mode  # what was narrowed by hand stays so
    write_text(path, text, mode=mode, remedy="name another folder")
