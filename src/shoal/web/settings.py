"""What the page was started with."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

HOST = "127.0.0.1"
HTTP_PORT = 80  # browsers leave it out
MOST_UPLOADED = 2 * 10**9  # bytes of a table that is sent; one that is chosen is read where it lies
MOST_SENT = 2 * 10**6  # bytes of anything else: forms, policies, questions


@dataclass(frozen=True)
class Settings:
    """Tables are chosen from ``folders`` and from nowhere else; all that is kept lies in ``workspace``."""

    folders: tuple[Path, ...]
    workspace: Path
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    invitation: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    most_uploaded: int = MOST_UPLOADED
    most_jobs: int = 2  # at once

    @property
    def hosts(self) -> tuple[str, ...]:
        """How a browser on this machine may call it: a name that others own is not among them."""
        names = (HOST, "localhost")
        return tuple(f"{name}:{self.port}" for name in names) + (names if self.port == HTTP_PORT else ())

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/?token={self.token}"

    @property
    def invited(self) -> str:
        """The address for a browser that is started with it: it opens the page once, as everybody on this
        machine can see what programs are started with."""
        return f"http://{HOST}:{self.port}/?token={self.invitation}"

    @property
    def cookie(self) -> str:
        """Browsers do not tell ports apart, so two servers need two names."""
        return f"shoal_{self.port}"
