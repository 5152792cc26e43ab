"""What a name means: of a metric, of anything else that plugins offer, of a preset."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError
from qidguard.core.metric import Direction, Metric, Unit
from qidguard.core.parameter import Parameter
from qidguard.host import Host, load_host
from qidguard.host.explaining import DIRECTIONS, of_suppressed, parameter_lines
from qidguard.host.kinds import KINDS, METRICS, Kind
from qidguard.policy import PRESETS, did_you_mean
from qidguard.rendering.figure import limit_figure
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from qidguard.policy import Preset

PRESET = "preset"
"""The kind of a published rule, which a policy names; no plugin offers one."""

_HEADINGS = {
    "meaning": "What it means",
    "formula": "How it is computed",
    "good_value": "What a good value is",
    "source": "Source",
    "missing": "Missing values",
    "empty": "An empty table",
    "single_class": "A single class",
}


@dataclass(frozen=True, kw_only=True)
class Explained:
    """What a name means; it prints well in a terminal and a notebook.

    Args:
        kind: What it is: ``metric``, ``anonymizer``, ``search strategy``, ``preset`` and so on.
        name: The name that policies and commands use.
        title: One phrase.
        facts: One line: of a metric its unit, its range and which way is safer.
        sections: Heading and text, in the order of reading.
        origin: The plugin that offers it, with its distribution and version.
    """

    kind: str
    name: str
    title: str
    facts: str
    sections: tuple[tuple[str, str], ...]
    origin: str

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values that JSON knows.

        Example:
            >>> import qidguard
            >>> qidguard.explain("wp29-2014").to_dict()["kind"]
            'preset'
        """
        own = {name: getattr(self, name) for name in ("kind", "name", "title", "facts", "origin")}
        return {**own, "sections": [{"heading": head, "text": text} for head, text in self.sections]}

    def to_json(self) -> str:
        """Return it as JSON text, with a line feed at the end.

        Example:
            >>> import qidguard
            >>> qidguard.explain("k_anonymity").to_json().splitlines()[1]
            '  "kind": "metric",'
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    def __str__(self) -> str:
        parts = [f"{self.title}  {self.name}", self.facts]
        parts += [f"\n{heading}\n  " + text.replace("\n", "\n  ") for heading, text in self.sections]
        return "\n".join([*parts, f"\n{self.origin}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<b>{escape(self.title)}</b> <code>{escape(self.name)}</code>", escape(self.facts)]
        for heading, text in self.sections:
            parts.append(f"<b>{escape(heading)}</b><br>" + escape(text).replace("\n", "<br>"))
        paragraphs = "".join(f"<p>{part}</p>" for part in [*parts, escape(self.origin)])
        return f'<div style="max-width:50em">{paragraphs}</div>'


def explain(name: str, *, kind: str | None = None, host: Host | None = None) -> Explained:
    """Say in plain words what a name means.

    Args:
        name: A metric, recognizer, search strategy, objective, recognition score, search plot, anonymizer,
            attack, engine or command of a plugin, or a preset.
        kind: Which of several things of this name: ``"search strategy"``; None takes the metric, else the
            kind that ``qidguard plugins`` lists first.
        host: The plugins; None takes the installed ones.

    Returns:
        Of a metric its formula, its source and what a good value is; of anything else how it is asked for
        and what may be set; of a preset its rule and where that is written.

    Raises:
        UserError: When there is no such name, or none of this kind; it names the nearest.
        PluginError: When a plugin that is broken may offer it.

    Example:
        >>> import qidguard
        >>> found = qidguard.explain("k_anonymity")
        >>> found.kind, found.facts
        ('metric', 'records or entities, 1 to infinity; higher is safer')
    """
    every = explained(name, host=host)
    if kind is None:
        return every[0]
    found = next((one for one in every if one.kind == kind), None)
    if found is None:
        known = " and ".join(f"a {one.kind}" for one in every)
        raise UserError(f"{name!r} is no {kind} but {known}; name that kind")
    return found


def explained(name: str, *, host: Host | None = None) -> tuple[Explained, ...]:
    """Return what a name means, once for each kind of things that is called so, at least one.

    UserError when there is no such name; PluginError when a plugin that is broken may offer it.
    """
    host = host or load_host()
    found = [_metric(host.metric(name), host)] if name in host.metrics else []
    found += [
        _offer(kind, name, host) for kind in KINDS if kind is not METRICS and name in host.registry[kind.name]
    ]
    found += [_preset(PRESETS[name])] if name in PRESETS else []
    if not found:
        _refuse(name, host)
    return tuple(found)


def _offer(kind: Kind[Any], name: str, host: Host) -> Explained:
    found = host.registry[kind.name][name]
    facts, sections = _sections([*kind.explain(found), *parameter_lines(found)])
    return Explained(
        kind=kind.word,
        name=name,
        title=visible(found.title),
        facts=facts,
        sections=sections,
        origin=host.owner(kind.name, name),
    )


def _refuse(name: str, host: Host) -> None:
    """Raise what is to be said of a name that nobody knows."""
    known = {one: kind for kind in reversed(KINDS) for one in host.registry[kind.name]}
    close = did_you_mean(name, [*known, *PRESETS])
    guessed = close.split("'")[1] if "'" in close else ""
    if guessed in PRESETS and guessed not in known:
        raise UserError(f"there is no {PRESET} {name!r}; {close}")
    host.find(known.get(guessed, METRICS), name)


def _sections(lines: Sequence[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the facts, and the sections: a line that is followed by indented ones is their heading."""
    facts: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("  ") and sections:
            sections[-1][1].append(visible(line.removeprefix("  ")))
        elif following.startswith("  "):
            sections.append((visible(line), []))
        else:
            facts.append(visible(line))
    return "\n".join(facts), tuple((heading, "\n".join(texts)) for heading, texts in sections)


