"""The report as JUnit XML: a test case for each threshold and for each other reason to block."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block, ThresholdResult
from qidguard.rendering.isolated import isolated_sentences
from qidguard.rendering.printable import visible
from qidguard.rendering.sentence import headline, outcome
from qidguard.rendering.threshold import demand, place, subject, threshold_sentence
from qidguard.rendering.undone import read_back_sentence


def junit_text(report: AuditReport, advice: Sequence[str] = ()) -> str:
    """Return the report as JUnit XML.

    A missed threshold or another reason to block is a failure, one that only warns a word beside a case
    that passed; a fault of a plugin or of qidguard itself is an error; a table without a policy is one
    skipped case. Lines of advice stand as the suite's output.
    """
    results = () if report.verdict is None else report.verdict.thresholds
    blocks = () if report.verdict is None else report.verdict.blocks
    faults = sum(b.is_internal for b in blocks) + sum(r.measurement.is_fault for r in results)
    counts = {
        "tests": str(max(1, len(results) + len(blocks))),
        "failures": str(sum(r.is_blocking for r in results) + len(blocks) - faults),
        "errors": str(faults),
        "skipped": str(int(report.verdict is None)),
        "time": f"{report.seconds:.3f}",
    }
    root = Element("testsuites", {"name": "qidguard", **counts})
    suite = SubElement(root, "testsuite", {"name": visible(report.source), **counts})
    _properties(suite, report)
    for result in results:
        _threshold(suite, result)
    for block in blocks:
        _block(suite, block)
    if report.verdict is None:
        case = SubElement(suite, "testcase", {"classname": "qidguard.policy", "name": "policy"})
        SubElement(case, "skipped", {"message": headline(report)})
    if advice:
        SubElement(suite, "system-out").text = "\n".join(map(visible, advice))
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _properties(suite: Element, report: AuditReport) -> None:
    facts = {
        "outcome": outcome(report).lower(),
        "policy": report.policy,
        "policy_sha256": report.policy_digest,
        "preset": report.preset,
        "records": str(report.records),
        "entities": None if report.entities is None else str(report.entities),
        "qidguard": report.versions.get("qidguard"),
    }
    published = () if report.verdict is None else report.verdict.thresholds
    for read in report.read_backs:
        name = "read_back_accepted" if read.is_accepted else "read_back"
        facts[name] = read_back_sentence(read, published)
    if report.isolated:
        facts["isolated_over_releases"] = " ".join(isolated_sentences(report))
    properties = SubElement(suite, "properties")
    for name, value in facts.items():
        if value is not None:
            SubElement(properties, "property", {"name": name, "value": visible(value)})


def _threshold(suite: Element, result: ThresholdResult) -> None:
    figure = result.measurement
    case = SubElement(
        suite,
        "testcase",
        {
            "classname": f"qidguard.{visible(result.limit.combination)}.{visible(figure.metric)}",
            "name": f"{subject(figure)} {demand(result.limit, figure.unit)}, {place(figure)}",
        },
    )
    sentence = threshold_sentence(result)
    if result.is_blocking:
        kind = "error" if figure.is_fault else "failure"
        SubElement(case, kind, {"message": sentence, "type": "threshold"}).text = sentence
    elif not result.is_met:
        SubElement(case, "system-out").text = f"Warning: {sentence}"


def _block(suite: Element, block: Block) -> None:
    sentence = visible(block.sentence)
    case = SubElement(
        suite, "testcase", {"classname": "qidguard.block", "name": f"{visible(block.rule)}: {sentence}"}
    )
    kind = "error" if block.is_internal else "failure"
    SubElement(case, kind, {"message": sentence, "type": visible(block.rule)}).text = sentence
