"""Methods that need a table in memory, on a table beyond it: in cells that Mondrian has cut.

A cell has records enough for two classes, diverse enough where that is asked, and the method does in it what
it does with a table in memory. Figures are those of the whole table.
"""

import pyarrow as pa

from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.parts.cuts import Whole, cut_into_parts
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes
from shoal.engines.protocol import Rows
from shoal.kernels.keyed_hash import Key
from shoal.methods.boxes.common_cell import Costs
from shoal.methods.boxes.cut_plan import CutRule
from shoal.methods.boxes.cut_tree import CutTree
from shoal.policy.model.policy import Policy
from shoal.table.columns.numbered_rows import ROW

CELL_ROWS = 50_000


def cut_cells(
    staged: Rows,
    names: list[str],
    policy: Policy,
    key: Key,
    whole: Whole,
    sensitive: SensitiveCodes,
    costs: Costs | None = None,
) -> CutTree:
    """Cuts of staged rows; ``whole`` has how many there are, and the ends of the columns with these names.

    Values on the two sides of a cut are different, so no mean, median or mode is that of two cells.
    """
    rule = CutRule(2 * smallest_class(policy), False, False, sensitive.rules, costs)
    most = staged.part_rows if staged.whole else min(CELL_ROWS, staged.part_rows)
    return cut_into_parts(staged, names, rule, key, whole, most, sensitive.names)


def cell_notes(tree: CutTree) -> tuple[str, ...]:
    """What many cells make different from one."""
    if len(tree.parts) == 1:
        return ()
    largest = max(part.count for part in tree.parts.values())
    return (
        f"classes were formed inside {len(tree.parts):,} cells of at most {largest:,} records that Mondrian "
        "has cut: records near a border may have nearer neighbours in another cell",
    )


def sort_by_row(table: pa.Table) -> pa.Table:
    """Rows in the order of the input, which methods see where records are equally near."""
    return table.sort_by(ROW).combine_chunks()
