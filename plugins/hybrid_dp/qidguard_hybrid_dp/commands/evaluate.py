"""``qidguard hybrid_dp evaluate``: what methods keep, lose and cost on any table."""

from typing import TYPE_CHECKING

import click

from qidguard.sdk import output_options, reading_options, seed_option
from qidguard_hybrid_dp.commands.tried import INTERRUPTED, TriedRoles, method_options, role_options
from qidguard_hybrid_dp.commands.typed import whole_numbers

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput
    from qidguard_hybrid_dp.evaluation.plan import Methods


def evaluate_command() -> click.Command:
    """Return the command."""

    @click.command("evaluate")
    @role_options
    @click.option("--k", metavar="K,...", default="5,10,20,50,100", show_default=True, help="Classes.")
    @method_options
    @click.option(
        "--printed",
        metavar="NAME",
        type=click.Choice(["adult"]),
        help="Show the paper's figures beside, where this is its table: adult.",
    )
    @seed_option
    @reading_options
    @output_options
    def evaluate(
        *,
        data: str,
        roles: TriedRoles,
        k: str,
        methods: "Methods",
        printed: str | None,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Tell what the scheme keeps, loses and costs on the table DATA, beside plain k-anonymity.

        Originality, information loss in each part, statistics, minorities and time (Table III, Fig. 11 to
        18). Noise is drawn by the seed. Nothing of the table is written.
        """
        from qidguard_hybrid_dp.evaluation.calls import evaluate as evaluated

        with output.progress() as progress:
            found = evaluated(
                data,
                roles.qids,
                roles.sensitive,
                k=whole_numbers(k, "--k"),
                methods=methods,
                printed=printed is not None,
                seed=seed,
                read=reading.options(roles.policy),
                settings=reading.settings(roles.policy),
                progress=progress,
                **roles.given,
            )
        plots = found.plots() if output.plots is not None and found.measured else {}
        output.show(*found.tables(), text=found.headline, plots=plots)
        return INTERRUPTED if found.is_interrupted else 0

    return evaluate
