"""Files for the owner appear whole or not at all, whatever happens while they are made."""

import os
from pathlib import Path

import pytest

from shoal.release.private_file import written_privately


def test_a_file_is_private_from_the_start_and_takes_its_place_in_the_end(tmp_path: Path) -> None:
    with written_privately(tmp_path / "audit", "audit file", lambda file: file.write("whose")):
        (hidden,) = tmp_path.iterdir()
        assert hidden.name.startswith(".audit.")
        assert hidden.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["audit"]
    assert (tmp_path / "audit").read_text() == "whose"


def test_nothing_is_left_when_a_signal_comes_while_it_is_written(tmp_path: Path) -> None:
    def stopped(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), written_privately(tmp_path / "audit", "audit file", stopped):
        pass
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_a_signal_comes_while_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = os.open

    def stopped(*given: object, **named: object) -> int:
        os.close(opens(*given, **named))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", stopped)
    with pytest.raises(KeyboardInterrupt), written_privately(tmp_path / "audit", "audit file", repr):
        pass
    assert list(tmp_path.iterdir()) == []
