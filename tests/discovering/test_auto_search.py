"""Audits in which a search adds to the quasi-identifiers that names say."""

from dataclasses import replace

import pytest

import qidguard
from qidguard import ExitCode
from qidguard.auditing.searching import recognize_table
from qidguard.policy import load_policy
from qidguard.sdk import (
    ColumnFacts,
    DecidedBy,
    NotMeasurable,
    PluginError,
    PolicyError,
    Role,
    RoleAssignment,
    RoleProposal,
    UserError,
)

ANY = {"metric": "persons_below_k", "at_most": 1000, "parameters": {"k": 2}}
SEARCH = {"objective": {"distinction": 1, "column_count": -0.1}}


def policy(discovery: object = None, k: int = 1, **changes: object) -> dict[str, object]:
    """Return a policy that leaves the quasi-identifiers to recognizers, and its other columns to nobody."""
    roles = {
        "quasi_identifiers": "auto",
        "sensitive": ["illness"],
        "direct_identifiers": ["ssn"],
        "insensitive": ["band", "site"],
    }
    return {
        "qidguard": 1,
        "name": "p",
        "roles": roles,
        "thresholds": [ANY if k == 1 else {"metric": "k_anonymity", "at_least": k}],
        "discovery": SEARCH if discovery is None else discovery,
    } | changes


def qid(column: str) -> RoleProposal:
    """Return a proposal of a search."""
    by = DecidedBy.STATISTICS
    return RoleProposal(
        assignment=RoleAssignment(column=column, role=Role.QUASI_IDENTIFIER, decided_by=by), confidence=0.6
    )


class Seeker:
    """A recognizer that proposes what a test tells it to."""

    name = "seeker"
    title = "Seeks"

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.heard: list[tuple[tuple[str, ...], object]] = []

    def propose(self, columns: object) -> tuple[()]:
        """Say nothing by name."""
        return ()

    def propose_from(self, table: object, columns: tuple[ColumnFacts, ...], discovery: object) -> object:
        """Keep what is asked, and answer or fail as told."""
        self.heard.append((tuple(facts.name for facts in columns), discovery))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Owner(Seeker):
    """A recognizer that alone answers for the strategy greedy."""

    strategies = ("greedy",)


@pytest.fixture
def only(host):
    """Return a function that gives the installed plugins with searching recognizers in place of theirs."""

    def given(*seekers: object, **more: object):
        names = {n: r for n, r in host.recognizers.items() if not hasattr(r, "propose_from")}
        mine = {f"seeker{i or ''}": one for i, one in enumerate(seekers)}
        return replace(host, registry={**host.registry, "recognizers": {**names, **mine}, **more})

    return given


def test_a_search_finds_the_column_that_no_name_tells(frame):
    """Ward is one by statistics beside age by name; eight classes of one miss k of 2, and keep k of 1."""
    with qidguard.audit(frame, policy=policy(k=2)) as audit:
        roles = {c.facts.name: c.assignment for c in audit.report.columns}
        assert roles["age"].decided_by is DecidedBy.LEXICON
        assert (roles["ward"].role, roles["ward"].decided_by) == (Role.QUASI_IDENTIFIER, DecidedBy.STATISTICS)
        assert "raised distinction by 0.5" in roles["ward"].reason
        measured = audit.verdict.thresholds[0].measurement
        assert (measured.qids, measured.value) == (("age", "ward"), 1)
        assert (audit.exit_code, audit.verdict.blocks) == (ExitCode.BLOCKED, ())
    with qidguard.audit(frame, policy=policy(k=1)) as audit:
        assert audit.is_passed


def test_without_the_section_nothing_is_searched(frame, only):
    """A search takes time, so somebody has to ask for it; nor are named quasi-identifiers searched for."""
    seeker = Seeker([qid("ward")])
    without = {k: v for k, v in policy().items() if k != "discovery"}
    with qidguard.audit(frame, policy=without, host=only(seeker)) as audit:
        assert "'ward'" in audit.verdict.blocks[0].sentence
    named = policy(roles={"quasi_identifiers": ["age"]}, unnamed_columns="insensitive")
    with qidguard.audit(frame, policy=named, host=only(seeker)):
        assert seeker.heard == []


