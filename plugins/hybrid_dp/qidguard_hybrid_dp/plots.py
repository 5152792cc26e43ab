"""What the anonymizer draws: categories of values, the partitions, and the noise of each."""

from qidguard.sdk import AnonymizationTask, Plot, Records
from qidguard_hybrid_dp.asked import RunRequest
from qidguard_hybrid_dp.charts import number, plot, word
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.receipt import deviation_of
from qidguard_hybrid_dp.partitions import Partitions, partitions_of
from qidguard_hybrid_dp.patterns.friendly import percent
from qidguard_hybrid_dp.patterns.memory import ForestMemory
from qidguard_hybrid_dp.patterns.plots import category_plot
from qidguard_hybrid_dp.qids import Qids, qids_of

_WIDTH = 420


def plots_of(
    records: Records, asked: RunRequest, task: AnonymizationTask, memory: ForestMemory | None = None
) -> tuple[Plot, ...]:
    """Return the plots of a table, which hold counts, figures and column names."""
    qids = qids_of(records, asked, task)
    partitions = partitions_of(records, qids, asked, task, memory)
    drawn = [partition_plot(partitions), noise_plot(qids, partitions, asked)]
    return tuple([category_plot(partitions.examined)] if partitions.examined else []) + tuple(drawn)


def partition_plot(partitions: Partitions) -> Plot:
    """Return how many records stand in each partition."""
    violating = int(partitions.violating.sum())
    counts = {"violating": violating, "other": len(partitions.violating) - violating}
    return plot(
        "Records by partition",
        f"{counts['violating']:,} records violate and {counts['other']:,} do not.",
        [{"partition": name, "count": count} for name, count in counts.items()],
        width=_WIDTH,
        mark="bar",
        encoding={"y": word("partition", sort=None), "x": number("count", "records")},
    )


def noise_plot(qids: Qids, partitions: Partitions, asked: RunRequest) -> Plot:
    """Return the deviation of the noise of each numeric QID by partition, as a share of its range."""
    rows, told = [], []
    for column in qids.noised:
        for name, epsilon, _ in partitions.parts(asked):
            part = noised_part(column, epsilon=epsilon, scale=asked.scale, partition=name)
            share = deviation_of(part, column) / float(column.width)
            rows.append({"column": column.name, "partition": name, "share": share})
            told.append(f"{column.name} {percent(share)} in partition {name}")
    return plot(
        "Noise by partition",
        f"The standard deviation of the noise as a share of the column's bounds: {'; '.join(told)}.",
        rows,
        width=_WIDTH,
        mark="bar",
        encoding={
            "y": word("column", sort=None),
            "yOffset": {"field": "partition", "type": "nominal"},
            "x": number("share", "standard deviation of the noise, share of the range", ".0%"),
            "color": word("partition"),
        },
    )
