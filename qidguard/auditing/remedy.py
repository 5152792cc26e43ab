"""The remedy: an anonymizer or fixed levels that somebody names; its own claims count for nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from qidguard.anonymizing.answer import privacy_fault
from qidguard.anonymizing.choosing import SolutionChoice
from qidguard.anonymizing.fixed_levels import FixedLevels
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymizer, ChosenAnonymizer, Records
from qidguard.anonymizing.rehearsal import ChosenAttack
from qidguard.auditing.noise import unread_note
from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, PolicyError, UserError
from qidguard.core.guard import PluginCode
from qidguard.core.naming import did_you_mean
from qidguard.core.parameter import bind
from qidguard.core.privacy import PrivacyGuarantee
from qidguard.policy.recoding import DROP, RECODE, FixedRecoding
from qidguard.policy.series_rules import recode_rules, unrelated_fields

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Remedy(ChosenAnonymizer):
    """An anonymizer that somebody names, and the attacks to rehearse on what it makes.

    ``when`` is what the policy says; ``is_always`` is what holds. ``choosing`` is how one of several
    solutions is taken; None leaves it to the anonymizer.
    """

    attacks: tuple[ChosenAttack, ...] = ()
    when: Literal["always", "missed"] = "missed"
    choosing: SolutionChoice | None = None

    @property
    def is_always(self) -> bool:
        """Whether it is applied where the policy holds already, too: what draws, or keeps a series, is."""
        return self.when == "always" or self.draws_noise or self.needs_last_values or self.draws_values()

    @property
    def needs_last_values(self) -> bool:
        """Whether it keeps a series releasable: which records of leavers stay is for it alone to say."""
        return bool(getattr(self.anonymizer, "needs_last_values", False))

    def privacy(self, records: Records, task: AnonymizationTask) -> PrivacyGuarantee | None:
        """Return what a run guarantees, held against the table; None for what draws no noise.

        Raises:
            NotMeasurable: When the anonymizer says that it cannot be done.
            PluginError: When it fails, or guarantees what the table does not bear out.
        """
        if not self.draws_noise:
            return None
        anonymizer: Any = self.anonymizer
        with PluginCode(self.owner, f"anonymizer {anonymizer.name!r}"):
            given = anonymizer.privacy_guarantee(records, self.arguments, task)
        if fault := privacy_fault(given, records, task):
            raise PluginError(f"{self.owner}: its privacy_guarantee() {fault}; mend the plugin")
        made: PrivacyGuarantee = given
        return made

    def check_columns(self, names: Iterable[str]) -> None:
        """Raise UserError for a parameter with a value for a column that the table has not."""
        known = tuple(names)
        if isinstance(self.anonymizer, FixedLevels):
            for column in self.arguments["levels"]:
                if column not in known:
                    hint = did_you_mean(column, known, is_listed=False) or "correct its name"
                    raise UserError(f"recode names the column {column!r}, which the table has not; {hint}")
        for parameter in self.anonymizer.parameters:
            if parameter.per != "column":
                continue
            for column in self.arguments[parameter.name]:
                if column not in known:
                    hint = did_you_mean(column, known, is_listed=False) or "correct its name"
                    raise UserError(
                        f"parameter {parameter.name!r} of {self.anonymizer.name} names the column {column!r},"
                        f" which the table has not; {hint}"
                    )

    @property
    def dropped(self) -> tuple[str, ...]:
        """The columns that are not published of what it makes."""
        if self.anonymizer.name != RECODE or self.owner != own_name():
            return ()
        return tuple(column for column, level in self.arguments["levels"].items() if level == DROP)

    def draws_values(self) -> bool:
        """Whether what it publishes is drawn by the seed: who guesses that takes the draws back."""
        ask = getattr(self.anonymizer, "draws_values", None)
        if ask is None:
            return False
        with PluginCode(self.owner, f"anonymizer {self.anonymizer.name!r}"):
            return bool(ask(self.arguments))


def find_remedy(policy: "Policy", host: "Host") -> Remedy | None:
    """Return the policy's remedy, checked before anything is read; None where it names none."""
    written = policy.remedy
    if written is None or written.recode is not None:
        check_series(policy, None)
    if written is None:
        return None
    if written.recode is not None:
        return _fixed(
            FixedRecoding(levels=written.recode, suppress=written.suppress),
            attacks_of(policy, host),
            when=written.when,
        )
    assert written.anonymizer is not None  # noqa: S101 - it has one of the two
    try:
        named = Choice.read(written.anonymizer, "anonymizer")
        parameters = named.parameters_with(written.parameters, "anonymizer")
    except UserError as error:
        raise policy.error(str(error), "remedy", "anonymizer") from None
    anonymizer = host.anonymizer(named.name)
    try:
        arguments = bind(anonymizer.parameters, parameters)
    except UserError as error:
        field = "anonymizer" if named.parameters else "parameters"
        raise policy.error(f"{anonymizer.name}: {error}", "remedy", field) from None
    check_series(policy, anonymizer)
    return Remedy(
        anonymizer=anonymizer,
        arguments=arguments,
        owner=host.owner("anonymizers", anonymizer.name),
        attacks=attacks_of(policy, host),
        when=written.when,
        choosing=_choosing(policy, host),
    )


