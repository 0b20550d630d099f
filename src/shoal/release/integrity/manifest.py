"""The manifest: what a release is, what it promises, and the fingerprints of its files.

It holds nothing private: no cell that is not published, no extreme value, no hash of the input, no seed, no
secret. Of hierarchies it has the labels that published cells show (`Policy.as_shown`).

Fingerprints tell damage, not forgery: who changes a file can write the manifest anew. The SHA-256 of the
manifest is the fingerprint of the release, to be compared with what its owner says; ``signature`` does more.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.databases.address import refuse_address
from shoal.verify.verdict import Verdict

FORMAT_VERSION = 1
FILE_NAME = "manifest.json"
SIGNATURE = "manifest.json.sig"  # the one file that a release may have and its manifest cannot list
RECODING, UNSAFE = "recoding", "unsafe"
MARKS = {
    RECODING: "a saved recoding, found on another table, was applied to these rows",
    UNSAFE: "random choices came from a seed; for tests only, do not publish",
}
KINDS: dict[str, type] = {
    "format_version": int,
    "software": str,
    "policy": dict,
    "method": str,
    "records": int,
    "suppressed": int,
    "verdicts": list,
    "does_not_protect_against": list,
    "notes": list,
    "files": dict,
}
LINES = ("does_not_protect_against", "notes")
VERDICT: dict[str, type] = {
    "kind": str,
    "holds": bool,
    "asked": dict,
    "achieved": dict,
    "sentence": str,
    "worst": list,
    "notes": list,
}
FORBIDDEN = "\\:\0"  # what leads out of a folder on some system, or ends a name


@dataclass(frozen=True)
class Manifest:
    """All that a release says of itself: policy, method, verdicts, limits, files and their hashes."""

    software: str
    policy: Policy
    method: str
    records: int
    suppressed: int
    verdicts: tuple[Verdict, ...]
    does_not_protect: tuple[str, ...]
    files: Mapping[str, str]  # name -> SHA-256
    notes: tuple[str, ...] = ()
    seeded: bool = False
    recoded: bool = False  # by a recoding that was found on other rows
    fingerprint: str = field(default="", compare=False)  # SHA-256 of its file, once it has been read from one

    def to_json(self) -> str:
        content: dict[str, Any] = {
            "format_version": FORMAT_VERSION,
            "software": self.software,
            "policy": self.policy.public(),
            "method": self.method,
            "records": self.records,
            "suppressed": self.suppressed,
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "does_not_protect_against": list(self.does_not_protect),
            "notes": list(self.notes),
            "files": dict(self.files),
        }
        for key, applies in ((RECODING, self.recoded), (UNSAFE, self.seeded)):
            content |= {key: MARKS[key]} if applies else {}
        return _sealed(content)

    @classmethod
    def load(cls, folder: Path) -> "Manifest":
        refuse_address(folder)
        path = folder / FILE_NAME
        if folder.is_file():
            inside = (folder.parent / FILE_NAME).is_file()
            hint = f"give its folder: {str(folder.parent)!r}." if inside else "give the folder of a release."
            raise ShoalError(f"{str(folder)!r} is a file", hint)
        if not folder.is_dir():
            raise ShoalError(f"there is no folder {str(folder)!r}", "give the folder of a release.")
        if not path.is_file():
            raise ShoalError(
                f"{str(folder)!r} is not a release: it has no {FILE_NAME}",
                "give a folder that `shoal run` has written.",
            )
        try:
            read = path.read_bytes()
            text = read.decode()
            content = json.loads(text, parse_constant=_infinity)
            if content["format_version"] > FORMAT_VERSION:
                raise ShoalError("this release was written by a newer shoal", "update shoal, then try again.")
            del content["sha256"]
            if text != _sealed(content):
                raise ShoalError(
                    f"{FILE_NAME} does not match its own fingerprint",
                    "it is damaged or was edited; ask for the release again.",
                )
            if not _is_well_formed(content):
                raise ValueError
            if not all(map(leads_inside, content["files"])):
                raise ShoalError(
                    f"{FILE_NAME} names a file that is not in the release",
                    "ask its owner for the release again.",
                )
            return cls(
                software=content["software"],
                policy=Policy(**content["policy"]),
                method=content["method"],
                records=content["records"],
                suppressed=content["suppressed"],
                verdicts=tuple(map(Verdict.from_dict, content["verdicts"])),
                does_not_protect=tuple(content["does_not_protect_against"]),
                files=content["files"],
                notes=tuple(content["notes"]),
                seeded=UNSAFE in content,
                recoded=RECODING in content,
                fingerprint=text_fingerprint(read),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ShoalError(
                f"{FILE_NAME} of {str(folder)!r} cannot be read",
                "it is damaged; ask for the release again.",
            ) from None


def _infinity(word: str) -> float:
    """A figure of a verdict may be infinite; what is no number is no figure."""
    if word == "NaN":
        raise ValueError
    return float(word)


def _is_well_formed(content: dict[str, Any]) -> bool:
    """Has it the keys that it must have, no others, and under each what belongs there?"""
    optional = {key: words for key, words in MARKS.items() if key in content}
    plain = {key: value for key, value in content.items() if key not in optional}
    return (
        plain.keys() == KINDS.keys()
        and all(_is(plain[key], kind) for key, kind in KINDS.items())
        and all(content[key] == words for key, words in optional.items())
        and all(_is_verdict(verdict) for verdict in content["verdicts"])
        and all(_is(line, str) for key in LINES for line in content[key])
        and all(re.fullmatch("[0-9a-f]{64}", hash) for hash in content["files"].values())
        and min(content["records"], content["suppressed"]) >= 0
    )


def _is_verdict(verdict: Any) -> bool:
    return (
        _is(verdict, dict)
        and verdict.keys() == VERDICT.keys()
        and all(_is(verdict[key], kind) for key, kind in VERDICT.items())
        and all(_is(size, int) for size in verdict["worst"])
        and all(_is(note, str) for note in verdict["notes"])
    )


def _is(value: Any, kind: type) -> bool:
    """True is no number here."""
    return type(value) is kind


def _sealed(content: dict[str, Any]) -> str:
    """The text of a manifest, down to the last space, with its own fingerprint at the end."""
    return json.dumps(content | {"sha256": fingerprint(content)}, indent=2) + "\n"


def fingerprint(content: dict[str, Any]) -> str:
    """The fingerprint of what JSON says, whatever its spaces and the order of its keys."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def text_fingerprint(text: bytes) -> str:
    """The fingerprint of a release: that of its manifest's text, as ``sha256sum manifest.json`` prints it."""
    return hashlib.sha256(text).hexdigest()


def leads_inside(name: str) -> bool:
    """Does a name, as a manifest has it, lead from a folder to something inside it?

    >>> [leads_inside(name) for name in ("data.csv", "data.parquet/part-00000.parquet")]
    [True, True]
    >>> [leads_inside(name) for name in ("../data.csv", "/data.csv", "a//b", "./a", "C:a", "")]
    [False, False, False, False, False, False]
    """
    steps = name.split("/")
    return not set(steps) & {"", ".", ".."} and not set(name) & set(FORBIDDEN)


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
