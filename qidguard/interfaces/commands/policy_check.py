"""``qidguard policy check``: whether a policy can be judged on a table, without measuring."""

from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.rendering.printable import listed, visible

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


@click.command("check", short_help="Check that a policy fits a table, without measuring.")
@click.argument("policy")
@click.argument("data", required=False)
@reading_options
def check_command(*, policy: str, data: str | None, reading: Reading) -> ExitCode:
    """Check POLICY against the columns of DATA and the installed metrics. Nothing is measured.

    Without DATA the tables are where the policy says.

    Exit code: 0 it fits, 1 it fits but cannot pass as it stands, 2 it does not fit, 3 it needs a plugin
    that is broken or missing.
    """
    from datetime import UTC, datetime

    from qidguard.auditing.context import source_of
    from qidguard.auditing.doubts import missing_population, overdue
    from qidguard.auditing.judging import plan
    from qidguard.auditing.linked.source import undecided
    from qidguard.auditing.roles import policy_roles
    from qidguard.host import load_host
    from qidguard.policy import load_policy

    rules, host = load_policy(policy), load_host()
    engine = host.engine(rules.engine)
    source, settings = source_of(data, rules), reading.settings(rules)
    names = engine.column_names(source, reading.options(rules), settings)
    planned = plan(rules, names, host)
    asked = "" if planned.demands is None else f", {_counted(len(planned.demands), 'threshold')} to judge"
    unnamed = [name for name in names if name not in rules.decided_columns]
    _, blocks = policy_roles(names, rules, None) if not rules.is_auto else ((), ())
    reasons = [f"does not name {listed(unnamed)}; give each a role or drop it."] if blocks else []
    reasons += undecided(engine, source, settings)
    reasons += [block.sentence for block in overdue(rules, datetime.now(UTC).date())]
    reasons += missing_population(rules, planned.demands or ())
    if reasons:
        click.echo(f"BLOCKED: policy {visible(rules.name)} fits, but {' '.join(reasons)}")
        _say_accepted(rules)
        _say_noised(rules, host)
        return ExitCode.BLOCKED
    qids = " (QIDs are recognized when it is audited)" if rules.is_auto else ""
    click.echo(f"OK: policy {visible(rules.name)} fits: {_counted(len(names), 'column')}{asked}{qids}.")
    _say_accepted(rules)
    _say_noised(rules, host)
    return ExitCode.PASSED


def _say_accepted(policy: "Policy") -> None:
    for accepted in policy.accepted:
        by = f" ({visible(accepted.by)})" if accepted.by else ""
        click.echo(f"Accepted: {visible(accepted.text)}: {visible(accepted.reason)}{by}")


def _say_noised(policy: "Policy", host: "Host") -> None:
    from qidguard.auditing.noise import left_out_words
    from qidguard.auditing.remedy import find_remedy

    remedy = find_remedy(policy, host)
    for sentence in left_out_words(policy, draws_noise=remedy is not None and remedy.draws_noise):
        click.echo(f"Noise: {visible(sentence)}")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
