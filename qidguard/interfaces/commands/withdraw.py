"""``qidguard withdraw``: record that a release was taken back."""

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.screen import say


@click.command("withdraw", short_help="Record that a release was taken back.")
@click.argument("data_set")
@click.argument("release_id")
@click.option("--reason", metavar="TEXT", required=True, help="Why.")
@click.option("--ledger", metavar="URL", help="SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]")
def withdraw_command(*, data_set: str, release_id: str, reason: str, ledger: str | None) -> ExitCode:
    """Record that the release RELEASE_ID of DATA_SET was taken back. No file is removed.

    A notice with the day, without the reason, is left beside the release, so that qidguard verify says it.

    Nightly re-audits no longer look for it. Later releases are still held against it, since what was once
    published may be kept by anybody.
    """
    from datetime import UTC, datetime

    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger
    from qidguard.releasing.history.past import read_past
    from qidguard.releasing.history.published import promise_of, withdraw
    from qidguard.releasing.publishing.notice import leave_notice

    now = datetime.now(UTC)
    home = Home.at(None)
    with open_ledger(ledger or home.default_ledger(), anchors=home.anchors_file(), must_exist=True) as opened:
        address = withdraw(opened, data_set, release_id, reason=reason, now=now)
        promised = promise_of(read_past(opened, data_set), data_set, release_id).payload
    click.echo(f"WITHDRAWN  {data_set} {release_id}")
    try:
        say(f"{leave_notice(address, data_set, release_id, promised.manifest_sha256, now)} says it as well.")
    except UserError as error:
        say(f"Note: {error}")
    say(f"Nothing was removed; if the files still stand at {address}, remove them.")
    return ExitCode.PASSED
