"""Tests of commands that plugins add: run, listed, refused, and whose fault what is."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

import qidguard
import qidguard.host
from qidguard.core.errors import NotMeasurable, PluginError
from qidguard.host.loading import assemble
from qidguard.sdk import (
    Command,
    Plot,
    Reading,
    ResultOutput,
    ResultTable,
    hookimpl,
    output_options,
    reading_options,
    seed_option,
)
from qidguard_testing import check_command

OWNER = "plugin 'mine' of this process unreleased"
SIZES = ResultTable(
    name="sizes",
    title="Sizes",
    columns=("set", "persons", "share"),
    rows=(("age", 1200, 0.25), ("x", None, None)),
)


@pytest.fixture
def offer():
    """Return a function that registers a plugin with commands; it is taken out again."""
    names = []

    def give(*commands: Command, name: str = "mine") -> None:
        plugin = SimpleNamespace(qidguard_commands=hookimpl(lambda: commands))
        plugin.qidguard_commands.__name__ = "qidguard_commands"
        qidguard.register(plugin, name=name)
        names.append(name)

    yield give
    for name in names:
        qidguard.unregister(name)


def command(body=lambda: 0, name="compare_sets", title="Compare sets.") -> Command:
    """Return a command without options."""
    return Command(name=name, title=title, make=lambda: click.Command(name, callback=body, help="Words."))


def raising(error):
    """Return a body that raises."""

    def body():
        raise error

    return body


def group() -> click.Group:
    """Return a group with one command that takes a table, a seed and an output."""

    @click.group("mygroup")
    def made() -> None:
        """Hold a command."""

    @made.command("rows")
    @click.argument("data")
    @reading_options
    @seed_option
    @output_options
    def rows(*, data: str, reading: Reading, seed: int, output: ResultOutput) -> int:
        """Count the columns of DATA."""
        with output.progress() as progress:
            progress.step("counting", 0, 1)
        names = qidguard.audit(data, read=reading.options(), settings=reading.settings()).report.columns
        output.remark(f"seed {seed}")
        output.show(SIZES, text=f"{len(names)} columns")
        return 0

    return made


def test_a_command_runs_and_is_listed_like_any_offer(offer, run):
    """1 says blocked, -h is there; help, guesses, ``plugins`` and ``explain`` know its name and title."""
    assert "compare_sets" not in run("--help")[1]
    offer(command(lambda: 1))
    assert run("compare_sets") == (1, "", "")
    code, out, _ = run("compare_sets", "-h")
    assert (code, out.splitlines()[0]) == (0, "Usage: qidguard compare_sets [OPTIONS]")
    out = run("--help")[1]
    places = [out.index(w) for w in ("withdraw", "Commands of plugins:", "compare_sets  Compare sets.")]
    assert places == sorted(places)
    guess = "No such command 'compare_set'. (Did you mean one of: 'compare', 'compare_sets'?)"
    assert guess in run("compare_set")[2]
    assert "Did you mean 'audit'" in run("audti")[2]
    assert run("plugins", "mine")[1].split()[4:] == ["commands:", "compare_sets", "Compare", "sets."]
    found = qidguard.explain("compare_sets")
    facts = "A command: qidguard compare_sets --help"
    assert (found.kind, found.title, found.facts) == ("command", "Compare sets.", facts)


@pytest.mark.slow
def test_a_command_may_be_a_group_with_our_options(offer, run, table):
    """Reading, seed and output are options of ours; JSON and files hold the tables."""
    offer(Command(name="mygroup", title="Of mine.", make=group))
    Path("semi.csv").write_text("a;b\n1;2\n", encoding="utf-8")
    more = ("--delimiter", ";", "--tables", "out", "--seed", "7")
    code, out, err = run("mygroup", "rows", "semi.csv", *more)
    assert (code, err, out.splitlines()[0]) == (0, "seed 7\nout/sizes.csv\n", "2 columns")
    assert "1,200" in out
    assert Path("out/sizes.csv").read_text(encoding="utf-8") == SIZES.to_csv()
    code, out, err = run("mygroup", "rows", table, "--format", "json", "-q")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"text": "4 columns", "tables": [SIZES.to_dict()]}
    assert run("mygroup", "rows", "absent.csv")[0] == 2
    code, out, err = run("mygroup", "rows", table, "--output", table)
    assert (code, out, "would overwrite" in err) == (2, "", True)
    assert "Usage: qidguard mygroup rows [OPTIONS] DATA" in run("mygroup", "rows", "--help")[1]
    assert run("mygroup", "rwos")[0] == 2


def test_a_text_output_holds_the_whole_table(offer, run, table, tmp_path):
    """A file is no terminal: nothing is cut to a width."""
    offer(Command(name="mygroup", title="Of mine.", make=group))
    assert run("mygroup", "rows", table, "-q", "-o", "result.txt") == (0, "", "")
    text = (tmp_path / "result.txt").read_text(encoding="utf-8")
    assert (text.startswith("4 columns\n\nSizes\n"), "0.25" in text) == (True, True)


def test_the_output_replaces_no_file_that_an_option_names(offer, run, write_policy):
    """A policy beside the table is as safe as the table is."""

    @click.command("judge")
    @click.option("--policy")
    @output_options
    def judge(*, policy: str, output: ResultOutput) -> int:
        """Judge."""
        output.show(text=policy)
        return 0

    offer(Command(name="judge", title="Judge.", make=lambda: judge))
    policy = Path(write_policy(2))
    written = policy.read_bytes()
    code, out, err = run("judge", "--policy", str(policy), "--output", f"./{policy}")
    assert (code, out, "would overwrite" in err) == (2, "", True)
    assert policy.read_bytes() == written


def test_plots_are_saved_under_their_names(tmp_path, monkeypatch):
    """Each becomes an SVG and a PNG, by the plot's own way to save itself."""
    saved = []
    monkeypatch.setattr(Plot, "save", lambda _, path: saved.append(path.name))
    plot = Plot(title="a", alternative="A bar.", chart={"mark": "bar", "data": {"values": []}})
    ResultOutput(plots=str(tmp_path), is_quiet=True).show(plots={"bars": plot})
    assert saved == ["bars.svg", "bars.png"]


