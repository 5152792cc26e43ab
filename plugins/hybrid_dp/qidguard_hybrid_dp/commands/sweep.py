"""``qidguard hybrid_dp sweep``: what each ε costs and gives away."""

from typing import TYPE_CHECKING

import click

from qidguard.sdk import output_options, reading_options, seed_option
from qidguard_hybrid_dp.commands.tried import INTERRUPTED, TriedRoles, role_options
from qidguard_hybrid_dp.commands.typed import choices, fractions

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput


def sweep_command() -> click.Command:
    """Return the command."""

    @click.command("sweep")
    @role_options
    @click.option(
        "--k", type=click.IntRange(min=2), metavar="K", default=5, show_default=True, help="Smallest class."
    )
    @click.option(
        "--epsilon", metavar="E,...", default="0.01,0.1,1,5,10", show_default=True, help="ε of each number."
    )
    @click.option("--scale", metavar="A,B", default="range,unit", show_default=True, help="Scales of noise.")
    @click.option(
        "--cluster",
        type=click.Choice(["both", "violating"]),
        default="both",
        show_default=True,
        help="Which part is clustered.",
    )
    @click.option(
        "--targets",
        type=click.IntRange(min=2),
        metavar="N",
        default=1500,
        show_default=True,
        help="Persons who are looked for.",
    )
    @seed_option
    @reading_options
    @output_options
    def sweep(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        roles: TriedRoles,
        k: int,
        epsilon: str,
        scale: str,
        cluster: str,
        targets: int,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Sweep ε over the table DATA: distributions, loss of numbers, disclosure (Fig. 16, 17).

        The clusters stay, for they depend on no number; both parts get the same ε. Noise is drawn by the
        seed. Nothing of the table is written.
        """
        from qidguard_hybrid_dp.evaluation.calls import sweep as swept

        with output.progress() as progress:
            found = swept(
                data,
                roles.qids,
                roles.sensitive,
                k=k,
                epsilons=fractions(epsilon, "--epsilon"),
                scales=choices(scale, "--scale", ("range", "unit")),
                cluster=cluster,
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

    return sweep
