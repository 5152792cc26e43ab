"""Tell the listening plugins of a finished audit."""

from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block

if TYPE_CHECKING:
    from qidguard.host import Host


def tell(report: AuditReport, host: "Host") -> AuditReport:
    """Return the report after every listener heard it; a listener that fails turns a pass into a failure."""
    blocks = []
    for plugin, listener in host.listeners:
        try:
            listener(report)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything, even an exit with 0
            owner = f"plugin {plugin.name!r} of {plugin.distribution} {plugin.version}"
            sentence = (
                f"{owner} failed with {type(error).__name__} when it heard the verdict; mend or remove it."
            )
            blocks.append(Block(rule="listeners", sentence=sentence, is_internal=True))
    if not blocks:
        return report
    if report.verdict is None:
        return replace(report, notes=(*report.notes, *(block.sentence for block in blocks)))
    verdict = replace(report.verdict, blocks=(*report.verdict.blocks, *blocks))
    return replace(report, verdict=verdict)
