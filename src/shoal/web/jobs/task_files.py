"""Files that tasks leave beside their job: private, and whole or not at all."""

import json
from pathlib import Path
from typing import Any

from shoal.release.storage.private_file import write_privately


def write_text(path: Path, text: str) -> None:
    """Write a text for the owner's eyes only, whole or not at all."""
    write_privately(path, "file", lambda file: file.write(text))


def write_json(path: Path, content: Any) -> None:
    """Write content as JSON for the owner's eyes only, whole or not at all."""
    write_text(path, json.dumps(content, default=str, ensure_ascii=False))
