"""Anonymizers that each break one rule of the protocol, and keep every other."""

import itertools
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from conforming import Blocks
from qidguard.sdk import Anonymized, Bound, Guarantee, Limit, NotMeasurable, Plot, Recoded


class Changed(Blocks):
    """What the conforming one does, with one thing changed afterward."""

    def anonymize(self, records, arguments, task):
        """Change the answer."""
        return self.change(super().anonymize(records, arguments, task), records, task)

    def change(self, done, _records, _task):
        """Change nothing."""
        return done


class CountsWhatIsNot(Changed):
    """Tells of a suppressed record, and there is none."""

    def change(self, done, _records, _task):
        """Count one."""
        return replace(done, suppressed_by={"all": 1})


class CountsNothing(Changed):
    """Suppresses the largest class and tells of no record."""

    def change(self, done, _records, _task):
        """Suppress."""
        block = done.columns["income"].codes
        return replace(done, kept=block != np.bincount(block).argmax())


class TouchesSensitive(Changed):
    """Publishes another illness."""

    def change(self, done, records, _task):
        """Hide all of them."""
        hidden = Recoded(codes=np.zeros(records.records, dtype=np.int64), values=("*",))
        return replace(done, columns={**done.columns, "illness": hidden})


class DrawsWithoutSeed(Blocks):
    """Cuts blocks of another size each time, as who draws without the seed may."""

    is_order_free = False

    def __init__(self):
        self._more = itertools.cycle(range(9))

    def blocks(self, number, entity, k, task):
        """Take the next size: two draws might be alike by chance, and these never are."""
        return super().blocks(number, entity, k + next(self._more), task)


class DependsOnHashes(Changed):
    """Writes what it found in the order of a set of texts, which differs between processes."""

    def change(self, done, _records, _task):
        """Write a note."""
        return replace(done, notes=("columns in no order: " + ", ".join({f"c{i}" for i in range(40)}),))


class DependsOnOrder(Changed):
    """Hides all incomes where the first record has the lowest, and says that order decides nothing."""

    def change(self, done, records, _task):
        """Hide them."""
        if records.column("income").codes[0] > 1:
            return done
        hidden = Recoded(codes=np.zeros(records.records, dtype=np.int64), values=("*",))
        return replace(done, columns={**done.columns, "income": hidden})


class MeansOfWholeNumbers(Blocks):
    """Publishes fractions in a column of whole numbers."""

    def cell(self, column, codes, task):
        """Take the middle."""
        if column.name != "income":
            return super().cell(column, codes, task)
        return float(column.numbers[codes].mean()) + 0.25


class NumbersForTexts(Blocks):
    """Publishes the number of a block in a column of text."""

    def cell(self, column, codes, task):
        """Number the block."""
        return int(codes[0]) if column.name == "town" else super().cell(column, codes, task)


class NumbersAsTexts(Blocks):
    """Publishes numbers as texts, so that nobody can reckon with them."""

    def cell(self, column, codes, task):
        """Write the middle."""
        if column.name != "income":
            return super().cell(column, codes, task)
        return f"{int(column.numbers[codes].mean())}.5"


class MovesRecords(Changed):
    """Publishes for each record what belongs to another."""

    def change(self, done, _records, _task):
        """Turn the order of the blocks round."""
        turned = {
            name: Recoded(codes=column.codes.max() - column.codes, values=column.values)
            for name, column in done.columns.items()
        }
        return replace(done, columns=turned)


class WritesUnreadably(Blocks):
    """Publishes sets in a writing of its own."""

    def cell(self, column, codes, task):
        """Join by a plus sign."""
        if column.name != "town" or len(codes) == 1:
            return super().cell(column, codes, task)
        return "+".join(column.texts[code] for code in codes)


class ClaimsTooMuch(Blocks):
    """Claims classes of 50."""

    def claims(self, k, task):
        """Claim more."""
        return super().claims(50, task)


class ClaimsNothing(Blocks):
    """Reaches the target and does not say so."""

    def claims(self, _k, _task):
        """Claim nothing."""
        return ()


class ClaimsWhatIsNoMetric(Blocks):
    """Claims a metric that nobody offers."""

    def claims(self, k, task):
        """Claim it beside the right one."""
        limit = Limit(bound=Bound.AT_LEAST, value=1)
        return (*super().claims(k, task), Guarantee(metric="serenity", limit=limit, qids=("town",)))


