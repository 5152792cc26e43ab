"""``qidguard policy init``: draft a policy from a table."""

from dataclasses import replace
from pathlib import Path, PurePath

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import check_output, write_report


@click.command("init", short_help="Draft a policy from a table.")
@click.argument("data")
@click.option("--name", help="What the policy is called.  [default: the file's name]")
@click.option("--output", "-o", metavar="FILE", help="Write the draft to a file instead of standard output.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
@reading_options
def init_command(
    *, data: str, name: str | None, output: str | None, quiet: bool, reading: Reading
) -> ExitCode:
    """Draft a policy for the table DATA: a role for each column, with who proposed it and why.

    A draft is for a person to decide on. Columns that nobody knows are left open, and block until then.
    """
    from qidguard.auditing import audit
    from qidguard.interfaces.drafting import as_shown, drafted, recognized_systems

    check_output(output, data)
    if output not in {None, "-"} and Path(str(output)).is_file():
        raise UserError(f"{output!r} exists, and a reviewed policy is not overwritten; name another file")
    with progress_bar(is_quiet=quiet) as progress:
        options, settings = reading.options(), reading.settings()
        with audit(data, read=options, settings=settings, progress=progress) as found:
            report, shown = found.report, as_shown(found.opened, options)
        if shown != options:
            reading, options = replace(reading, read=reading.read | vars(shown)), shown
            with audit(data, read=options, settings=settings, progress=progress) as found:
                report = found.report
    identifying = () if report.outside is None else report.outside.identifying
    folder = None if output in {None, "-"} else Path(str(output)).parent
    ready = recognized_systems(report.columns, data, reading)
    called = name or PurePath(data).stem or "draft"
    text = drafted(report.columns, called, options, identifying, folder, ready)
    write_report(text, output)
    return ExitCode.PASSED
