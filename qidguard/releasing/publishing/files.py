"""The files of a release: one of a single table, or one for each of several, with their dictionary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError, InternalError
from qidguard.engines.linked import PublishedTable, linked_copy
from qidguard.releasing.publishing.data_package import write_data_package
from qidguard.releasing.publishing.linked_package import write_linked_package
from qidguard.releasing.publishing.order import order_seed

if TYPE_CHECKING:
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.decided import Decided


@dataclass(frozen=True, kw_only=True)
class Files:
    """What was written.

    Args:
        names: The files, the table of the persons first.
        types: The columns of that table with their types, in order.
        columns: Its columns as they were audited, without what stands for other tables.
        tables: Table → its columns, where there are several.
        moved: How many columns of dates were moved.
    """

    names: tuple[str, ...]
    types: Mapping[str, str] = field(repr=False)
    columns: tuple[str, ...]
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    moved: int = 0


def write_files(context: "ReleaseContext", decided: "Decided", folder: Path) -> Files:
    """Write every file of a release into a folder, compared with what was audited.

    Raises:
        DataError: When a format cannot hold what is to be written.
        UserError: When the folder cannot be written.
    """
    assert decided.selection is not None  # noqa: S101 - what is let through has columns
    snapshot, columns = decided.judged.snapshot, decided.selection.published
    linked = linked_copy(decided.source.snapshot)
    seed = None
    if not context.policy.release.keep_order:
        seed = order_seed(context.seed, context.history_key)
    if linked is None:
        kind = context.policy.release.format or snapshot.format
        name = f"{context.data_set}.{kind}"
        context.progress.step("writing", 0, 1)
        types = snapshot.write(folder / name, columns, kind, seed=seed)
        context.progress.step("writing", 1, 1)
        names = (name, *write_data_package(context, decided, folder / name, columns))
        return Files(names=names, types=types, columns=columns)
    _check_held(context, decided, linked.source.made)
    with linked.published(snapshot, columns) as tables:
        written = []
        for done, table in enumerate(tables):
            context.progress.step("writing", done, len(tables))
            written.append(_written(context, folder, table, seed))
        context.progress.step("writing", len(tables), len(tables))
        package = write_linked_package(
            context, decided, folder, {name: t for (name, _), t in zip(written, tables, strict=True)}
        )
        return Files(
            names=(*(name for name, _ in written), package),
            types=written[0][1],
            columns=tuple(name for name in columns if name not in linked.source.made),
            tables={table.name: table.columns for table in tables},
            moved=sum(len(table.moved) for table in tables),
        )


def _check_held(context: "ReleaseContext", decided: "Decided", made: Sequence[str]) -> None:
    """What stands for records is published by them, so it was judged as it is, or nothing is published."""
    changed = () if decided.receipt is None else decided.receipt.columns_changed
    if set(changed) & set(made) or set(made) - set(decided.judged.snapshot.names):
        raise InternalError(f"columns made of records were changed in {context.data_set!r}; please report it")


def _written(
    context: "ReleaseContext", folder: Path, table: PublishedTable, seed: int | None
) -> tuple[str, dict[str, str]]:
    kind = context.policy.release.format or table.records.format
    name = f"{table.name}.{kind}"
    # files in one order would tell whose records stand where
    own = None if seed is None else int(sha256(f"{seed}:{table.name}".encode()).hexdigest()[:15], 16)
    try:
        return name, table.records.write(folder / name, table.columns, kind, seed=own)
    except DataError as error:
        raise DataError(f"Table {table.name!r}: {error}") from None
