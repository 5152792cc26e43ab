"""What a command of a plugin shows and saves: text, tables and plots, and the options that say where."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.progress import Progress
from qidguard.core.result_table import ResultTable
from qidguard.core.system import why
from qidguard.interfaces.method_request import MethodRequest
from qidguard.interfaces.options import format_option, output_option, quiet_option, together
from qidguard.interfaces.plot_files import KINDS, check_plot_folder, file_names, make_folder, saved
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.screen import check_output, console, forget_old, say, write_report
from qidguard.rendering.printable import visible
from qidguard.rendering.result_page import MOST_WIDTH, ResultPage
from qidguard.rendering.result_table import A_PAGE, result_lines

if TYPE_CHECKING:
    from qidguard.plot.plot import Plot
    from qidguard.policy import Policy

_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, kw_only=True)
class ResultOutput:
    """Where the result of a command goes.

    Args:
        kind: ``console`` or ``json``.
        output: The file that takes the place of standard output; None for none.
        tables: The folder into which each table is written as CSV; None for none.
        plots: The folder into which each plot is drawn; None for none.
        is_quiet: Whether progress and remarks are left out.
    """

    kind: str = "console"
    output: str | None = None
    tables: str | None = None
    plots: str | None = None
    is_quiet: bool = False

    def progress(self) -> AbstractContextManager[Progress]:
        """Return a context manager that gives a ``Progress``: a bar where somebody looks.

        Example:
            >>> with ResultOutput(is_quiet=True).progress() as progress:
            ...     progress.step("comparing", 0, 1)
        """
        return progress_bar(is_quiet=self.is_quiet)

    def remark(self, sentence: str) -> None:
        """Say something beside the result on standard error, unless nobody wants to hear it.

        Args:
            sentence: What to say; no value of the table.

        Example:
            >>> ResultOutput(is_quiet=True).remark("Two columns were left out.")
        """
        if not self.is_quiet:
            say(sentence)

    def show(self, *tables: ResultTable, text: str = "", plots: "Mapping[str, Plot]" = _NOTHING) -> None:
        """Show the result, and save tables and plots where folders were named.

        Args:
            tables: The tables; JSON holds them under ``tables``.
            text: What stands before them; JSON holds it under ``text``.
            plots: Name → plot, each saved as NAME.svg and NAME.png.

        Raises:
            UserError: When something cannot be written.

        Example:
            >>> sizes = ResultTable(name="sizes", title="Sizes", columns=("k", "persons"), rows=((2, 14),))
            >>> ResultOutput(kind="json").show(sizes)  # doctest: +ELLIPSIS
            {
              "tables": [...
        """
        if self.kind == "json":
            found: dict[str, object] = {"text": text} if text else {}
            found["tables"] = [table.to_dict() for table in tables]
            write_report(json.dumps(found, ensure_ascii=False, indent=2) + "\n", self.output)
        elif self.output in {None, "-"}:
            _print(tables, text)
        else:
            write_report(_plain(tables, text), self.output)
        if self.tables is not None:
            for table in tables:
                self._save(Path(self.tables) / f"{table.name}.csv", table.to_csv())
        self.save_plots(plots)

    def save_plots(self, plots: "Mapping[str, Plot]") -> None:
        """Save plots of a plugin's own, each as NAME.svg and NAME.png, where a folder was named.

        Args:
            plots: Name → plot.

        Raises:
            UserError: When something cannot be written.

        Example:
            >>> ResultOutput().save_plots({})
        """
        for name, plot in plots.items() if self.plots is not None else ():
            for suffix in KINDS:
                plot.save(Path(str(self.plots)) / f"{name}.{suffix}")
            self.remark(f"{Path(str(self.plots)) / name}.{' and .'.join(KINDS)}")

    def save_drawn(self, label: str, anonymizer: str, plots: "Iterable[Plot]", taken: set[str]) -> None:
        """Save what an anonymizer drew into the folder of plots, and remark where; nothing without one.

        Args:
            label: What was drawn, which the names of files begin with.
            anonymizer: The anonymizer's name; a plot that cannot be drawn is a fault of its plugin.
            plots: What it drew.
            taken: Names that there are already; grows by those that are given.

        Raises:
            PluginError: When a plot cannot be drawn.

        Example:
            >>> ResultOutput().save_drawn("mdav[k=5]", "mdav", (), set())
        """
        from qidguard.host import load_host

        if self.plots is not None:
            owner = load_host().owner("anonymizers", anonymizer)
            named = file_names(label, plots, taken)
            for path in saved(named, self.plots, owner, f"plots of anonymizer {anonymizer!r}"):
                self.remark(path)

    def begin(self, policy: "Policy", data: Any, *others: str) -> None:
        """Check before the work that the output replaces nothing that is read, and remove an earlier one.

        Args:
            policy: The policy; what it names is read, too.
            data: The table that was named; None where the policy names it.
            others: Other files that are read, such as the policy's own.

        Raises:
            UserError: When it would, or there is no table.

        Example:
            >>> from qidguard.policy import parse_policy
            >>> policy = parse_policy(
            ...     "{qidguard: 1, name: p, roles: {quasi_identifiers: [age]}, preset: pdpc-sg-5}"
            ... )
            >>> ResultOutput().begin(policy, "people.csv")
        """
        from qidguard.auditing.context import source_of
        from qidguard.trials.read_places import other_sources

        check_output(self.output, source_of(data, policy), *others, *other_sources(policy))
        forget_old(self.output)

    def show_page(self, page: ResultPage, document: Callable[[], str]) -> None:
        """Show a result that has a page and a document of its own.

        Args:
            page: What a console shows.
            document: Returns its JSON text.

        Raises:
            UserError: When it cannot be written.

        Example:
            >>> page = ResultPage(heading="2 ways", columns=(), rows=())
            >>> ResultOutput(kind="json").show_page(page, lambda: '{"ways": 2}')
            {"ways": 2}
        """
        if self.kind == "json":
            write_report(document(), self.output)
        elif self.output in {None, "-"}:
            screen = console()
            for part in page.parts(min(screen.width, MOST_WIDTH), is_ascii=screen.options.ascii_only):
                screen.print(part)
        else:
            write_report(page.text(), self.output)

    def _save(self, path: Path, text: str) -> None:
        try:
            write_whole(path, text.encode("utf-8", errors="backslashreplace"), mode=0o644)
        except OSError as error:
            raise UserError(f"{str(path)!r} cannot be written ({why(error)}); name another folder") from None
        self.remark(str(path))


_TABLES = click.option(
    "--tables", metavar="FOLDER", help="Write each table of the result as CSV into a folder."
)


def _plots(help_text: str) -> Callable[..., Any]:
    return click.option("--plots", metavar="FOLDER", help=help_text)


def _as_output(command: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command these options, and hand them over as one ``output``."""

    @wraps(command)
    def with_output(**given: Any) -> Any:
        said = {name: given.pop(name) for name in ("kind", "output", "tables", "plots") if name in given}
        return command(output=ResultOutput(**said, is_quiet=given.pop("quiet")), **given)

    return together(*options)(with_output)


def output_options(
    command: Callable[..., Any] | None = None, *, has_tables: bool = True
) -> Callable[..., Any]:
    """Give a command the options of its result, and hand them over as one ``output``.

    What cannot be written is said before the work begins.

    Args:
        command: A function that takes ``output``, a ``ResultOutput``; None returns what gives it options.
        has_tables: Whether ``--tables`` is among them.

    Returns:
        The function that click calls.

    Example:
        >>> @click.command()
        ... @output_options
        ... def hello(*, output: ResultOutput) -> int:
        ...     output.show(text="hello")
        ...     return 0
        >>> sorted(option.name for option in hello.params)
        ['kind', 'output', 'plots', 'quiet', 'tables']
    """
    if command is None:
        return partial(output_options, has_tables=has_tables)

    @wraps(command)
    def checked(*, output: ResultOutput, **given: Any) -> Any:
        asked = given.get("asked")
        check_output(output.output, *(asked.inputs if isinstance(asked, MethodRequest) else ()))
        if output.plots is not None:
            check_plot_folder(output.plots)
        if output.tables is not None:
            make_folder(output.tables, "--tables")
        forget_old(output.output)
        return command(output=output, **given)

    plots = _plots("Write plots of the result into a folder.")
    tables = [_TABLES] if has_tables else []
    return _as_output(checked, format_option(), output_option(), *tables, plots, quiet_option)


def document_options(what: str, *, plots: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what gives a command the options of a result that is one document, as one ``output``.

    What the folder of plots lacks is said before the work begins; ``ResultOutput.begin`` says the rest.

    Args:
        what: What the result is called, such as ``plan``.
        plots: What ``--plots`` says of itself.

    Example:
        >>> @click.command()
        ... @document_options("plan", plots="Draw it.")
        ... def hello(*, output: ResultOutput) -> int:
        ...     return 0
        >>> sorted(option.name for option in hello.params)
        ['kind', 'output', 'plots', 'quiet']
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def checked(*, output: ResultOutput, **given: Any) -> Any:
            if output.plots is not None:
                check_plot_folder(output.plots)
            return command(output=output, **given)

        return _as_output(checked, _plots(plots), format_option(what), output_option(what), quiet_option)

    return add


def seed_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--seed``, and hand it over as ``seed``.

    Args:
        command: A function that takes ``seed``, a whole number from 0 on; 0 where none is given.

    Returns:
        The function that click calls.

    Example:
        >>> @click.command()
        ... @seed_option
        ... def draw(*, seed: int) -> int:
        ...     return 0
        >>> draw.params[0].opts
        ['--seed']
    """
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of the random numbers.",
    )(command)


def _print(tables: tuple[ResultTable, ...], text: str) -> None:
    from rich.text import Text

    screen = console()
    if text:
        screen.print(Text("\n".join(map(visible, text.splitlines()))), soft_wrap=True)
    for table in _shown(tables):
        screen.print(Text(visible(table.title), "bold"), soft_wrap=True)
        is_ascii = screen.options.ascii_only
        drawn = "\n".join(result_lines(table, min(screen.width, A_PAGE), is_ascii=is_ascii))
        screen.print(Text(f"{drawn}\n"), soft_wrap=True)


def _plain(tables: tuple[ResultTable, ...], text: str) -> str:
    lines = [visible(line) for line in text.splitlines()]
    for table in _shown(tables):
        lines += ["", visible(table.title), *result_lines(table)]
    return "\n".join(lines) + "\n"


def _shown(tables: tuple[ResultTable, ...]) -> tuple[ResultTable, ...]:
    return tuple(table for table in tables if not table.is_detail)
