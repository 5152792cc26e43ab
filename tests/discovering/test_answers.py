"""A strategy's choice, roles, tables and plots in what discover returns, prints and writes."""

import json
from dataclasses import replace

import jsonschema
import pytest

import qidguard
from qidguard.discovering.console import console_text, to_html_fragment
from qidguard.discovering.document import published_discovery_schema
from qidguard.discovering.example import answered, small
from qidguard.discovering.wording import MOST_ROWS, choice_sentence
from qidguard.sdk import (
    DecidedBy,
    DiscoveryTask,
    Plot,
    PluginError,
    ResultTable,
    Role,
    RoleAssignment,
    RoleProposal,
    SetChoice,
    Termination,
    audit,
    discover_in,
    k_anonymity_task,
    rehearse,
)

BARS = Plot(title="Bars", alternative="Bars.", chart={"mark": "bar", "data": {"values": []}})
HOSTILE = ("</script><b>", "[bold]x[/bold]", "=cmd()")


def proposed(column, role, confidence=0.8):
    """Return a proposal of a role."""
    assignment = RoleAssignment(column=column, role=role, decided_by=DecidedBy.STATISTICS, reason="it tells")
    return RoleProposal(assignment=assignment, confidence=confidence)


class Choosing:
    """Evaluates all candidates together, chooses the first, and says what it is told to say."""

    name = "choosing"
    title = "the first candidate"
    parameters = ()
    words = HOSTILE

    def __init__(self, **answer):
        self.answer = answer

    def search(self, problem, _arguments, _seed):
        """Rehearse, evaluate, and answer."""
        records = problem.records(0.5, 1)
        task = k_anonymity_task(2, problem.candidates)
        kept = rehearse(records, "mondrian", task, host=problem.host).records
        problem.evaluate([frozenset(problem.candidates)])
        table = ResultTable(
            name="kept",
            title=f"Kept {HOSTILE[0]}",
            columns=("column", "kept, records", HOSTILE[0]),
            rows=tuple((facts.name, kept, HOSTILE[1]) for facts in problem.facts),
            note=f"{HOSTILE[1]} {HOSTILE[0]}",
        )
        said = {"chosen": problem.candidates[:1], "chosen_because": HOSTILE[0], "tables": (table,)}
        return Termination(**(said | self.answer))


@pytest.fixture
def found(frame, with_offers):
    """Return what discover finds by that strategy."""

    def run(**answer):
        host = with_offers(search_strategies=Choosing(**answer))
        return qidguard.discover(
            frame,
            strategy="choosing",
            objective={"distinction": 1},
            host=host,
            candidates=["age", "ward", "illness"],
        )

    return run


def valid(document) -> dict:
    """Return a document once it fits the published schema."""
    told = json.loads(document)
    jsonschema.Draft202012Validator(json.loads(published_discovery_schema())).validate(told)
    return told


def test_the_chosen_set_is_what_was_found(found):
    """With its own fitness; the fitter one is told, and why it was not taken."""
    discovery = found()
    assert (discovery.quasi_identifiers, discovery.best.fitness) == (("age",), 0.5)
    assert [c.facts.name for c in discovery.columns if c.is_found] == ["age"]
    assert choice_sentence(discovery) == (
        "The strategy chose age by a rule of its own (</script><b>), with the fitness 0.5000; the fittest set"
        " seen, age, ward, illness (1.0000), was not taken for that."
    )
    told, every = valid(discovery.to_json()), ["age", "ward", "illness"]
    assert (told["quasi_identifiers"], [*discovery.sets[1].qids]) == (["age"], every)
    assert (told["choice"]["fittest"], told["choice"]["fittest_fitness"]) == (every, 1.0)
    assert told["tables"][0]["rows"] == [[name, 4, HOSTILE[1]] for name in every]
    page, text = to_html_fragment(discovery), console_text(discovery)
    assert ("</script>" in page, "Kept &lt;/script&gt;" in page, HOSTILE[1] in text) == (False, True, True)
    assert ["was not taken for that" in shown for shown in (page, text)] == [True, True]


def test_a_search_by_an_opened_table_answers_too(frame, with_offers):
    """As a recognizer makes it."""
    host = with_offers(search_strategies=Choosing(classification=(proposed("illness", Role.SENSITIVE),)))
    with audit(frame, host=host) as audited:
        task = DiscoveryTask(strategy="choosing", objective={"distinction": 1}, host=host)
        discovery = discover_in(audited.table, ["age", "ward", "illness"], task, must_finish=True)
    assert discovery.quasi_identifiers == ("age",)
    assert [one.assignment.column for one in discovery.classification] == ["illness"]
    assert [table.name for table in discovery.tables] == ["kept"]


def test_a_fault_names_the_plugin(found):
    """Here a text that nobody declared; it may be a value."""
    table = ResultTable(name="x", title="X", columns=("a",), rows=(("flu",),))
    with pytest.raises(
        PluginError, match=r"mine 1\.0: search strategy 'choosing' gives in table 1 a text"
    ) as raised:
        found(tables=(table,))
    assert "flu" not in str(raised.value)