def own_name() -> str:
    """Return what owns the remedy of fixed levels: qidguard itself, with its version."""
    return f"qidguard {version('qidguard')}"


def _fixed(
    asked: FixedRecoding,
    attacks: tuple[ChosenAttack, ...],
    when: Literal["always", "missed"] = "missed",
) -> Remedy:
    return Remedy(
        anonymizer=FixedLevels(), arguments=asked.arguments, owner=own_name(), attacks=attacks, when=when
    )


def _choosing(policy: "Policy", host: "Host") -> SolutionChoice | None:
    """Return how the policy chooses among solutions, its metrics checked."""
    written = None if policy.remedy is None else policy.remedy.choose
    if written is None or isinstance(written, str):
        return None if written is None else SolutionChoice.read(written)
    for name, weight in written.weights.items():
        try:
            SolutionChoice(rule="weights", weights={name: weight}).check(host)
        except PluginError:
            raise
        except UserError as error:
            raise policy.error(str(error), "remedy", "choose", "weights", name) from None
    return SolutionChoice(rule="weights", weights=written.weights)


def remedy_notes(policy: "Policy", host: "Host") -> tuple[str, ...]:
    """Return a sentence where a table that the policy holds on is not yet what may be published."""
    remedy = find_remedy(policy, host)
    unread = unread_note(policy, draws_noise=remedy is not None and remedy.draws_noise)
    if remedy is None or not remedy.is_always:
        return unread
    sentence = (
        f"The policy applies its remedy {remedy.anonymizer.name} to every release, so what is published is"
        " what that makes of this table; this verdict is on the table as it is."
    )
    if remedy.draws_noise:
        sentence += (
            " It draws noise: each release charges the privacy budget, also one that is blocked; qidguard"
            " anonymize rehearses it, charges nothing, and tells what a release charges."
        )
    return (sentence, *unread)


def first_choices(host: "Host") -> tuple[str, ...]:
    """Return the anonymizers that are tried where nobody names one, in order of name.

    Those that lack a parameter which a person has to set are left out, whatever they say of themselves.
    """
    return tuple(
        name
        for name, one in sorted(host.anonymizers.items())
        if getattr(one, "is_first_choice", False)
        and all(parameter.default is not None for parameter in one.parameters)
    )


def chosen_remedy(
    policy: "Policy",
    host: "Host",
    anonymizer: str | FixedRecoding | None,
    parameters: Mapping[str, object],
    attacks: Sequence[str],
    choose: "str | Mapping[str, object] | None" = None,
) -> Remedy:
    """Return the remedy that a person asks for; what is not said is as the policy has it.

    Args:
        policy: The policy.
        host: The plugins.
        anonymizer: Its name, perhaps with parameters in brackets, or fixed levels; None takes the policy's.
        parameters: Its parameters, put beside or over the policy's where the anonymizer is the same.
        attacks: Attacks to rehearse beside the policy's.
        choose: How one of several solutions is taken; None takes the policy's way.

    Raises:
        UserError: When there is no such anonymizer or attack, a parameter is wrong, or nobody names a method.
        PluginError: When a plugin that is broken or missing may offer it.
    """
    written = policy.remedy
    if anonymizer is None and written is None:
        first = ", ".join(first_choices(host)) or "one of those that qidguard plugins lists"
        raise UserError(
            f"No anonymizer is named; name one, such as {first}, or write a remedy in the policy."
        )
    names = (*(written.attacks if written is not None else ()), *attacks)
    fixed = _asked_levels(policy, anonymizer, parameters)
    if fixed is not None:
        return _fixed(fixed, each_once(chosen_attacks(names, host)))
    assert not isinstance(anonymizer, FixedRecoding)  # noqa: S101 - it was taken
    named = None if written is None else written.anonymizer
    of_policy = None if named is None else Choice.read(named, "remedy")
    asked = of_policy if anonymizer is None else Choice.read(anonymizer, "anonymizer")
    assert asked is not None  # noqa: S101 - one of the two is named
    given = parameters if anonymizer is None else asked.parameters_with(parameters, "anonymizer")
    chosen = host.anonymizer(asked.name)
    kept: dict[str, object] = {}
    if written is not None and of_policy is not None and of_policy.name == asked.name:
        kept = of_policy.parameters_with(written.parameters, "remedy")
    try:
        arguments = bind(chosen.parameters, {**kept, **given})
    except UserError as error:
        raise UserError(f"{asked.name}: {error}") from None
    return Remedy(
        anonymizer=chosen,
        arguments=arguments,
        owner=host.owner("anonymizers", asked.name),
        attacks=each_once(chosen_attacks(names, host)),
        choosing=_choosing(policy, host) if choose is None else _asked_choosing(choose, host),
    )


