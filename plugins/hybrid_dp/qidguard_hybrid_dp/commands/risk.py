"""``qidguard hybrid_dp risk``: what an attacker who knows the mechanism believes after a release."""

from typing import TYPE_CHECKING

import click

from qidguard.sdk import output_options, reading_options, seed_option
from qidguard_hybrid_dp.commands.tried import INTERRUPTED, TriedRoles, method_options, role_options
from qidguard_hybrid_dp.commands.typed import whole_numbers

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput
    from qidguard_hybrid_dp.evaluation.plan import Methods


def risk_command() -> click.Command:
    """Return the command."""

    @click.command("risk")
    @role_options
    @click.option("--k", metavar="K,...", default="5,10,20,50,100", show_default=True, help="Classes.")
    @method_options
    @click.option(
        "--targets",
        type=click.IntRange(min=2),
        metavar="N",
        default=1500,
        show_default=True,
        help="Persons who are looked for, and as many who are left out of the release.",
    )
    @seed_option
    @reading_options
    @output_options
    def risk(
        *,
        data: str,
        roles: TriedRoles,
        k: str,
        methods: "Methods",
        targets: int,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Tell what the scheme gives away of people in the table DATA, beside plain k-anonymity.

        Mean posteriors of a target's own record and sensitive value, for an attacker who knows scales and
        partition rule, and of the quasi-identifiers some or all. Each record counts as a person. Noise is
        drawn by the seed. Nothing of the table is written.
        """
        from qidguard_hybrid_dp.evaluation.calls import risk as attacked

        with output.progress() as progress:
            found = attacked(
                data,
                roles.qids,
                roles.sensitive,
                k=whole_numbers(k, "--k"),
                methods=methods,
                targets=targets,
                seed=seed,
                read=reading.options(roles.policy),
                settings=reading.settings(roles.policy),
                progress=progress,
                **roles.given,
            )
        plots = found.plots() if output.plots is not None and found.rows else {}
        output.show(*found.tables(), text=found.headline, plots=plots)
        return INTERRUPTED if found.is_interrupted else 0

    return risk
