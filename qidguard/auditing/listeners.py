"""The plugins that hear of each finished audit."""

from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block

if TYPE_CHECKING:
    from qidguard.host import Host


def notify_listeners(report: AuditReport, host: "Host") -> AuditReport:
    """Return the report after every listener heard it; a listener that fails turns a pass into a failure."""
    blocks = []
    for plugin, listener in host.listeners:
        try:
            with PluginCode(plugin.origin, "what hears the verdict", passes=()):
                listener(report)
        except PluginError as error:
            blocks.append(Block(rule="listeners", sentence=f"{error}.", is_internal=True))
    if not blocks:
        return report
    if report.verdict is None:
        return replace(report, notes=(*report.notes, *(block.sentence for block in blocks)))
    verdict = replace(report.verdict, blocks=(*report.verdict.blocks, *blocks))
    return replace(report, verdict=verdict)
