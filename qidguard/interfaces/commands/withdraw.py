"""``qidguard withdraw``: record that a release was taken back."""

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.home_ledger import home_key, home_ledger
from qidguard.interfaces.options import ledger_option
from qidguard.interfaces.screen import say


@click.command("withdraw", short_help="Record that a release was taken back.")
@click.argument("data_set")
@click.argument("release_id")
@click.option(
    "--reason", metavar="TEXT", required=True, help="Why; it is published in the notice, so name nobody."
)
@ledger_option
@click.option("--key", metavar="FILE", help="The key that signs the notice.  [default: QIDGUARD_KEY]")
def withdraw_command(
    *, data_set: str, release_id: str, reason: str, ledger: str | None, key: str | None
) -> ExitCode:
    """Record that the release RELEASE_ID of DATA_SET was taken back. No file is removed.

    A notice with the names, the day and the reason is left beside the release, signed by the key that signs
    releases, so that qidguard verify says it. A notice that nobody signed is a doubt and no more.

    Nightly re-audits no longer look for it. Later releases are still held against it, since what was once
    published may be kept by anybody.
    """
    from datetime import UTC, datetime

    from qidguard.releasing.history.published import withdraw

    now, signs = datetime.now(UTC), home_key(key)
    with home_ledger(ledger) as opened:
        gone = withdraw(opened, data_set, release_id, reason=reason, now=now, key=signs)
    click.echo(f"WITHDRAWN  {data_set} {release_id}")
    if gone.notice is not None:
        say(f"{gone.notice} says it as well.")
    for note in gone.notes:
        say(f"Note: {note}")
    say(f"Nothing was removed; if the files still stand at {gone.address}, remove them.")
    return ExitCode.PASSED
