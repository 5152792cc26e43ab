"""What the anonymizer draws: categories of values, the partitions, and the noise of each."""

from qidguard.sdk import Plot
from qidguard_hybrid_dp.charts import number, plot, word
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.receipt import deviation_of
from qidguard_hybrid_dp.patterns.friendly import percent
from qidguard_hybrid_dp.patterns.plots import category_plot
from qidguard_hybrid_dp.run import HybridRun, Partitions

_WIDTH = 420


def plots_of(run: HybridRun) -> tuple[Plot, ...]:
    """Return the plots of a table, which hold counts, figures and column names."""
    examined = run.partitions.examined
    drawn = (partition_plot(run.partitions), noise_plot(run))
    return (category_plot(examined), *drawn) if examined else drawn


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


def noise_plot(run: HybridRun) -> Plot:
    """Return the deviation of the noise of each numeric QID by partition, as a share of its range."""
    rows, told = [], []
    for column in run.qids.noised:
        for name, epsilon, _ in run.parts:
            part = noised_part(column, epsilon=epsilon, scale=run.asked.scale, partition=name)
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
