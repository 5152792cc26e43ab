"""The options that several commands have, each said once."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

C = TypeVar("C", bound=Callable[..., Any])

DATA_SET = (
    "The data set's name; the policy's release.data_set must agree.  [default: that, else the file's name]"
)
"""What ``--data-set`` says of itself, wherever a verdict is kept."""

LARGEST_SEED = (1 << 63) - 1

judging_policy = click.option("--policy", "-p", metavar="FILE", required=True, help="The policy to judge by.")
quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="No progress and no remarks on standard error."
)
no_advice_option = click.option(
    "--no-advice", is_flag=True, help="Do not look for what would make a blocked table pass."
)
ledger_option = click.option(
    "--ledger", metavar="URL", help="SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]"
)


def together(*options: Callable[[Any], Any]) -> Callable[[C], C]:
    """Return what gives a command several options, listed in this order."""

    def give(command: C) -> C:
        for option in reversed(options):
            command = option(command)
        return command

    return give


def repeating_seed(repeats: str = "an earlier result") -> Callable[[C], C]:
    """Return ``--seed``, which says what it repeats."""
    kind = click.IntRange(0, LARGEST_SEED)
    return click.option("--seed", metavar="N", type=kind, help=f"Repeats {repeats}.")


def format_option(what: str = "result", *more: str) -> Callable[[C], C]:
    """Return ``--format`` of what is written: console, JSON, and ``more``."""
    return click.option(
        "--format",
        "kind",
        type=click.Choice(["console", "json", *more]),
        default="console",
        show_default=True,
        help=f"How the {what} is written.",
    )


def output_option(what: str = "result") -> Callable[[C], C]:
    """Return ``--output``, which says what it writes."""
    return click.option(
        "--output", "-o", metavar="FILE", help=f"Write the {what} to a file instead of standard output."
    )


loss_options = together(
    click.option(
        "--attack", "attacks", metavar="NAME", multiple=True, help="An attack to rehearse; repeat it."
    ),
    click.option(
        "--utility",
        type=click.Choice(["losses", "models"]),
        default="losses",
        show_default=True,
        help="Whether what was lost is also measured by training models.",
    ),
    click.option(
        "--losses",
        metavar="none|all|NAME,...",
        help="Which losses are measured.  [default: those that cost little]",
    ),
)
"""What a command has that tries methods: attacks, and what was lost."""

record_options = together(
    click.option(
        "--record", is_flag=True, help="Judge as a release would, and keep the verdict in the ledger."
    ),
    click.option("--data-set", metavar="NAME", help=f"Goes with --record. {DATA_SET}"),
    click.option(
        "--ledger",
        metavar="URL",
        help="With --record: SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]",
    ),
)
"""What a command has that can keep its verdict."""