def test_a_recognizer_is_given_the_candidates_and_the_task(frame, only):
    """Columns on which a person decided are none, in other combinations too; the rest is the policy's."""
    seeker = Seeker([])
    section = {"objective": {"distinction": 1}, "seed": 4, "budget_seconds": 9, "largest": 2}
    minimum = {"metric": "k_anonymity", "at_least": 2}
    other = {"name": "ward", "quasi_identifiers": ["ward"], "thresholds": [minimum]}
    for rules in (policy(section), policy(combinations=[other])):
        qidguard.audit(frame, policy=rules, host=only(seeker)).close()
    (columns, task), (fewer, _) = seeker.heard
    assert (columns, fewer) == (("age", "ward"), ("age",))
    assert (task.objective, task.seed, task.budget_seconds, task.largest) == ({"distinction": 1}, 4, 9, 2)
    assert (task.sensitive, task.target) == (("illness",), None)


def test_a_search_takes_nothing_away(frame, only):
    """Age is one by its name although the search finds ward only."""
    with qidguard.audit(frame, policy=policy(), host=only(Seeker([qid("ward")]))) as audit:
        assert audit.verdict.thresholds[0].measurement.qids == ("age", "ward")


def test_a_search_does_not_make_a_sensitive_name_a_mere_quasi_identifier(frame, only):
    """Nobody decided on diagnosis, which looks sensitive: it still blocks."""
    fields = policy(roles={"quasi_identifiers": "auto", "insensitive": ["ssn", "band", "site", "ward"]})
    with qidguard.audit(frame, policy=fields, host=only(Seeker([qid("illness")]))) as audit:
        assert "'illness' is not named by the policy" in audit.verdict.blocks[0].sentence


FAILED = "recognizer 'seeker' failed with {}; mend the plugin."
ELSE = "proposed something else than quasi-identifiers among the columns it was given"
HARMLESS = replace(qid("ward"), assignment=replace(qid("ward").assignment, role=Role.INSENSITIVE))


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("answer", "code", "expected"),
    [
        (NotMeasurable("it did not end"), 1, "No quasi-identifiers could be found by search: it did not end"),
        (UserError("no such thing"), 1, "The search for quasi-identifiers failed: no such thing."),
        (PluginError("theirs broke"), 3, "The search for quasi-identifiers failed: theirs broke."),
        (RuntimeError("flu"), 3, FAILED.format("RuntimeError")),
        (SystemExit(0), 3, FAILED.format("SystemExit")),
        (None, 3, FAILED.format("TypeError")),
        ([qid("ssn")], 3, ELSE),
        ([qid("none")], 3, ELSE),
        ([HARMLESS], 3, ELSE),
        (["ward"], 3, "recognizer 'seeker' proposed str, not RoleProposal; mend the plugin."),
    ],
)
def test_a_search_without_an_answer_blocks(frame, only, answer, code, expected):
    """Each failure is one sentence without a value of the table, and no pass."""
    with qidguard.audit(frame, policy=policy(), host=only(Seeker(answer))) as audit:
        sentences = "\n".join(block.sentence for block in audit.verdict.blocks)
        assert (expected in sentences, "flu" in sentences, audit.exit_code) == (True, False, code)


def test_ctrl_c_during_a_search_ends_the_audit(frame, only):
    """No verdict rests on half a search."""
    with pytest.raises(KeyboardInterrupt):
        qidguard.audit(frame, policy=policy(), host=only(Seeker(KeyboardInterrupt())))