def _metric(metric: Metric, host: Host) -> Explained:
    low, high = (_end(value, metric.unit) for value in (metric.minimum, metric.maximum))
    words = [
        (heading, " ".join(visible(getattr(metric.explanation, field).replace("\n", " ")).split()))
        for field, heading in _HEADINGS.items()
    ]
    suppressed = [("Suppressed values", line) for line in of_suppressed(metric)]
    return Explained(
        kind=METRICS.word,
        name=metric.name,
        title=visible(metric.title),
        facts=f"{unit(metric)}, {low} to {high}; {DIRECTIONS[metric.direction]}",
        sections=(*words, *suppressed, ("In a policy", "\n".join(_usage(metric)))),
        origin=host.owner(METRICS.name, metric.name),
    )


def _preset(preset: "Preset") -> Explained:
    sections = [("The rule", preset.nominal), ("In a policy", f"preset: {preset.name}")]
    sections += [("Thresholds", preset.thresholds_text)] if preset.thresholds else []
    sections += [("A person must attest", "\n".join(f"that {one}" for one in preset.attest))] * bool(
        preset.attest
    )
    sections += [("Meant for", preset.applies_to), ("Source", f"{preset.source} ({preset.mark})")]
    sections += [("Note", preset.note)] if preset.note else []
    return Explained(
        kind=PRESET,
        name=preset.name,
        title=preset.title,
        facts=f"A preset: {preset.family}",
        sections=tuple(sections),
        origin="qidguard",
    )


def unit(metric: Metric) -> str:
    """Return a metric's unit in words."""
    return "records or entities" if metric.unit is Unit.PERSONS else metric.unit.value


def _end(value: float, unit: Unit) -> str:
    return "infinity" if value == float("inf") else limit_figure(value, unit.value)


def _usage(metric: Metric) -> Iterator[str]:
    """Yield a threshold as a policy would write it, and what each parameter means."""
    if metric.change_of:
        change = f"the change of {metric.change_of} since the last set of a search"
        yield f"a policy cannot ask for it: it is {change}"
        return
    bound = "at_least" if metric.direction is Direction.HIGHER_IS_SAFER else "at_most"
    yield from (f"- metric: {metric.name}", f"  {bound}: ...")
    if metric.parameters:
        yield "  parameters:"
    yield from (f"    {p.name}: {_default(p)}  # {visible(p.meaning)}" for p in metric.parameters)
    if metric.is_sensitive:
        yield "measured once for each sensitive attribute"
    elif metric.attribute is not None:
        yield f"measured beside the column that the policy names as roles.{metric.attribute}"
    if metric.needs_order:
        yield "needs an order of the values: numbers, dates, or one declared (order: {column: [first, ...]})"
    if metric.needs_population:
        yield "needs the policy's population table"
    if metric.needs_history:
        yield "measured against earlier releases"
    if metric.needs_original:
        yield "measured against the original table, in a release or with: audit --original"


def _default(parameter: Parameter) -> str:
    if parameter.default is None:
        return "..."
    if isinstance(parameter.default, bool):
        return str(parameter.default).lower()
    return str(parameter.default)
