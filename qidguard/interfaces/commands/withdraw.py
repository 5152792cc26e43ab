"""``qidguard withdraw``: record that a release was taken back."""

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import say


@click.command("withdraw", short_help="Record that a release was taken back.")
@click.argument("data_set")
@click.argument("release_id")
@click.option("--reason", metavar="TEXT", required=True, help="Why.")
@click.option("--ledger", metavar="URL", help="SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]")
def withdraw_command(*, data_set: str, release_id: str, reason: str, ledger: str | None) -> ExitCode:
    """Record that the release RELEASE_ID of DATA_SET was taken back. No file is removed.

    Nightly re-audits no longer look for it. Later releases are still held against it, since what was once
    published may be kept by anybody.
    """
    from datetime import UTC, datetime

    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger
    from qidguard.releasing.withdraw import withdraw

    home = Home.at(None)
    with open_ledger(ledger or home.default_ledger(), anchors=home.anchors_file(), must_exist=True) as opened:
        address = withdraw(opened, data_set, release_id, reason=reason, now=datetime.now(UTC))
    click.echo(f"WITHDRAWN  {data_set} {release_id}")
    say(f"Nothing was removed; if the files still stand at {address}, remove them.")
    return ExitCode.PASSED