def test_the_classification_is_shown(found):
    """With its confidence; what is unsure is a question."""
    said = proposed("illness", Role.SENSITIVE), proposed("ward", Role.QUASI_IDENTIFIER, 0.25)
    discovery = found(classification=said)
    told = valid(discovery.to_json())["classification"]
    assert [(one["column"], one["role"], one["confidence"]) for one in told] == [
        ("ward", "quasi_identifier", 0.25),
        ("illness", "sensitive", 0.8),
    ]
    text = console_text(discovery)
    assert [words in text for words in ("a quasi-identifier?", "a sensitive attribute")] == [True, True]
    assert {role.column: role.role for role in discovery.roles()}["illness"] is Role.SENSITIVE


def test_long_tables_are_cut_where_they_are_shown():
    """The document has them all, and no chart: plots are told in words."""
    table = ResultTable(name="n", title="N", columns=("n",), rows=tuple((i,) for i in range(MOST_ROWS + 7)))
    found = replace(answered(), search=replace(answered().search, tables=(table,), plots=(BARS,)))
    told = valid(found.to_json())
    assert len(told["tables"][0]["rows"]) == MOST_ROWS + 7
    assert told["plots"] == [{"title": "Bars", "alternative": "Bars."}]
    for shown in (console_text(found), to_html_fragment(found)):
        assert "7 more rows; the JSON document has them all." in shown


def test_without_an_answer_nothing_is_said():
    """No choice, no roles, no tables."""
    told = valid(small().to_json())
    assert (told["choice"], told["classification"], told["tables"], told["plots"]) == (None, [], [], [])
    assert "by a rule of its own" not in console_text(small()) + to_html_fragment(small())


@pytest.mark.parametrize(
    ("fittest", "fitness", "said"),
    [
        (0, None, "was not taken for that."),
        (1, None, "which is the fittest set seen (0.7500), too."),
        (0, 0.75, "no set seen is fitter (0.7500)."),
    ],
)
def test_the_choice_says_what_is_fittest(fittest, fitness, said):
    """Another set, the chosen one itself, or an equal; a reason is not asked for."""
    other = small().search.ranked[fittest]
    other = other if fitness is None else replace(other, own_fitness=fitness)
    search = replace(answered().search, choice=SetChoice(reason="", fittest=other))
    sentence = choice_sentence(replace(answered(), search=search))
    assert (sentence.endswith(said), "()" in sentence) == (True, False)


QID, SENSITIVE, DIRECT = Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.DIRECT_IDENTIFIER
HARMLESS, OPEN = Role.INSENSITIVE, Role.UNCLASSIFIED
PERSON, NAME, SEARCH, NOBODY = DecidedBy.PERSON, DecidedBy.LEXICON, DecidedBy.STATISTICS, DecidedBy.NOBODY
FOLLOWS = [
    # known, found by the search, the strategy's role and confidence → role, decided by, sensitive too
    (None, False, (SENSITIVE, 0.8), (SENSITIVE, SEARCH, False)),
    (None, False, (QID, 0.8), (QID, SEARCH, False)),
    (None, False, (DIRECT, 0.8), (DIRECT, SEARCH, False)),
    (None, False, (QID, 0.4), (OPEN, NOBODY, False)),
    (None, False, (HARMLESS, 1.0), (OPEN, NOBODY, False)),
    (None, False, (OPEN, 1.0), (OPEN, NOBODY, False)),
    (None, True, (HARMLESS, 1.0), (QID, SEARCH, False)),
    (None, True, (QID, 1.0), (QID, SEARCH, False)),
    (None, True, (SENSITIVE, 0.8), (QID, SEARCH, True)),
    (None, True, (DIRECT, 0.8), (DIRECT, SEARCH, False)),
    ((QID, NAME), False, (HARMLESS, 1.0), (QID, NAME, False)),
    ((QID, NAME), False, (DIRECT, 1.0), (QID, NAME, False)),
    ((QID, NAME), True, (SENSITIVE, 1.0), (QID, NAME, True)),
    ((SENSITIVE, NAME), False, (HARMLESS, 1.0), (SENSITIVE, NAME, False)),
    ((SENSITIVE, NAME), False, (QID, 1.0), (QID, SEARCH, True)),
    ((DIRECT, NAME), False, (QID, 1.0), (DIRECT, NAME, False)),
    ((QID, PERSON), False, (SENSITIVE, 1.0), (QID, PERSON, False)),
    ((SENSITIVE, PERSON), False, (QID, 1.0), (SENSITIVE, PERSON, False)),
    ((HARMLESS, PERSON), False, (DIRECT, 1.0), (HARMLESS, PERSON, False)),
]


@pytest.mark.parametrize(("known", "is_found", "said", "follows"), FOLLOWS)
def test_what_role_follows(known, is_found, said, follows):
    """A person decides, then a name; a strategy adds, and never makes a column harmless."""
    base = small()
    given = None if known is None else RoleAssignment(column="ward", role=known[0], decided_by=known[1])
    ward = replace(base.columns[1], known=given, is_found=is_found)
    search = replace(base.search, classification=(proposed("ward", *said),))
    role = replace(base, columns=(base.columns[0], ward, *base.columns[2:]), search=search).roles()[1]
    assert (role.role, role.decided_by, role.is_also_sensitive) == follows
    if role.role is OPEN and said[0] is HARMLESS:
        assert role.reason == "is it harmless? it tells"