NO_CODE = f"Error: {OWNER}: command 'compare_sets' ended with"
FAILED = f"Error: {OWNER}: command 'compare_sets'"
FAULTS = [
    (lambda: None, 3, f"{NO_CODE} NoneType, not with an exit code"),
    (lambda: True, 3, f"{NO_CODE} True, not with an exit code"),
    (lambda: 7, 3, f"{NO_CODE} 7, not with an exit code"),
    (raising(KeyError("Zanzibar")), 3, f"{FAILED} failed with KeyError; mend"),
    (raising(SystemExit(0)), 3, f"{FAILED} failed with SystemExit; mend"),
    (raising(click.exceptions.Exit(9)), 3, f"{NO_CODE} exit code 9"),
    (raising(PluginError.of_somebody("lost its way")), 3, f"{FAILED} lost its"),
    (raising(NotMeasurable("no records")), 2, "Error: there is no result: no records"),
    (raising(qidguard.UserError("give a table")), 2, "Error: give a table"),
    (raising(click.UsageError("postgresql://u:geheim@h/d is wrong")), 2, "Error: postgresql://h/d is wrong"),
    (raising(FileNotFoundError(2, "No such file", "x.csv")), 2, "Error: The system refuses 'x.csv'"),
    (raising(KeyboardInterrupt()), 130, "Interrupted before the end."),
]


@pytest.mark.parametrize(("body", "code", "words"), FAULTS, ids=range(len(FAULTS)))
def test_whatever_a_command_does_wrong_is_one_sentence(offer, run, body, code, words):
    """A mistake of the user is 2, a fault names the plugin with 3, Ctrl-C is 130; no value, no password."""
    offer(command(body))
    found, out, err = run("compare_sets")
    assert (found, out, words in err) == (code, "", True)
    assert [secret for secret in ("Zanzibar", "geheim") if secret in err] == []


def test_what_makes_no_command_is_a_fault_that_names_the_plugin(offer, run):
    """make() gives something else, or fails: 3; other commands are as ever."""
    offer(
        Command(name="nothing", title="Nothing.", make=lambda: 5),  # type: ignore[arg-type,return-value]
        Command(name="broken", title="Broken.", make=raising(ImportError("no module"))),
    )
    assert "command 'nothing' made a int, not a command of click; mend the plugin" in run("nothing")[2]
    assert run("broken")[::2] == (
        3,
        f"Error: {OWNER}: command 'broken' failed with ImportError; mend the plugin\n",
    )
    assert run("explain", "k_anonymity")[0] == 0


