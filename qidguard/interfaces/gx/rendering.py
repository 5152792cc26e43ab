"""How Data Docs show an expectation: its demand as a sentence, and what was observed beside it."""

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

from qidguard.interfaces.gx.render_expected import expected
from qidguard.interfaces.gx.render_observed import observed
from qidguard.interfaces.gx.render_words import Sentence


class SentenceRenderer:
    """Stands before ``BatchExpectation`` among the bases of an expectation; nothing else is needed.

    Names and figures are handed over as parameters of a template: only these are escaped in Data Docs, so
    that a column name cannot bring markup into the page.
    """

    @classmethod
    def _prescriptive_template(cls, renderer_configuration: RendererConfiguration) -> RendererConfiguration:
        sentence = _expected(renderer_configuration)
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
        return [_content(_expected(stated), runtime_configuration)]

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


def _expected(stated: RendererConfiguration) -> Sentence:
    configuration = stated.configuration or getattr(stated.result, "expectation_config", None)
    meta = getattr(configuration, "meta", None) or {}
    return expected(stated.expectation_type, {**stated.kwargs, "meta": meta})


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
