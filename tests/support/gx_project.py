"""Great Expectations projects for tests: data as a frame, policies as files."""

from pathlib import Path
from typing import Any

from qidguard.ledger import open_ledger
from qidguard_suites.export import Export, export_policy, write_export
from qidguard_suites.project import Project

DATA = ("clinic", "visits", "whole")
"""Data source, asset and batch definition of every project here."""


def new_context(folder: Path | None = None) -> Any:
    """Return a data context, of a file project in ``folder`` or in memory, with one asset for frames."""
    import great_expectations as gx

    if folder is None:
        found = gx.get_context(mode="ephemeral")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        found = gx.get_context(mode="file", project_root_dir=str(folder))
    found.variables.progress_bars = {"globally": False}
    source, asset, batch = DATA
    found.data_sources.add_pandas(source).add_dataframe_asset(asset).add_batch_definition_whole_dataframe(
        batch
    )
    return found


def opened(folder: Path) -> Any:
    """Return the data context of a project that is there, as another process would."""
    import great_expectations as gx

    import qidguard_expectations  # noqa: F401 - makes the expectations and actions known

    found = gx.get_context(mode="file", project_root_dir=str(folder))
    found.variables.progress_bars = {"globally": False}
    return found


def exported(folder: Path, policy: Any, **given: Any) -> Export:
    """Write a policy into the file project in ``folder``."""
    project = Project.at(folder / "gx")
    export = export_policy(policy, project=project, **given)
    write_export(export, project)
    return export


def run(found: Any, name: str, frame: Any, **given: Any) -> Any:
    """Run a checkpoint on a frame."""
    return found.checkpoints.get(name).run(batch_parameters={"dataframe": frame}, **given)


def results(checkpoint_result: Any) -> list[Any]:
    """Return the results of the expectations of a checkpoint with one validation definition."""
    (only,) = checkpoint_result.run_results.values()
    return list(only.results)


def entries(home: Path) -> list[Any]:
    """Return what the ledger holds."""
    with open_ledger(str(home / "ledger.db")) as ledger:
        return list(ledger.entries())
