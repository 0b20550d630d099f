"""How fast the page is: from its start to the first answer, and while a job works on a large table.

The start is beside that of a bare process which loads the same libraries. The answers are those of every
page of a table, asked one after the other while its million rows are looked at and anonymized.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
from pyarrow import csv

ROWS, COLUMNS = 1_000_000, 10
BARE = "import fastapi, uvicorn, jinja2, typer"
PAUSE = 0.02  # seconds between two questions, as of a reader in a hurry
LONGEST = 600  # seconds that a job may take
HTML = {"accept": "text/html", "accept-encoding": "identity"}


@dataclass
class Server:
    """A server in a process of its own, and a reader who has its token."""

    process: subprocess.Popen[str]
    port: int
    token: str
    slowest: dict[str, float] = field(default_factory=dict)
    heaviest: int = 0

    def ask(self, path: str, method: str = "GET", form: dict[str, Any] | None = None) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"authorization": f"Bearer {self.token}"}
        if form is not None:
            headers["content-type"] = "application/x-www-form-urlencoded"
        elif method == "GET" and not path.endswith("?format=json"):
            headers |= HTML
        connection.request(method, path, urlencode(form or {}, doseq=True) if form else None, headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def told(self, path: str, form: dict[str, Any] | None = None) -> Any:
        """The content itself; asked for with a form, what came of it."""
        if form is None:
            return json.loads(self.ask(f"{path}?format=json")[1])
        return json.loads(self.ask(path, "POST", form)[1])

    def look(self, name: str, path: str) -> None:
        """Ask for a page as a browser does, and note how long it took and what it weighs."""
        started = perf_counter()
        _, body = self.ask(path)
        self.slowest[name] = max(self.slowest.get(name, 0.0), perf_counter() - started)
        self.heaviest = max(self.heaviest, len(body))

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()


def started(folder: Path, workspace: Path) -> Server:
    command = [sys.executable, "-m", "shoal", "serve", str(folder), "--workspace", str(workspace)]
    process = subprocess.Popen([*command, "--no-browser", "--json"], stdout=subprocess.PIPE, text=True)
    told = ""
    while not told.rstrip().endswith("}"):
        told += process.stdout.readline() if process.stdout is not None else ""
    address, token = json.loads(told)["address"].split("?token=")
    return Server(process, int(address.rstrip("/").rpartition(":")[2]), token)


def start_seconds(rounds: int) -> dict[str, float]:
    """Medians of the time to the first page, and of a process that only loads the libraries."""
    bare, page = [], []
    for _ in range(1 + rounds):  # the first fills the caches of the disk
        begun = perf_counter()
        subprocess.run([sys.executable, "-c", BARE], check=True)
        bare.append(perf_counter() - begun)
        with tempfile.TemporaryDirectory() as folder:
            begun = perf_counter()
            server = started(Path(folder), Path(folder) / "workspace")
            server.ask("/")
            page.append(perf_counter() - begun)
            server.stop()
    return {"bare": median(bare[1:]), "first page": median(page[1:])}


def write_table(path: Path, rows: int) -> None:
    """Ages, places, codes and amounts, as a register has them."""
    drawn = np.random.default_rng(rows)
    columns: dict[str, Any] = {
        "age": drawn.integers(0, 100, rows),
        "sex": drawn.choice(np.array(["f", "m"]), rows),
        "postcode": drawn.integers(10_000, 99_999, rows),
        "diagnosis": drawn.choice(np.array([f"D{code:02}" for code in range(60)]), rows),
        "income": drawn.lognormal(10, 0.7, rows).round(2),
    }
    columns |= {f"amount{at}": drawn.integers(0, 50_000, rows) for at in range(COLUMNS - len(columns))}
    csv.write_csv(pa.table(columns), path)


def pages_of(server: Server, table: str) -> dict[str, str]:
    """Every page without further arguments that the schema knows, of this table and of its runs."""
    found = {}
    for path, operations in server.told("/openapi.json")["paths"].items():
        if "get" not in operations or "text/html" not in operations["get"]["responses"]["200"]["content"]:
            continue
        place = path.replace("{table}", table).replace("{number}", "1").replace("{index}", "0")
        if "{" not in place:
            found[path] = place
    return found


def while_it_runs(server: Server, job: str, pages: dict[str, str]) -> float:
    """Ask for every page again and again until the job has ended; seconds that it took."""
    begun = perf_counter()
    while perf_counter() - begun < LONGEST:
        look_at_all(server, pages)
        if not server.told(job)["job"]["under_way"]:
            return perf_counter() - begun
    raise TimeoutError(job)


def look_at_all(server: Server, pages: dict[str, str]) -> None:
    for name, path in pages.items():
        server.look(name, path)
        sleep(PAUSE)


def answer_seconds(rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "tables").mkdir()
        write_table(folder / "tables" / "register.csv", rows)
        server = started(folder / "tables", folder / "workspace")
        try:
            table = server.told("/tables", {"path": "register.csv"})["address"].removeprefix("/tables/")
            pages = pages_of(server, table)
            jobs = f"/tables/{table}/jobs"
            job_seconds = {"profile": while_it_runs(server, f"{jobs}/profile-1", pages)}
            server.told(f"/tables/{table}/runs", {"format": "csv"})
            job_seconds["run"] = while_it_runs(server, f"{jobs}/run-1", pages)
            ended = server.told(f"{jobs}/run-1")["job"]["state"]  # done: verified, else there is no release
            result = {f"result{run}": f"/tables/{table}/runs/1{run}" for run in ("", "/ask", "/publish")}
            job_seconds["measure"] = while_it_runs(server, f"{jobs}/measure-1", pages | result)
        finally:
            server.stop()
    return {
        "rows": rows,
        "pages": server.slowest,
        "heaviest_kb": server.heaviest / 1e3,
        "static_kb": _static_kb(),
        "job_seconds": job_seconds,
        "run": ended,
    }


def _static_kb() -> float:
    """Scripts and styles, which a browser loads once."""
    import shoal.web

    static = Path(str(shoal.web.__file__)).parent / "static"
    return sum(path.stat().st_size for path in static.iterdir()) / 1e3


def main() -> None:
    rows, rounds = int(sys.argv[1]), int(sys.argv[2])
    print(json.dumps({"start": start_seconds(rounds), "answers": answer_seconds(rows)}))


if __name__ == "__main__":
    main()
