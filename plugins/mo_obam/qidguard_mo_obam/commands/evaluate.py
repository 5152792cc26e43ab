"""``qidguard mo_obam evaluate``: the paper's Tables IV and V of any table."""

from typing import TYPE_CHECKING

import click

from qidguard.sdk import output_options, reading_options, seed_option
from qidguard_mo_obam.commands.command import INTERRUPTED
from qidguard_mo_obam.commands.plan import plan_options
from qidguard_mo_obam.commands.roles import StudyRoles, role_options
from qidguard_mo_obam.evaluation.printed import PRINTED, printed_table

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput
    from qidguard_mo_obam.evaluation.evaluation import Plan


def evaluate_command() -> click.Command:
    """Return the command."""

    @click.command("evaluate")
    @role_options
    @plan_options(n_c="30,free", methods="mdav,zheng_l_diversity,mo_obam")
    @click.option(
        "--printed",
        metavar="NAME",
        type=click.Choice(tuple(PRINTED)),
        help="Show the paper's rows beside, where this is its table: german or adult.",
    )
    @seed_option
    @reading_options
    @output_options
    def evaluate(
        *,
        data: str,
        roles: StudyRoles,
        plan: "Plan",
        printed: str | None,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Compare methods on the table DATA: loss, people at risk of linkage, homogeneity (Tables IV and V).

        Each method is tried in memory. Nothing of the table is written.
        """
        from qidguard_mo_obam.evaluation.evaluation import evaluate_in

        with output.progress() as progress:
            found = evaluate_in(
                roles.case(data, reading, seed, has_target=False),
                plan,
                printed=None if printed is None else printed_table(printed),
                progress=progress,
            )
        output.show(*found.tables(), text=found.headline)
        return INTERRUPTED if found.is_interrupted else 0

    return evaluate