def test_our_commands_cannot_be_shadowed(offer, run):
    """The name stays ours, said in one sentence; what else the plugin offers is there."""
    with pytest.raises(PluginError, match="names that are qidguard's own: 'audit'; rename what it offers"):
        offer(command(name="audit"), command())
    assert run("audit", "absent.csv")[0] == 2


def test_a_command_that_cannot_be_trusted_is_told_with_its_reason(run, monkeypatch):
    """Of two plugins, or perhaps of one that did not load: 3, and all are named; ours mistyped is 2."""

    def plugin() -> SimpleNamespace:
        found = SimpleNamespace(qidguard_commands=hookimpl(lambda: [command()]))
        found.qidguard_commands.__name__ = "qidguard_commands"
        return found

    broken = {"broken": SimpleNamespace(qidguard_commands=5)}
    unloaded = "no loaded plugin offers the command 'compare_sets', and not all loaded: plugin 'broken'"
    twice = ("command 'compare_sets' cannot be trusted: plugin 'two'", "also of plugin 'one'")
    for registered, words in (({"one": plugin(), "two": plugin()}, twice), (broken, (unloaded,))):
        host = assemble([], registered=registered)
        monkeypatch.setattr(qidguard.host, "load_host", lambda host=host: host)
        code, _, err = run("compare_sets")
        assert (code, [one for one in words if one not in err]) == (3, [])
        assert run("audti")[0] == 2


@pytest.mark.parametrize(("words", "extra"), [
    ("gx export policy.yaml", "gx"),
    ("schema series-plan", "series"),
    ("series plan table.csv", "series"),
    ("compare table.csv --policy policy.yaml", "compare"),
    ("anonymize table.csv --policy policy.yaml --pareto -a x", "compare"),
])  # fmt: skip
@pytest.mark.usefixtures("table")
def test_what_an_extra_brings_says_how_to_get_it(run, write_policy, monkeypatch, words, extra):
    """Nobody offers the command, its schema or its option: one sentence, and a mistake of the user."""
    monkeypatch.setattr(qidguard.host, "load_host", lambda: assemble([]))
    write_policy(limit=2)
    sentence = f'Error: the command {extra} comes with an extra: pip install "qidguard[{extra}]"\n'
    assert run(*words.split()) == (2, "", sentence)


@pytest.mark.parametrize(("fields", "words"), [
    ({"name": 3}, "name must be"),
    ({"title": " "}, "needs a title"),
    ({"make": "x"}, "make must be a function, not str"),
    ({"starter": "x"}, "starter must be a function or None, not str"),
    ({"schemas": ["x"]}, "schemas must be"),
    ({"solutions": "x"}, "solutions must be a function or None, not str"),
])  # fmt: skip
def test_a_command_checks_its_fields(fields, words):
    """What is wrong is said when it is made."""
    with pytest.raises((TypeError, ValueError), match=words):
        Command(**({"name": "x", "title": "X.", "make": lambda: None} | fields))


def test_the_kit_finds_what_a_command_lacks():
    """No help, a swallowed option, a run that fails, and one that says something else each time."""
    counted = iter(range(9))

    @click.command(context_settings={"ignore_unknown_options": True})
    @click.argument("rest", nargs=-1, type=click.UNPROCESSED)
    @click.option("--size")
    def bad(*, rest, size):  # noqa: ARG001 - click gives them
        click.echo(next(counted))
        return 0

    found = check_command(Command(name="bad", title="Bad.", make=lambda: bad), [])
    words = " ".join(map(str, found))
    for expected in ("has no help; give", "--size has no help", "unknown option ends with 0", "second run"):
        assert expected in words
    assert check_command(Command(name="mygroup", title="Of mine.", make=group)) == []
    failing = check_command(command(lambda: None), [])
    assert ["the run ends with 3" in v.sentence for v in failing] == [True]


@pytest.mark.slow
def test_help_of_a_command_of_ours_loads_no_plugin():
    """``qidguard audit --help`` imports no plugin, and ``qidguard --help`` only those that have a command."""
    script = (
        "import sys; from qidguard.interfaces.cli import main\n"
        "codes = [main(['audit', '--help']), main(['--help'])]\n"
        "heavy = {'duckdb', 'numpy', 'qidguard_checks', 'qidguard_standard'}\n"
        "found = [m for m in sys.modules if m in heavy]\n"
        "print(codes, found, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[0, 0] []\n"
