"""Expectations in Data Docs: what was expected and what was observed, as sentences."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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

from qidguard.core.measurement import Measurement
from qidguard.core.verdict import Bound, Limit, ThresholdResult
from qidguard.interfaces.gx.render_expected import Sentence, Words, expected
from qidguard.rendering.printable import visible
from qidguard.rendering.threshold import distance, measured

_NO_NUMBER = {"infinite": math.inf, "minus infinite": -math.inf, "not a number": math.nan}


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
    reason = str(item.get("reason") or "")
    value = item.get("value")
    measurement = Measurement(
        metric=str(item.get("metric")),
        value=_NO_NUMBER.get(reason) if value is None else value,
        unit=str(item.get("unit", "")),
        qids=tuple(item.get("qids", ())),
    )
    limit = Limit(
        bound=Bound(item["bound"]), value=item["limit"], is_blocking=not item.get("is_warning", False)
    )
    judged = ThresholdResult(limit=limit, measurement=measurement)
    if judged.distance is None:
        return f"no number: {words.part(visible(reason or 'not measured'))}"
    warning = "" if judged.is_met or limit.is_blocking else ", a warning only"
    return f"{words.part(measured(judged))} — {distance(judged)}{warning}"


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