@pytest.mark.slow
def test_a_search_that_its_budget_ends_blocks(frame):
    """What the clock decides is no basis of a verdict: the sentence says what to raise."""
    frame = frame.assign(**{f"c{i}": range(i, i + 8) for i in range(30)})
    section = SEARCH | {
        "strategy": "evolutionary",
        "parameters": {"generations": 10_000, "population": 200},
        "budget_seconds": 0.2,
    }
    rules = policy(section, unnamed_columns="insensitive")
    with qidguard.audit(frame, policy=rules) as audit:
        (block,) = [b for b in audit.verdict.blocks if b.rule == "discovery"]
        assert "the search did not end within its budget of 0.2 seconds" in block.sentence
        assert "raise discovery.budget_seconds" in block.sentence
        assert audit.exit_code is ExitCode.BLOCKED


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"strategy": "gredy"}, "strategy: there is no search strategy 'gredy'; did you mean 'greedy'?"),
        ({"strategy": "beam", "parameters": {"wide": 1}}, "strategy: unknown parameter 'wide'"),
        ({"objective": "recogniton"}, "objective: there is no objective 'recogniton'"),
        ({"objective": {"accuracy": 1}}, "objective: metric 'accuracy' is measured beside a target"),
    ],
)
def test_a_section_that_cannot_be_searched_by_is_a_policy_error(frame, section, expected):
    """It is found before anything is loaded."""
    with pytest.raises(PolicyError) as caught:
        qidguard.audit(frame, policy=policy(section))
    assert f"discovery.{expected}" in str(caught.value)


def test_without_a_recognizer_that_searches_the_policy_cannot_be_judged(frame, without_kinds):
    """The error says what is missing; with a broken or skipped plugin it is a fault, exit 3."""
    bare = without_kinds("recognizers")
    with pytest.raises(
        PolicyError, match=r"no installed recognizer can search.*install a plugin that offers one"
    ):
        qidguard.audit(frame, policy=policy(), host=bare)
    with pytest.raises(PluginError, match="QIDGUARD_PLUGINS leaves out theirs"):
        qidguard.audit(frame, policy=policy(), host=replace(bare, skipped=("theirs",)))


def test_who_has_not_checked_before_is_blocked_all_the_same(frame, without_kinds):
    """A re-audit plans no audit of what is published; names alone would judge it too lightly."""
    with qidguard.audit(frame) as opened:
        found = recognize_table(opened.table, load_policy(policy()), without_kinds("recognizers"))
    (block,) = found.blocks
    assert (block.rule, block.is_internal) == ("discovery", True)
    assert "No loaded recognizer can search" in block.sentence


@pytest.mark.slow
def test_the_search_of_a_gate_is_the_same_each_time(frame):
    """Two audits give the same columns and reasons."""
    rules = policy({"strategy": "evolutionary", "objective": {"distinction": 1}, "seed": 1})
    reports = []
    for _ in range(2):
        with qidguard.audit(frame, policy=rules) as audit:
            reports.append([(c.assignment, c.facts.name) for c in audit.report.columns])
    assert reports[0] == reports[1]


@pytest.mark.samples(1)
@pytest.mark.parametrize(("strategy", "who"), [("greedy", "owner"), ("tabu", "seeker"), (None, "seeker")])
def test_a_strategy_that_is_somebody_s_own_is_answered_by_nobody_else(only, frame, strategy, who):
    """Where the policy names the owner's strategy only the owner is asked, and otherwise never."""
    owner, seeker = Owner([qid("ward")]), Seeker([qid("ward")])
    rules = load_policy(policy({**SEARCH} | ({"strategy": strategy} if strategy else {})))
    with qidguard.audit(frame) as audited:
        recognize_table(audited.table, rules, only(owner, seeker))
    assert [bool(owner.heard), bool(seeker.heard)] == [who == "owner", who == "seeker"]


def test_an_owner_needs_no_objective_but_a_named_one_must_exist(only, frame):
    """The owner answers where nobody offers an objective, but for no strategy of others."""
    alone = only(Owner([]), objectives={})
    with qidguard.audit(frame, host=alone, policy=policy({"strategy": "greedy"})) as audited:
        assert "discovery" not in {block.rule for block in audited.verdict.blocks}
    for section, said in (
        ({"strategy": "greedy", "objective": "recogniton"}, r"discovery\.objective"),
        ({**SEARCH, "strategy": "tabu"}, "no installed recognizer can search"),
    ):
        with pytest.raises(PolicyError, match=said):
            qidguard.audit(frame, host=alone, policy=policy(section))