class ReachesLess(Blocks):
    """Cuts smaller blocks than asked, and claims what it reaches."""

    def blocks(self, number, entity, _k, task):
        """Cut blocks of one."""
        return super().blocks(number, entity, 1, task)

    def claims(self, _k, task):
        """Claim one."""
        return super().claims(1, task)


class CountsRecords(Blocks):
    """Counts records where persons count, and claims k of persons."""

    def blocks(self, number, _entity, k, task):
        """Cut blocks of k records."""
        return super().blocks(number, None, k, task)


class CopiesIdentifiers(Changed):
    """Publishes names of people as towns."""

    is_order_free = False

    def change(self, done, records, _task):
        """Take the name of one person of each block."""
        block, names = done.columns["town"].codes, records.column("name")
        first = [names.texts[names.codes[np.flatnonzero(block == i)[0]]] for i in range(block.max() + 1)]
        return replace(done, columns={**done.columns, "town": Recoded(codes=block, values=tuple(first))})


class FailsOnFew(Blocks):
    """Fails where there are fewer persons than k."""

    def blocks(self, number, entity, k, task):
        """Raise what is no answer."""
        if len(number) < k:
            raise IndexError("list index out of range")
        return super().blocks(number, entity, k, task)


class RefusesInOneWord(Blocks):
    """Says nothing of the rule, the number and the remedy."""

    def blocks(self, _number, _entity, _k, _task):
        """Refuse."""
        raise NotMeasurable("impossible")


class AnswersWrongly(Blocks):
    """Gives back something else."""

    def anonymize(self, _records, _arguments, _task):
        """Give a list."""
        return [True]


class TellsTooMuchProgress(Changed):
    """Tells more steps than there are."""

    def change(self, done, _records, task):
        """Tell."""
        task.progress.step("polishing", 7, 5)
        return done


class LeaksInANote(Changed):
    """Writes a value of the table into a note."""

    def change(self, done, records, _task):
        """Name the first town."""
        return replace(done, notes=(f"most people live in {records.column('town').texts[1]}.",))


class LeaksInANameOfSuppression(Changed):
    """Tells of suppressed records by a value."""

    def change(self, done, records, _task):
        """Name the largest income with a separator of thousands."""
        return replace(done, suppressed_by={f"income {int(records.column('income').numbers[-1]):,}": 0})


class LeaksInAStep(Changed):
    """Tells which value it works on."""

    def change(self, done, records, task):
        """Name it."""
        task.progress.step(f"cutting at {records.column('income').texts[3]}", 0, 1)
        return done


class LeaksInAPlot(Blocks):
    """Draws a bar that is called as a value of the table."""

    def plots(self, done, _arguments):
        """Name the first town."""
        town = done.before.column("town").texts[1]
        return (Plot(title="Towns", alternative=f"Most live in {town}.", chart={"mark": "bar"}),)


class DrawsNoPlot(Blocks):
    """Draws what nobody can show."""

    def plots(self, _done, _arguments):
        """Return a mapping."""
        return ({"mark": "bar"},)


class LeaksInARefusal(Blocks):
    """Names the value that it cannot hide."""

    def anonymize(self, records, _arguments, _task):
        """Refuse."""
        raise NotMeasurable(
            f"{records.column('town').texts[1]} has too few people for k = 3; drop the column"
        )


class SwallowsInterrupts(Blocks):
    """Goes on after Ctrl-C."""

    def anonymize(self, records, arguments, task):
        """Publish everything as it is, as though nothing had been said."""
        try:
            return super().anonymize(records, arguments, task)
        except KeyboardInterrupt:
            return Anonymized(kept=np.ones(records.records, dtype=bool), columns={})


class LeavesAFile(Blocks):
    """Writes a file and removes it only where all goes well."""

    def anonymize(self, records, arguments, task):
        """Write."""
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(b"half")
        found = super().anonymize(records, arguments, task)
        Path(file.name).unlink()
        return found


class LeavesAThread(Blocks):
    """Starts a thread and ends it only where all goes well."""

    def anonymize(self, records, arguments, task):
        """Start."""
        ends = threading.Event()
        threading.Thread(target=ends.wait, args=(10,), daemon=True, name="left alone").start()
        found = super().anonymize(records, arguments, task)
        ends.set()
        return found


class WorksInSilence(Blocks):
    """Works for long without a step."""

    def blocks(self, number, entity, k, task):
        """Work."""
        ends = time.process_time() + 0.4
        while time.process_time() < ends:
            pass
        return super().blocks(number, entity, k, task)
