"""``qidguard exception``: let a blocked release through, signed, for a while; or take that back."""

from datetime import UTC, date, datetime

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.home_ledger import home_key, home_ledger
from qidguard.interfaces.options import ledger_option
from qidguard.rendering.printable import visible


@click.group("exception", short_help="Let missed thresholds pass for a while, signed; or take that back.")
def exception_group() -> None:
    """Let missed thresholds pass for a while, signed by an approver of the policy; or take that back."""


@exception_group.command("new")
@click.argument("audit_id")
@click.option(
    "--covers",
    metavar="METRIC",
    multiple=True,
    required=True,
    help="A metric whose missed thresholds are let through; repeat it.",
)
@click.option("--reason", metavar="TEXT", required=True, help="Why; it stands in manifest and history.")
@click.option("--until", metavar="DAY", required=True, help="The last day on which it holds: 2026-12-31.")
@click.option("--key", metavar="FILE", help="The approver's key.  [default: QIDGUARD_KEY]")
@ledger_option
def new_exception_command(
    *, audit_id: str, covers: tuple[str, ...], reason: str, until: str, key: str | None, ledger: str | None
) -> ExitCode:
    """Let the next releases pass although they miss the named thresholds, as the blocked AUDIT_ID did.

    It holds for that data set, that source and exactly that policy, down to the figure that was measured and
    up to the number of persons in the classes that miss it. The key has to be one of the policy's
    exceptions.approvers and none that signs releases.
    """
    from qidguard.evidence.home import Home
    from qidguard.evidence.key_roles import KeyRole, roles_in
    from qidguard.releasing.deciding.approve import Consent, make_exception

    try:
        day = date.fromisoformat(until)
    except ValueError:
        raise UserError(f"--until must be a day such as 2026-12-31, not {until!r}") from None
    signing = home_key(key)
    if signing is None:
        raise UserError("There is no key to sign with; make one with: qidguard keys new")
    if roles_in(Home.at().keys_folder).get(signing.public) is KeyRole.RELEASE:
        raise UserError(
            f"The key {signing.public.id[:12]}… has the role release, and who releases cannot approve too;"
            " sign with an approver's key."
        )
    consent = Consent(audit_id=audit_id, covers=covers, reason=reason, expires=day)
    with home_ledger(ledger) as opened:
        approval = make_exception(opened, consent, signing, datetime.now(UTC))
    click.echo(visible(f"{approval.id}  by {approval.by} until {approval.expires}"))
    for waived in approval.waived:
        click.echo(visible(f"  {waived.text}"))
        click.echo(f"    bound to {waived.bound_to}")
    return ExitCode.PASSED


@exception_group.command("revoke")
@click.argument("exception_id")
@click.option("--reason", metavar="TEXT", required=True, help="Why; it stands in the history.")
@ledger_option
def revoke_command(*, exception_id: str, reason: str, ledger: str | None) -> ExitCode:
    """Take the exception EXCEPTION_ID back; releases that need it are blocked from now on."""
    from qidguard.releasing.deciding.approve import revoke_exception

    with home_ledger(ledger) as opened:
        revoke_exception(opened, exception_id, reason, datetime.now(UTC))
    click.echo(f"{exception_id} is revoked.")
    return ExitCode.PASSED
