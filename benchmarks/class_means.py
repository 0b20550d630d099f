"""What microaggregation costs beside brute force on the same rows, in one process.

``python class_means.py`` prints, as JSON, seconds (wall and of all cores) of MDAV and of brute force,
which must give the same groups, on 50,000 rows for k = 3 and 100,000 for k = 10, on the other methods, and
what annealing gains. ``python class_means.py million`` prints time and peak memory of MDAV on a million
rows.
"""

import json
import resource
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from brute_mdav import brute_mdav
from shoal.arrays import Floats
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.means.mdav import mdav
from shoal.methods.means.refined import refined
from shoal.methods.means.sse import information_loss
from shoal.methods.means.univariate import univariate
from shoal.methods.means.vmdav import vmdav

COLUMNS = 7
KEY = seeded_key(1)


def table(rows: int) -> Floats:
    return np.random.default_rng(rows).normal(size=(rows, COLUMNS))


def timed(step: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    started, worked = perf_counter(), process_time()
    found = step()
    return found, {"wall": round(perf_counter() - started, 2), "cpu": round(process_time() - worked, 2)}


def beside_brute_force(rows: int, k: int) -> dict[str, Any]:
    points = table(rows)
    pruned, fast = timed(lambda: mdav(points, k))
    found: dict[str, Any] = {"pruned": fast}
    for name, plain in (("plain brute force", True), ("brute force in blocks", False)):
        brute, slow = timed(partial(brute_mdav, points, k, plain))
        found[name] = slow | {
            "times slower": round(slow["cpu"] / fast["cpu"], 1),
            "on two cores at best": round(slow["cpu"] / 2 / fast["cpu"], 1),
            "same groups": bool((pruned == brute).all()),
        }
    return found


def others(rows: int, k: int) -> dict[str, Any]:
    points = table(rows)
    start = mdav(points, k)
    annealed, seconds = timed(lambda: refined(points, start, k, KEY))
    return {
        "vmdav": timed(lambda: vmdav(points, k))[1],
        "univariate": timed(lambda: univariate(points[:, 0], k))[1],
        "refined": seconds,
        "loss of mdav": round(information_loss(points, start), 3),
        "loss of refined": round(information_loss(points, annealed), 3),
    }


def million() -> dict[str, Any]:
    points = table(1_000_000)
    shares: list[float] = []
    _, seconds = timed(lambda: mdav(points, 10, on_progress=shares.append))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"mdav": seconds, "peak MB": round(peak), "times told how far": len(shares)}


def main() -> None:
    mdav(table(1000), 3)  # compile
    if sys.argv[1:] == ["million"]:
        print(json.dumps({"1,000,000 x 7, k = 10": million()}, indent=1))
        return
    for plain in (True, False):
        brute_mdav(table(1000), 3, plain)
    others(1000, 3)
    found = {
        f"{rows:,} x {COLUMNS}, k = {k}": beside_brute_force(rows, k)
        for rows, k in ((50_000, 3), (100_000, 10))
    }
    print(json.dumps(found | {"50,000 x 7, k = 3, others": others(50_000, 3)}, indent=1))


if __name__ == "__main__":
    main()
