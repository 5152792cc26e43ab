"""What ``qidguard explain`` says of each kind of offer: what it is, how it is asked for, what it weighs."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from qidguard.core.metric import Direction
from qidguard.core.parameter import Parameter, shown

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import Anonymizer
    from qidguard.core.metric import Metric
    from qidguard.core.recognizer import RecognitionScore, Recognizer
    from qidguard.engines.base import Engine
    from qidguard.search.objective import Objective, Term

DIRECTIONS = {
    Direction.HIGHER_IS_SAFER: "higher is safer",
    Direction.LOWER_IS_SAFER: "lower is safer",
    Direction.NEITHER: "neither way is safer",
}


def of_suppressed(metric: "Metric") -> Iterator[str]:
    """Yield what a metric makes of suppressed values, which is the same of all that look at classes."""
    if not (metric.needs_original or metric.needs_history or metric.is_of_size):
        yield _SUPPRESSED + (_SUPPRESSED_ATTRIBUTE if metric.attribute is not None else "")


_SUPPRESSED = (
    "The policy's suppression_mark is no value. A record whose QIDs are all suppressed stands in no"
    " class: shares, averages and minima are of the persons whose QIDs are published; where all records"
    " are so, they are one class. ARX counts such records as one class, which dilutes shares and averages;"
    " but nobody is found among them by QIDs, and they would hide those who are published. A QID"
    " suppressed beside others that are not shows the mark as its value."
)
_SUPPRESSED_ATTRIBUTE = (
    " A suppressed value of the attribute is none to learn: shares are of the values that are published. A"
    " class without any is left out, though sizes count all persons; where every class is, a sensitive"
    " attribute is as safe as can be."
)


def of_recognizer(recognizer: "Recognizer") -> Iterator[str]:
    """Yield what a recognizer proposes by."""
    yield "A recognizer: proposes roles where a policy says quasi_identifiers: auto"
    if hasattr(recognizer, "propose_kinds"):
        yield "It also says what the values of columns are: codes, counts, amounts, periods and the like"
    if hasattr(recognizer, "propose_from"):
        yield "It also searches the table where the policy has a discovery section"


def in_words(*lines: str) -> Callable[[Any], Iterator[str]]:
    """Return what yields these lines of an offer, which they hold as ``it``."""
    return lambda offer: (line.format(it=offer) for line in lines)


def of_objective(objective: "Objective") -> Iterator[str]:
    """Yield what an objective weighs."""
    yield f"An objective, to be as high as possible: qidguard discover DATA --objective {objective.name}"
    yield "Terms; --weight METRIC=NUMBER changes one"
    yield from map(_term, objective.terms)
    if objective.divisors:
        yield "Divided by"
        yield from map(_term, objective.divisors)


def of_score(score: "RecognitionScore") -> Iterator[str]:
    """Yield how a score comes about."""
    best = 1 if score.is_higher_better else 0
    yield "A score of found quasi-identifiers against the true ones: qidguard discover DATA --truth a,b"
    yield f"share, 0 to 1; a perfect recognition has {best}"
    yield f"How it is computed: {score.formula}"
    yield f"Source: {score.source}"


def of_anonymizer(anonymizer: "Anonymizer") -> Iterator[str]:
    """Yield how an anonymizer is asked for, and what is particular about it."""
    yield f"An anonymizer: qidguard anonymize DATA --policy POLICY --anonymizer {anonymizer.name}"
    if getattr(anonymizer, "is_first_choice", False):
        yield "It is tried where nobody names a method"
    if getattr(anonymizer, "changes_sensitive", False):
        yield "It changes sensitive attributes"
    if hasattr(anonymizer, "privacy_guarantee"):
        yield "It draws noise, which is charged to the policy's privacy budget"


def of_engine(engine: "Engine") -> Iterator[str]:
    """Yield how an engine is asked for."""
    yield f"An engine, which opens and groups tables: engine: {engine.name} in a policy"
    if not hasattr(engine, "snapshot"):
        yield "It makes no releases"


def parameter_lines(offer: Any) -> Iterator[str]:
    """Yield what may be set of an offer; nothing where its kind takes no parameters."""
    parameters: tuple[Parameter, ...] | None = getattr(offer, "parameters", None)
    if parameters is None:
        return
    yield "Parameters, in brackets after the name, as in NAME[PARAMETER=VALUE, ...]"
    for parameter in parameters:
        yield f"  {parameter.name} = {_default(parameter)}  {_limits(parameter)}"
        yield f"      {parameter.meaning}"
    if not parameters:
        yield "  none"


def _term(term: "Term") -> str:
    arguments = ", ".join(f"{name}={value}" for name, value in term.arguments.items())
    return f"  {term.weight:+g} {term.metric}" + (f" ({arguments})" if arguments else "")


def _default(parameter: Parameter) -> str:
    if parameter.default is None:
        return "(required)"
    return str(parameter.default).lower() if parameter.type is bool else shown(parameter.default)


def _limits(parameter: Parameter) -> str:
    if parameter.choices:
        return f"({' or '.join(parameter.choices)})"
    low, high = parameter.minimum, parameter.maximum
    words = [f"at least {low:g}"] if low is not None else []
    words += [f"at most {high:g}"] if high is not None else []
    kind = "exact number" if parameter.type is Fraction else parameter.type.__name__
    kind = f"{parameter.many} of {kind}" if parameter.many else kind
    kind = f"a mapping: for each {parameter.per} {kind}" if parameter.per else kind
    limits = ", ".join([kind, *words])
    return f"({' or '.join([limits, *parameter.words])})"
