"""What a row costs, fitted to measured runs, and what far larger tables would take.

``python cost_model.py results.json`` reads what ``scale.py --json`` has written. For every engine beyond
memory

    core seconds = start + rows x (read / a + shuffled / b + written / c + work of the method)

where the bytes are counted in the plans (`plan_costs.py`) and the rates a, b, c, the start and the work are
fitted by least squares, none below zero, to the CPU time of making and of verifying each release. Seconds are
core seconds over the cores, as far as these were kept busy, but no less than disks and networks of the stated
speeds need. Writing and the work of a method happen together, so that only their sum is sure; in what follows
from the fit it does not matter which is which. The engine on disk works on a part or two at a time, so it is
carried no further than the cores it was measured on.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import nnls

from plan_costs import Moved, Table, making, verifying
from scale import show
from shoal.arrays import Floats

PART_ROWS = {"disk": 560_000, "spark": 500_000}  # on disk with 1.5 GB and seven columns
BYTES = ("read", "shuffled", "written")
LARGE = (10**9, 10**11)
MACHINE_CORES, MACHINE_GB = 16, 64
DISK, NETWORK = 1e9, 1.25e9  # bytes a second of each machine: a common SSD, 10 Gbit/s
MACHINES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
HOURS = 12.0  # as many machines as make it in this time


@dataclass(frozen=True)
class Fitted:
    """Core seconds: of the start, of a byte of each kind, and of a row for each method."""

    engine: str
    start: float
    per_byte: dict[str, float]
    work: dict[str, float]
    busy: float
    cores: int  # of the machine that it was measured on

    def core_seconds(self, rows: int, method: str, moved: Moved) -> float:
        moving = sum(moved.bytes_of(kind) * cost for kind, cost in self.per_byte.items())
        return self.start + rows * (moving + self.work[method])

    def seconds(self, rows: int, method: str, moved: Moved, machines: int) -> dict[str, float]:
        """What cores, disks and networks need; the longest of them tells."""
        cores = machines * MACHINE_CORES if self.engine == "spark" else self.cores
        through_disks = moved.read + 2 * moved.shuffled + moved.written
        found = {
            "cores": self.core_seconds(rows, method, moved) / (cores * self.busy),
            "disks": rows * through_disks / machines / DISK,
        }
        others = (machines - 1) / machines  # what is shuffled to another machine
        return found | {"network": rows * moved.shuffled * others / machines / NETWORK}


def table_of(run: dict[str, Any], rows: int | None = None) -> Table:
    """Of a run, or of one like it with other rows."""
    return Table(
        rows or run["rows"],
        run["columns"],
        run["input_bytes"] / run["rows"],
        run["output_bytes"] / run["rows"],
        PART_ROWS[run["engine"]],
    )


def fitted(engine: str, runs: list[dict[str, Any]], cores: int, busy: float | None) -> Fitted:
    """Three equations a run: what is there before and after, making, verifying; each has a cost whatever the
    rows."""
    methods = list(dict.fromkeys(run["method"] for run in runs))
    equations, spent = [], []
    for run in runs:
        rows, table, steps = run["rows"], table_of(run), run["steps"]
        share = run["cpu_seconds"] / run["seconds"]
        made, verified = steps["read"] + steps["anonymize"] + steps["write"], steps["verify"]
        work = [rows * (run["method"] == method) for method in methods]
        nobody = [0.0] * len(methods)
        equations += [
            [1.0, 0.0, 0.0, *_bytes(0, Moved()), *nobody],
            [0.0, 1.0, 0.0, *_bytes(rows, making(run["method"], table)), *work],
            [0.0, 0.0, 1.0, *_bytes(rows, verifying(run["method"], table)), *nobody],
        ]
        spent += [(run["seconds"] - made - verified) * share, made * share, verified * share]
    found = least_squares(np.array(equations), np.array(spent))
    if busy is None:
        busy = median(run["cpu_seconds"] / (run["seconds"] * cores) for run in runs)
    return Fitted(
        engine,
        float(found[:3].sum()),
        dict(zip(BYTES, found[3:6].tolist(), strict=True)),
        dict(zip(methods, found[6:].tolist(), strict=True)),
        busy,
        cores,
    )


def _bytes(rows: int, moved: Moved) -> list[float]:
    return [rows * moved.read, rows * moved.shuffled, rows * moved.written]


def least_squares(equations: Floats, spent: Floats) -> Floats:
    """The costs, none below zero, whose relative errors are least.

    >>> least_squares(np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([3.0, 7.0])).round(6).tolist()
    [3.0, 2.0]
    """
    weights = 1 / np.maximum(spent, 0.1)
    weighted = equations * weights[:, None]
    scale = np.maximum(np.linalg.norm(weighted, axis=0), 1e-300)
    found, _ = nnls(weighted / scale, spent * weights)
    return np.asarray(found / scale)


def fit_rows(fit: Fitted, runs: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    head = ("rows", "method", "read", "shuffled", "written", "spilled, measured", "CPU s", "predicted", "off")
    found: list[tuple[str, ...]] = [head]
    for run in runs:
        table, method = table_of(run), run["method"]
        moved = making(method, table) + verifying(method, table)
        predicted, spent = fit.core_seconds(run["rows"], method, moved), run["cpu_seconds"]
        found.append(
            (
                f"{run['rows']:,}",
                method,
                *(f"{moved.bytes_of(kind):.0f}" for kind in BYTES),
                f"{run['spilled_bytes'] / run['rows']:.0f}" if run["spilled_bytes"] else "",
                f"{spent:.1f}",
                f"{predicted:.1f}",
                f"{predicted / spent - 1:+.0%}",
            )
        )
    return found


def larger_rows(fit: Fitted, runs: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    head = ("rows", "method", "machines", "hours", "held up by", "shuffled by each, GB", "written, GB")
    found: list[tuple[str, ...]] = [head]
    for rows in LARGE:
        for run in {run["method"]: run for run in runs}.values():  # the largest run of each
            table, method = table_of(run, rows), run["method"]
            moved = making(method, table) + verifying(method, table)
            machines, seconds = machines_for(fit, rows, method, moved)
            slowest = max(seconds, key=lambda name: seconds[name])
            found.append(
                (
                    f"{rows:.0e}".replace("e+", "e"),
                    method,
                    f"{machines:,}",
                    f"{seconds[slowest] / 3600:,.1f}",
                    slowest,
                    f"{rows * moved.shuffled / machines / 1e9:,.0f}",
                    f"{rows * moved.written / 1e9:,.0f}",
                )
            )
    return found


def machines_for(fit: Fitted, rows: int, method: str, moved: Moved) -> tuple[int, dict[str, float]]:
    """As many as make it in time; the engine on disk has one."""
    choices: Sequence[int] = MACHINES if fit.engine == "spark" else MACHINES[:1]
    for machines in choices:
        seconds = fit.seconds(rows, method, moved, machines)
        if max(seconds.values()) <= HOURS * 3600:
            break
    return machines, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit what a row costs to measured runs.")
    parser.add_argument("results", type=Path, help="what scale.py --json has written")
    parser.add_argument("--busy", type=float, help="the share of cores that is used, if not as measured")
    given = parser.parse_args()
    found = json.loads(given.results.read_text(encoding="utf-8"))
    for engine in PART_ROWS:
        runs = [run for run in found["runs"] if run["engine"] == engine and not run["failed"]]
        if not runs:
            continue
        if len({run["rows"] for run in runs}) == 1:
            print(f"\n{engine}: one size only does not tell what is fixed from what a row costs.")
        fit = fitted(engine, runs, found["cores"], given.busy)
        rates = ", ".join(f"{kind} {_rate(cost)}" for kind, cost in fit.per_byte.items())
        work = ", ".join(f"{method} {cost * 1e6:.2f}" for method, cost in fit.work.items())
        print(f"\n{engine}: start {fit.start:.1f} s, {rates}; work of a row in microseconds: {work}; "
              f"cores {fit.busy:.0%} busy")  # fmt: skip
        show("Bytes a row, and what was measured beside the prediction", fit_rows(fit, runs))
        on = f"machines of {MACHINE_CORES} cores and {MACHINE_GB} GB" if engine == "spark" else "this machine"
        show(f"On {on}, each core as fast as here", larger_rows(fit, runs))


def _rate(cost: float) -> str:
    return f"{1 / cost / 1e6:,.0f} MB/s" if cost else "free"


if __name__ == "__main__":
    main()
