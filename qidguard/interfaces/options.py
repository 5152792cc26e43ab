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


def loss_options(command: C) -> C:
    """Give a command that tries methods the options of attacks and of what was lost."""
    for option in (
        click.option(
            "--losses",
            metavar="none|all|NAME,...",
            help="Which losses are measured.  [default: those that cost little]",
        ),
        click.option(
            "--utility",
            type=click.Choice(["losses", "models"]),
            default="losses",
            show_default=True,
            help="Whether what was lost is also measured by training models.",
        ),
        click.option(
            "--attack", "attacks", metavar="NAME", multiple=True, help="An attack to rehearse; repeat it."
        ),
    ):
        command = option(command)
    return command


def record_options(command: C) -> C:
    """Give a command the options of keeping its verdict."""
    for option in (
        click.option(
            "--ledger",
            metavar="URL",
            help="With --record: SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]",
        ),
        click.option("--data-set", metavar="NAME", help=f"Goes with --record. {DATA_SET}"),
        click.option(
            "--record", is_flag=True, help="Judge as a release would, and keep the verdict in the ledger."
        ),
    ):
        command = option(command)
    return command
