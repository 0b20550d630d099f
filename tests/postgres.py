"""A real PostgreSQL server on this machine, for the tests alone, and gone after them."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSWORD = "Sesame-42-open"  # noqa: S105
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
}
MISSING = (
    "PostgreSQL is not on this machine: install it (apt-get install postgresql); tools/setup.sh tells how"
)


@dataclass(frozen=True)
class Server:
    port: int

    def url(self, user: str = "ann", password: str = PASSWORD, database: str = "postgres") -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="shoal-postgres-") as folder:
        place = Path(folder)
        owner = _owner()
        if owner is not None:
            shutil.chown(place, owner)
        with _running(place, owner) as server:
            yield server


def _owner() -> str | None:
    """The server refuses to be root."""
    return "nobody" if os.geteuid() == 0 else None


@contextmanager
def _running(place: Path, owner: str | None) -> Iterator[Server]:
    data, secret = place / "data", place / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    _call(owner, place, "initdb", "-D", data, "-U", "ann", "-A", "scram-sha-256", "--pwfile", secret,
          "-E", "UTF8", "--locale", "C", "--no-sync")  # fmt: skip
    port = _started(place, data, owner)
    try:
        yield Server(port)
    finally:
        _call(owner, place, "pg_ctl", "stop", "-D", data, "-m", "immediate")


def _started(place: Path, data: Path, owner: str | None, attempts: int = 5) -> int:
    """Another process may take the port first: then the next one is tried."""
    port = _free_port()
    options = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
    start = ("pg_ctl", "start", "-w", "-D", data, "-l", place / "log", "-o", f"-p {port} {options}")
    try:
        _call(owner, place, *start)
    except subprocess.CalledProcessError:
        if attempts == 1:
            raise
        return _started(place, data, owner, attempts - 1)
    return port


def _call(owner: str | None, place: Path, program: object, *arguments: object) -> None:
    subprocess.run(
        [_binary(str(program)), *map(str, arguments)],
        check=True,
        cwd=place,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        user=owner,
        group=None if owner is None else pwd.getpwnam(owner).pw_gid,
        extra_groups=None if owner is None else [],
    )


def _binary(program: str) -> str:
    if found := shutil.which(program):
        return found
    installed = list(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    if not installed:
        pytest.fail(MISSING)
    return str(max(installed, key=lambda path: float(path.parts[-3])))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
