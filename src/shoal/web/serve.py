"""Start the page: on loopback only, with a fresh token, and open it in the browser."""

import gc
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Timer

import uvicorn

from shoal.errors import ShoalError
from shoal.web.app import make_app
from shoal.web.settings import HOST, MOST_UPLOADED, Settings
from shoal.web.workspace import Workspace

OPEN_AFTER = 0.3  # seconds
SWITCH = 0.0005  # seconds: a page does not wait for what is loaded beside it


def default_workspace() -> Path:
    """The folder that keeps tables and runs if none is named."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return home / "shoal" / "workspace"


def serve(
    folders: tuple[Path, ...],
    workspace: Path | None = None,
    port: int = 0,
    most_uploaded: int = MOST_UPLOADED,
    in_browser: bool = True,
    on_start: Callable[[Settings], None] = lambda _: None,
) -> None:
    """Serve until stopped. ``on_start`` is told the address, which holds the token."""
    if missing := [str(folder) for folder in folders if not folder.is_dir()]:
        raise ShoalError(f"there is no folder {missing[0]!r}", "give folders that hold your tables.")
    kept = Workspace.opened((workspace or default_workspace()).absolute())
    with kept.locked(), _listening(port) as listening:
        settings = Settings(
            tuple(folder.resolve() for folder in folders),
            kept.folder,
            listening.getsockname()[1],
            most_uploaded=most_uploaded,
        )
        app = make_app(settings, kept)
        on_start(settings)
        if in_browser:
            Timer(OPEN_AFTER, _open, [settings.invited]).start()
        gc.enable()  # unlike a command, the page lives long
        sys.setswitchinterval(SWITCH)
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="critical",
            lifespan="on",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
            ws="none",
        )
        with suppress(KeyboardInterrupt):  # being stopped is how it ends
            uvicorn.Server(config).run(sockets=[listening])


def _open(address: str) -> None:
    import webbrowser

    webbrowser.open(address)


def _listening(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # whoever is told the address may come at once
    except OSError:
        listening.close()
        raise ShoalError(f"port {port} is taken", "choose another with --port, or none.") from None
    return listening
