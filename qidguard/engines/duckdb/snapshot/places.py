"""Records at some places of a private copy, as a copy of their own."""

from typing import TYPE_CHECKING

from qidguard.engines.duckdb.snapshot.lending import Lender
from qidguard.engines.duckdb.snapshot.opened import opened
from qidguard.engines.duckdb.snapshot.private_copy import copy_staged, new_folder
from qidguard.engines.duckdb.sources.copied import Copied
from qidguard.engines.duckdb.sources.staged import Staged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def records_at(copied: Copied, places: "NDArray[np.int64]", lender: Lender) -> Copied:
    """Return a copy of the records at some places, in the order of these."""
    import numpy as np
    import pandas as pd

    with new_folder(lender.settings) as folder, opened(copied, lender, "keeping records") as source:
        frame = pd.DataFrame({"position": places, "place": np.arange(len(places))})
        source.connection.duckdb.register("kept", frame)
        staged = Staged(
            names=copied.names,
            relation=f"{source.relation} JOIN kept USING (position)",
            is_text=copied.is_text,
            notes=copied.notes,
            order=copied.order,
            is_new=copied.is_new,
        )
        made = copy_staged(source.connection, staged, folder, position="place")
        source.connection.duckdb.unregister("kept")
    return made
