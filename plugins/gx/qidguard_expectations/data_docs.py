"""Expectations in Data Docs: what was expected and what was observed, as sentences."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from types import MappingProxyType
from typing import Any

from great_expectations.expectations.expectation import render_suite_parameter_string
from great_expectations.render import (
    AtomicDiagnosticRendererType,
    LegacyDiagnosticRendererType,
    LegacyRendererType,
    RenderedAtomicContent,
    RenderedStringTemplateContent,
    renderedAtomicValueSchema,
)
from great_expectations.render.renderer.renderer import renderer
from great_expectations.render.renderer_configuration import RendererConfiguration, RendererValueType

from qidguard.sdk import Unit, limit_figure, listed_figure, load_host, shown_name, visible

MOST_NAMES = 12
"""How many columns a sentence names; the rest are counted."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence.

    Args:
        template: The words, with ``$name`` where a name or a figure goes.
        parts: Name → the text that goes there.
        columns: The names of those parts that are columns.
    """

    template: str
    parts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentence with everything in its place."""
        return Template(self.template).safe_substitute(self.parts)


class Words:
    """Gathers the parts of one sentence while its words are put together."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}
        self._columns: list[str] = []

    def part(self, text: str, *, is_column: bool = False) -> str:
        """Return the place in a template where ``text`` goes."""
        name = f"{'column' if is_column else 'figure'}_{len(self._parts) + 1}"
        self._parts[name] = text
        if is_column:
            self._columns.append(name)
        return f"${name}"

    def columns(self, given: Any) -> str:
        """Return places for columns, with commas between them; long lists end in a count.

        Columns that are given when the suite runs go by their parameter's name.
        """
        if isinstance(given, Mapping):
            return self.limit(given, "")
        names = [given] if isinstance(given, str) else [str(name) for name in given or ()]
        head = [self.part(shown_name(name), is_column=True) for name in names[:MOST_NAMES]]
        left = len(names) - MOST_NAMES
        return ", ".join(head) + (f" and {left:,} more" if left > 0 else "")

    def limit(self, value: Any, unit: str) -> str:
        """Return the place of a limit; one that is given when the suite runs goes by its parameter's name."""
        if isinstance(value, Mapping):
            return self.part(f"parameter {visible(str(next(iter(value.values()), '')))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return self.part(visible(str(value)))
        return self.part(limit_figure(value, unit))

    def sentence(self, template: str) -> Sentence:
        """Return the finished sentence."""
        return Sentence(
            template=template, parts=MappingProxyType(dict(self._parts)), columns=tuple(self._columns)
        )


Given = Mapping[str, Any]


def expected(expectation_type: str, given: Given, *, bases: Sequence[str] = ()) -> Sentence:
    """Return the sentence of an expectation; that of the nearest of its ``bases`` where it has none."""
    words = Words()
    write = next((_SENTENCES[type_] for type_ in (expectation_type, *bases) if type_ in _SENTENCES), None)
    if write is None:
        return words.sentence(words.part(visible(expectation_type.replace("_", " "))) + ".")
    return words.sentence(write(words, given))


def _k_anonymity(words: Words, given: Given) -> str:
    limit = words.limit(given.get("at_least"), "")
    return f"Every class over {_columns(words, given)} must hold at least {limit} {_persons(words, given)} \
(k-anonymity)."


def _l_diversity(words: Words, given: Given) -> str:
    over, of = _columns(words, given), words.columns(given.get("sensitive"))
    limit = words.limit(given.get("at_least"), "")
    if given.get("model", "distinct") == "entropy":
        return f"Every class over {over} must hold at least {limit} effective values of {of}, \
counted by their entropy (entropy l-diversity){_by_entity(words, given)}."
    return f"Every class over {over} must hold at least {limit} different values of {of} \
(distinct l-diversity){_by_entity(words, given)}."


def _t_closeness(words: Words, given: Given) -> str:
    over, of = _columns(words, given), words.columns(given.get("sensitive"))
    limit = words.limit(given.get("at_most"), "")
    kind = "ordered" if given.get("ordered") else "equal"
    return f"In every class over {over} the values of {of} must be spread as in the whole table, \
at a distance of at most {limit} (t-closeness, {kind} distance){_by_entity(words, given)}."


_STATISTIC = {"maximum": "highest", "average": "average"}


def _risk(words: Words, given: Given) -> str:
    statistic = _STATISTIC.get(str(given.get("statistic", "maximum")), "highest")
    attacker = words.part(visible(str(given.get("attacker", "prosecutor"))))
    limit = words.limit(given.get("at_most"), Unit.SHARE)
    return f"The {statistic} re-identification risk over {_columns(words, given)} must be at most {limit} \
({attacker} attacker){_by_entity(words, given)}."


def _share_at_risk(words: Words, given: Given) -> str:
    limit = words.limit(given.get("at_most"), Unit.SHARE)
    persons = "entities" if given.get("entity") else "records"
    over = _columns(words, given)
    if given.get("k") is not None:
        return f"At most {limit} of the {persons} may stand in a class of fewer than \
{words.limit(given['k'], '')} over {over} (share at risk){_by_entity(words, given)}."
    return f"At most {limit} of the {persons} may have a re-identification risk above \
{words.limit(given.get('risk'), Unit.SHARE)} over {over} (share at risk){_by_entity(words, given)}."


def _metric(words: Words, given: Given) -> str:
    metric = words.part(visible(str(given.get("metric")).replace("_", " ")))
    verb = "should" if given.get("on_miss") == "warn" else "must"
    sensitive = given.get("sensitive")
    of = f" of {words.columns(sensitive)}" if sensitive else ""
    set_to = ", ".join(
        f"{words.part(visible(str(name)))} = {words.limit(value, '')}"
        for name, value in sorted(dict(given.get("parameters") or {}).items())
    )
    sides = (("at least", given.get("at_least")), ("at most", given.get("at_most")))
    unit = _unit(given.get("metric"))
    asked = " and ".join(f"{side} {words.limit(value, unit)}" for side, value in sides if value is not None)
    combination = given.get("combination", "default")
    named = "" if combination == "default" else f" (combination {words.part(visible(str(combination)))})"
    return f"The metric {metric}{of}{f' ({set_to})' if set_to else ''} over {_columns(words, given)} \
{verb} be {asked}{named}{_by_entity(words, given)}."


def _unit(metric: Any) -> str:
    """Return a metric's unit, as what is observed of it is said; empty for one that is not installed."""
    found = load_host().metrics.get(str(metric))
    return "" if found is None else found.unit


def _columns_as_approved(words: Words, given: Given) -> str:
    columns = given.get("columns") or ()
    policy = given.get("policy_name")
    whose = f" by the policy {words.part(visible(str(policy)))}" if policy else ""
    number = "" if isinstance(columns, Mapping) else f"{words.limit(len(columns), '')} "
    return f"The table must have exactly the {number}columns approved{whose}: {words.columns(columns)}."


def _policy(words: Words, given: Given) -> str:
    policy = given.get("policy")
    name = policy.get("name") if isinstance(policy, Mapping) else None
    called = f" {words.part(visible(str(name)))}" if name else ""
    digest = _reviewed_digest(given)
    version = f" (SHA-256 {words.part(digest[:12] + '…')})" if digest else ""
    return f"The table must pass the whole privacy policy{called}{version}, as qidguard audit judges it."


def _reviewed_digest(given: Given) -> str:
    """Return the digest of the policy's file, by which reviewers know it; else that of what is embedded."""
    meta = given.get("meta")
    approved = meta.get("qidguard") if isinstance(meta, Mapping) else None
    reviewed = approved.get("sha256") if isinstance(approved, Mapping) else None
    return visible(str(reviewed or given.get("policy_sha256") or ""))


def _columns(words: Words, given: Given) -> str:
    attacker = given.get("attacker")
    known = attacker.get("knows_any") if isinstance(attacker, Mapping) else None
    some = f"any {words.limit(known, '')} of " if known is not None else ""
    return some + words.columns(given.get("quasi_identifiers"))


def _persons(words: Words, given: Given) -> str:
    entity = given.get("entity")
    return f"entities told apart by {words.columns(entity)}" if entity else "records"


def _by_entity(words: Words, given: Given) -> str:
    entity = given.get("entity")
    return f", entities told apart by {words.columns(entity)}" if entity else ""


_SENTENCES: Mapping[str, Callable[[Words, Given], str]] = {
    "expect_table_k_anonymity_to_be_at_least": _k_anonymity,
    "expect_table_l_diversity_to_be_at_least": _l_diversity,
    "expect_table_t_closeness_to_be_at_most": _t_closeness,
    "expect_table_reidentification_risk_to_be_at_most": _risk,
    "expect_table_share_at_risk_to_be_at_most": _share_at_risk,
    "expect_table_privacy_metric_to_be_within": _metric,
    "expect_table_columns_to_be_as_approved": _columns_as_approved,
    "expect_table_to_meet_privacy_policy": _policy,
}


def observed(result: Mapping[str, Any], *, is_met: bool | None = None) -> Sentence:
    """Return what was observed."""
    words = Words()
    details = _mapping(result.get("details"))
    threshold, document = _mapping(details.get("threshold")), _mapping(details.get("document"))
    if threshold:
        reason = details.get("reason") if is_met is False and threshold.get("is_met") else None
        why = f"\n• {words.part(visible(str(reason)))}" if reason else ""
        return words.sentence(_threshold(words, threshold) + why)
    if document:
        told = _verdict(words, document, details.get("sentences") or ())
        return words.sentence(told + _lines(words, details.get("advice") or ()))
    if details.get("reason"):
        return words.sentence(words.part(visible(str(details["reason"]))))
    if details.get("approved"):
        return words.sentence(words.part("the approved columns"))
    value = result.get("observed_value")
    return words.sentence("--" if value is None else words.part(visible(str(value))))


def _threshold(words: Words, item: Mapping[str, Any]) -> str:
    figure, distance = listed_figure(item)
    return f"{words.part(figure)} — {distance}" if figure else f"no number: {words.part(distance)}"


def _verdict(words: Words, document: Mapping[str, Any], sentences: Sequence[Any]) -> str:
    """Return the verdict of a whole policy, with each reason to block on a line of its own."""
    judged = document.get("thresholds") or ()
    missed = sum(not item.get("is_met") for item in judged)
    counts = f"{words.part(f'{len(judged) - missed:,}')} of {words.part(f'{len(judged):,}')} thresholds hold"
    outcome = words.part("passed" if document.get("outcome") == "passed" else "blocked")
    return f"{outcome} — {counts}" + "".join(f"\n• {words.part(visible(str(s)))}" for s in sentences)


def _lines(words: Words, advice: Sequence[Any]) -> str:
    """Return what would make it pass, a line each below the reasons."""
    return "".join(f"\n{words.part(visible(str(line)))}" for line in advice)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


class SentenceRenderer(ABC):
    """Stands before ``BatchExpectation`` among the bases of an expectation; nothing else is needed.

    Names and figures are handed over as parameters of a template: only these are escaped in Data Docs, so
    that a column name cannot bring markup into the page.
    """

    @classmethod
    @abstractmethod
    def stated(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments together with those that the class says, as subclasses do."""

    @classmethod
    def _expected(cls, stated: RendererConfiguration) -> Sentence:
        configuration = stated.configuration or getattr(stated.result, "expectation_config", None)
        meta = getattr(configuration, "meta", None) or {}
        bases = [getattr(base, "expectation_type", "") for base in cls.mro()]
        return expected(stated.expectation_type, cls.stated(stated.kwargs) | {"meta": meta}, bases=bases)

    @classmethod
    def _prescriptive_template(cls, renderer_configuration: RendererConfiguration) -> RendererConfiguration:
        sentence = cls._expected(renderer_configuration)
        for name, text in sentence.parts.items():
            renderer_configuration.add_param(name=name, param_type=RendererValueType.STRING, value=text)
        renderer_configuration.template_str = sentence.template
        return renderer_configuration

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    @render_suite_parameter_string
    def _prescriptive_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> list[RenderedStringTemplateContent]:
        stated = RendererConfiguration(
            configuration=configuration, result=result, runtime_configuration=runtime_configuration
        )
        return [_content(cls._expected(stated), runtime_configuration)]

    @classmethod
    @renderer(renderer_type=LegacyDiagnosticRendererType.OBSERVED_VALUE)
    def _diagnostic_observed_value_renderer(
        cls,
        configuration: Any = None,  # noqa: ARG003 - all renderers are called alike
        result: Any = None,
        runtime_configuration: Any = None,
    ) -> RenderedStringTemplateContent:
        return _content(_observed(result), runtime_configuration)

    @classmethod
    @renderer(renderer_type=LegacyDiagnosticRendererType.UNEXPECTED_STATEMENT)
    def _diagnostic_unexpected_statement_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> list[Any]:
        if _mapping(_mapping(getattr(result, "result", None)).get("details")).get("reason"):
            return []  # it stands beside the expectation already
        unexplained: list[Any] = super()._diagnostic_unexpected_statement_renderer(  # type: ignore[misc]
            configuration=configuration, result=result, runtime_configuration=runtime_configuration
        )
        return unexplained

    @classmethod
    @renderer(renderer_type=AtomicDiagnosticRendererType.OBSERVED_VALUE)
    def _atomic_diagnostic_observed_value(
        cls,
        configuration: Any = None,
        result: Any = None,
        runtime_configuration: Any = None,
    ) -> RenderedAtomicContent:
        stated = RendererConfiguration(
            configuration=configuration, result=result, runtime_configuration=runtime_configuration
        )
        sentence = _observed(result)
        for name, text in sentence.parts.items():
            stated.add_param(name=name, param_type=RendererValueType.STRING, value=text)
        value = renderedAtomicValueSchema.load(
            {
                "template": sentence.template,
                "params": stated.params.dict(),
                "schema": {"type": "com.superconductive.rendered.string"},
            }
        )
        name = AtomicDiagnosticRendererType.OBSERVED_VALUE
        return RenderedAtomicContent(name=name, value=value, value_type="StringValueType")


def _observed(result: Any) -> Sentence:
    if result is None:
        return observed({})
    return observed(result.result or {}, is_met=result.success)


def _content(sentence: Sentence, runtime_configuration: Any) -> RenderedStringTemplateContent:
    styling = dict((runtime_configuration or {}).get("styling") or {})
    if "default" in styling:  # where names stand in badges, figures are bold
        bold = {name: {"classes": ["font-weight-bold"]} for name in sentence.parts}
        badges = dict.fromkeys(sentence.columns, styling["default"])
        styling["params"] = {**dict(styling.get("params") or {}), **bold, **badges}
    return RenderedStringTemplateContent(
        content_block_type="string_template",
        string_template={"template": sentence.template, "params": dict(sentence.parts), "styling": styling},
    )