def _asked_levels(
    policy: "Policy", anonymizer: str | FixedRecoding | None, parameters: Mapping[str, object]
) -> FixedRecoding | None:
    """Return the fixed levels that are asked for, held against the policy; None for an anonymizer."""
    if isinstance(anonymizer, str):
        chosen = Choice.read(anonymizer, "anonymizer")
        if chosen.name != RECODE:
            return None
        anonymizer = FixedRecoding.of_choice(chosen.parameters_with(parameters, "anonymizer"))
    elif anonymizer is None:
        written = policy.remedy
        if written is None or written.recode is None:
            return None
        if parameters:
            raise UserError("The policy's remedy is fixed levels, which take no parameters; leave them out.")
        return FixedRecoding(levels=written.recode, suppress=written.suppress)
    for fault in recode_rules(policy, anonymizer.levels):
        raise UserError(f"{fault.sentence}.")
    return anonymizer


def _asked_choosing(choose: "str | Mapping[str, object]", host: "Host") -> SolutionChoice:
    choosing = SolutionChoice.read(choose)
    choosing.check(host)
    return choosing


def attacks_of(policy: "Policy", host: "Host") -> tuple[ChosenAttack, ...]:
    """Return the attacks that the policy's remedy names."""
    attacks = []
    for at, name in enumerate(() if policy.remedy is None else policy.remedy.attacks):
        try:
            attacks += chosen_attacks((name,), host)
        except PluginError:
            raise
        except UserError as error:
            raise policy.error(str(error), "remedy", "attacks", at) from None
    return each_once(attacks)


def chosen_attacks(names: Sequence[str], host: "Host") -> list[ChosenAttack]:
    """Return attacks; UserError for one that there is not, or whose parameters are wrong."""
    attacks = []
    for written in names:
        chosen = Choice.read(written, "attack")
        attack = host.attack(chosen.name)
        try:
            arguments = bind(attack.parameters, chosen.parameters)
        except UserError as error:
            raise UserError(f"attack {chosen.name}: {error}") from None
        attacks.append(
            ChosenAttack(attack=attack, arguments=arguments, owner=host.owner("attacks", chosen.name))
        )
    return attacks


def each_once(attacks: Sequence[ChosenAttack]) -> tuple[ChosenAttack, ...]:
    """Return the attacks without those that are named again."""
    return tuple({chosen.attack.name: chosen for chosen in attacks}.values())


def check_series(policy: "Policy", anonymizer: "Anonymizer | None") -> None:
    """Raise PolicyError where leavers are kept and no remedy decides on them, or the other way round.

    ``anonymizer`` is the policy's; None where it has fixed levels or nothing.
    """
    series = policy.series
    keeps_leavers = series is not None and bool(series.left_on or series.state)
    if anonymizer is not None and getattr(anonymizer, "needs_last_values", False):
        _check_needed(policy, anonymizer.name, keeps_leavers=keeps_leavers)
    elif keeps_leavers:
        who = "no remedy decides" if anonymizer is None else f"the remedy {anonymizer.name} does not decide"
        raise policy.error(
            f"the series keeps the last values of who left, and {who} which of them stay; name a remedy for"
            " a series (qidguard plugins lists them), or leave left_on and state out",
            "series",
        )


def _check_needed(policy: "Policy", remedy: str, *, keeps_leavers: bool) -> None:
    needed = {
        "the last values of who left; write series.left_on, the column that tells who left, or series.state,"
        " a private folder": keeps_leavers,
        "persons whom it can follow; write roles.entity": policy.roles.entity is not None,
        "the earlier releases; write earlier_releases: judged under release, and do not name the data set"
        " under unrelated": not unrelated_fields(policy.release),
    }
    faults = [
        str(policy.error(f"the remedy {remedy} needs {what}", "remedy", "anonymizer"))
        for what, is_there in needed.items()
        if not is_there
    ]
    if faults:
        raise PolicyError("\n".join(faults))
