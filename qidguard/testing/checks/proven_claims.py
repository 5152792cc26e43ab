"""What is claimed, and what was asked, is measured on the published table by the engine's SQL."""

from collections.abc import Iterator

from qidguard.anonymize.protocol import Guarantee
from qidguard.core.errors import QidguardError
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.measure.evaluator import measure
from qidguard.measure.question import Question
from qidguard.testing.trial import Trial


def proven_claims(trial: Trial) -> Iterator[str]:
    """Yield the limits that do not hold on what is published."""
    if not trial.is_published:
        return
    claims = trial.done.guarantees
    if trial.task.targets and not claims:
        yield "the task has targets, and nothing is claimed; name in Anonymised.guarantees what is reached"
    asked = [
        (
            "asked",
            target.limit,
            Question(
                metric=target.metric,
                arguments=target.arguments,
                qids=target.qids,
                sensitive=target.sensitive,
                bound=target.limit.bound,
                owner="asked",
            ),
        )
        for target in trial.task.targets
    ]
    claimed = []
    for claim in claims:
        try:
            claimed.append(("claimed", claim.limit, _question(trial, claim)))
        except QidguardError as error:
            yield f"the claim of {claim.metric} cannot be measured: {error}"
    together = [*asked, *claimed]
    needs = Needs(entity=trial.sample.entity, suppression_mark=trial.task.suppression_mark)
    with ENGINE.open(trial.after, ReadOptions(), needs, EngineSettings(threads=2)) as table:
        measured = measure(table, [question for _, _, question in together])
    for (word, limit, question), found in zip(together, measured, strict=True):
        if limit.is_met_by(found.value):
            continue
        over = f"over {', '.join(question.qids)}" + (
            f" beside {question.sensitive}" if question.sensitive else ""
        )
        value = found.reason if found.value is None else f"is {found.value:.6g}"
        yield (
            f"{question.metric.name} {over} {value}, {word} was {limit.bound.replace('_', ' ')}"
            f" {limit.value:g}"
        )


def _question(trial: Trial, claim: Guarantee) -> Question:
    metric = trial.subject.host.metric(claim.metric)
    return Question(
        metric=metric,
        arguments=bind(metric.parameters, dict(claim.parameters)),
        qids=tuple(claim.qids),
        sensitive=claim.sensitive,
        bound=claim.limit.bound,
        owner=trial.subject.host.owner("metrics", claim.metric),
    )
