"""``shoal serve``."""

from pathlib import Path

from shoal.cli.terminal.output import BOLD, paint, say, say_json
from shoal.web.serve import serve
from shoal.web.settings import Settings

MEGABYTE = 10**6


def run_serve(
    folders: list[Path],
    workspace: Path | None,
    port: int,
    most_uploaded: int,
    in_browser: bool,
    as_json: bool,
) -> None:
    """Start the page for this machine, and tell its address."""

    def say_address(settings: Settings) -> None:
        if as_json:
            say_json({"address": settings.address, "workspace": str(settings.workspace)}, flush=True)
            return
        say(f"shoal is at {paint(settings.address, BOLD)}")
        say("Only this machine can reach it, and only with this address. Control-C stops it.", flush=True)

    serve(tuple(folders), workspace, port, most_uploaded * MEGABYTE, in_browser, say_address)
