"""``qidguard init``: a working set for an Airflow and a Great Expectations project of the user's own."""

import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import say
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from qidguard.interfaces.starter.working_set import WorkingSet


@click.command("init", short_help="Write a working set into a folder: policy, DAGs, suite and checkpoint.")
@click.argument("folder", metavar="DIR")
@click.option("--policy", "-p", metavar="FILE", help="Your policy.  [default: a demo's, with its tables]")
@click.option("--airflow/--no-airflow", "has_airflow", default=True, show_default=True, help="DAGs.")
@click.option(
    "--gx/--no-gx",
    "has_gx",
    default=None,
    help="Great Expectations suite and checkpoint.  [default: where qidguard[gx] is installed]",
)
@click.option("--force", "is_forced", is_flag=True, help="Replace files that differ.")
def init_command(
    *, folder: str, policy: str | None, has_airflow: bool, has_gx: bool | None, is_forced: bool
) -> ExitCode:
    """Write a working set into DIR: a policy, the DAGs around it, its suite and its checkpoint.

    DIR may be a folder that you have already; it gets dags/, dags/policies/, gx/ and, for the demo, data/.
    Airflow need not be installed, and no table of yours is read.

    Exit code: 0 written or unchanged, 2 a mistake in what was given, or a file that differs.
    """
    from qidguard.interfaces.starter.working_set import working_set

    made = working_set(folder, policy=policy, has_airflow=has_airflow, has_gx=has_gx)
    for path, is_new in made.write(is_forced=is_forced).items():
        click.echo(f"{'written' if is_new else 'unchanged':<9}  {visible(str(made.folder / path))}")
    for note in made.notes:
        say(f"Note: {note}")
    click.echo("\nNext")
    for line in _next(made, is_demo=policy is None, has_airflow=has_airflow):
        click.echo(f"  {visible(line)}")
    return ExitCode.PASSED


def _next(made: "WorkingSet", *, is_demo: bool, has_airflow: bool) -> Iterator[str]:
    from qidguard.interfaces.starter.working_set import RAW_TABLE

    file = shlex.quote(str(made.folder / made.policy_file))
    if made.policy.source.path is None:
        yield f"write into {file} where the table is: source: {{path: ...}}"
    else:
        table = shlex.quote(os.path.normpath(str(made.policy.source_path)))
        yield f"qidguard release {table} --policy {file}"
    if made.policy.release.destination is None:
        yield f"write into {file} where releases go: release: {{destination: ...}}"
    yield "qidguard keys new    makes the key that signs releases"
    if has_airflow:
        dags = shlex.quote(str(made.folder / "dags"))
        yield f"export AIRFLOW__CORE__DAGS_FOLDER={dags}    or copy it into yours"
        yield "airflow dags test gate_and_publish"
        if is_demo:
            raw = f'{{"source": "{made.folder / RAW_TABLE}"}}'
            yield f"airflow dags test gate_and_publish -c {shlex.quote(raw)}    is blocked"
    if made.next_step:
        yield made.next_step
