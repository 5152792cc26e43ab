"""``qidguard hybrid_dp patterns``: the pattern-friendly QIDs of a table (Fig. 9)."""

from typing import TYPE_CHECKING

import click

from qidguard.sdk import (
    UserError,
    listed_names,
    load_policy,
    output_options,
    reading_options,
    seed_option,
)

if TYPE_CHECKING:
    from qidguard.sdk import Reading, ResultOutput


@click.command("patterns")
@click.argument("data")
@click.option("--policy", metavar="FILE", help="A policy, whose roles and reading count.")
@click.option("--qids", metavar="A,B,...", help="The quasi-identifiers.  [default: the policy's]")
@click.option("--sensitive", metavar="A,B,...", help="What a forest predicts.  [default: the policy's]")
@click.option("--target", metavar="NAME", help="What it predicts where nothing is sensitive.")
@click.option("--refit", is_flag=True, help="Fit a forest without each column instead of permuting it.")
@seed_option
@reading_options
@output_options
def patterns_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str,
    policy: str | None,
    qids: str | None,
    sensitive: str | None,
    target: str | None,
    refit: bool,
    seed: int,
    reading: "Reading",
    output: "ResultOutput",
) -> int:
    """Show which quasi-identifiers of the table DATA are pattern-friendly, and why (Fig. 5, 9).

    Nothing of the table is written.
    """
    from qidguard_hybrid_dp.patterns.finding import find_patterns

    written = None if policy is None else load_policy(policy)
    named = () if written is None else written.roles.qids
    if qids is not None:
        named = listed_names(qids, "--qids")
    if not named:
        raise UserError("nobody names the quasi-identifiers; name them with --qids, or a policy")
    predicted = () if written is None else written.roles.sensitive
    if sensitive is not None:
        predicted = listed_names(sensitive, "--sensitive")
    found = find_patterns(
        data,
        named,
        tuple(name for name in predicted if name not in named),
        target=target or (None if written is None or predicted else written.roles.target),
        is_refitted=refit,
        seed=seed,
        read=reading.options(written),
        settings=reading.settings(written),
    )
    plots = found.plots() if output.plots is not None else {}
    output.show(*found.tables(), text=found.headline, plots=plots)
    return 0
