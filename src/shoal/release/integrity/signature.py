"""Who made a release: an Ed25519 signature over its manifest.

Fingerprints tell damage. Whoever can write a release can write its fingerprints anew, so they do not tell
forgery; a signature does, to those who have the owner's public key from somewhere else. It covers every byte
of the manifest, and by the fingerprints there the policy, the verdicts and every file.

OpenSSH signs and checks (``ssh-keygen -Y``), so anybody can check a release without shoal:

    ssh-keygen -Y verify -f allowed_signers -I owner -n shoal-release -s manifest.json.sig < manifest.json
"""

import base64
import hashlib
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, Manifest, text_fingerprint
from shoal.release.integrity.release_files import is_file_in
from shoal.verify.verdict import Verdict

KIND = "signature"
NAMESPACE = "shoal-release"  # a signature for another purpose is none for this
ED25519 = ("ssh-ed25519", "sk-ssh-ed25519@openssh.com")
ARMOUR = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
MOST_BYTES = 16_384  # of a key or a signature
MOST_SECONDS = 120  # a key on a token waits for a finger
MAKE_A_KEY = "`ssh-keygen -t ed25519 -f KEY` makes a pair: KEY signs, KEY.pub checks."


@dataclass(frozen=True)
class PublicKey:
    """The half of a key pair that everybody may have."""

    blob: bytes

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "PublicKey":
        text = _read(Path(path), "key").decode("utf-8", "replace")
        if "PRIVATE KEY" in text:
            hint = "give its public half, which ends in .pub, and keep this one to yourself."
            raise ShoalError(f"{str(path)!r} is a private key", hint)
        lines = [line.split() for line in text.splitlines() if line.strip() and line.strip()[0] != "#"]
        key = None if len(lines) != 1 or len(lines[0]) < 2 else cls._of(*lines[0][:2])
        if key is None:
            raise ShoalError(f"{str(path)!r} is not the public half of an Ed25519 key", MAKE_A_KEY)
        return key

    @classmethod
    def _of(cls, kind: str, encoded: str) -> "PublicKey | None":
        key = cls(_decoded(encoded) or b"")
        return key if key.kind == kind and kind in ED25519 else None

    @property
    def kind(self) -> str:
        first = _strings(self.blob, 1)
        return first[0].decode("ascii", "replace") if first else ""

    @property
    def fingerprint(self) -> str:
        """The name of a key, as OpenSSH prints it."""
        digest = hashlib.sha256(self.blob).digest()
        return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"

    @property
    def line(self) -> str:
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"


def sign_manifest(folder: Path, key: str | PathLike[str] | None) -> None:
    """Write the signature of the manifest in a folder beside it, if there is a key to sign with."""
    if key is None:
        return
    with (folder / SIGNATURE).open("xb") as file:
        file.write(_signed((folder / FILE_NAME).read_bytes(), Path(key)))
        file.flush()
        os.fsync(file.fileno())


def check_signing_key(key: str | PathLike[str]) -> None:
    """What can be known to go wrong with signing, before any work is done: something is signed."""
    _signed(b"", Path(key))


def signature_verdict(folder: Path, manifest: Manifest, key: str | PathLike[str]) -> Verdict:
    """Was this manifest signed with the private half of a key?"""
    expected = PublicKey.load(key)
    signer, sentence = _judged(folder, manifest, expected)
    return Verdict(
        kind=KIND,
        holds=sentence is None,
        asked={"key": expected.fingerprint},
        achieved={} if signer is None else {"key": signer.fingerprint},
        sentence=sentence
        or f"The manifest, with the fingerprints of all files, was signed with {expected.fingerprint}.",
    )


def refuse_unsigned(folder: Path, manifest: Manifest, key: str | PathLike[str]) -> None:
    """Raise unless the release is signed with the private half of this public key."""
    verdict = signature_verdict(folder, manifest, key)
    if not verdict.holds:
        raise ShoalError(verdict.sentence[:-1], "ask the owner for the release, or for the right public key.")


def _judged(folder: Path, manifest: Manifest, expected: PublicKey) -> tuple[PublicKey | None, str | None]:
    """The key that has signed, and what is wrong with the signature."""
    if not is_file_in(folder, SIGNATURE):
        return None, "The release is not signed."
    signature, signed = _read(folder / SIGNATURE, "signature"), (folder / FILE_NAME).read_bytes()
    signer = _signer(signature)
    if signer is None:
        return None, f"{SIGNATURE} is not an Ed25519 signature of a release."
    if signer != expected:
        return signer, f"The release is signed with another key, {signer.fingerprint}."
    if text_fingerprint(signed) != manifest.fingerprint or not _is_signed_by(expected, signature, signed):
        return signer, "The signature is not one of this manifest: one of them was changed or exchanged."
    return signer, None


def _signer(signature: bytes) -> PublicKey | None:
    """The key that a signature names; none if it is malformed, too long, or for another purpose."""
    text = signature.decode("ascii", "replace").strip()
    if len(signature) > MOST_BYTES or not text.startswith(ARMOUR[0]) or not text.endswith(ARMOUR[1]):
        return None
    content = _decoded("".join(text[len(ARMOUR[0]) : -len(ARMOUR[1])].split())) or b""
    strings = _strings(content[10:], 2) if content.startswith(b"SSHSIG" + struct.pack(">I", 1)) else None
    if strings is None or strings[1] != NAMESPACE.encode():
        return None
    key = PublicKey(strings[0])
    return key if key.kind in ED25519 else None


def _signed(content: bytes, key: Path) -> bytes:
    _read(key, "key")  # there, and not endless
    found = _openssh(["sign", "-f", str(key.absolute()), "-n", NAMESPACE], content)
    if found is None and key.stat().st_mode & 0o077:
        raise ShoalError(
            f"the key {str(key)!r} can be read by others, so OpenSSH does not use it", "chmod 600 it first."
        )
    if found is None:
        hint = f"if it has a passphrase, `ssh-add` it first. {MAKE_A_KEY}"
        raise ShoalError(f"the key {str(key)!r} cannot sign", hint)
    if _signer(found) is None:
        raise ShoalError(f"{str(key)!r} is not an Ed25519 key", MAKE_A_KEY)
    return found


def _is_signed_by(key: PublicKey, signature: bytes, content: bytes) -> bool:
    with TemporaryDirectory(prefix="shoal-") as folder:
        signers, given = Path(folder) / "signers", Path(folder) / "signature"
        signers.write_text(f"owner {key.line}\n", encoding="ascii")
        given.write_bytes(signature)
        how = ["verify", "-f", str(signers), "-I", "owner", "-n", NAMESPACE, "-s", str(given)]
        return _openssh(how, content) is not None


def _openssh(arguments: list[str], content: bytes) -> bytes | None:
    """What it answers; None if it refuses. It asks nobody for a passphrase: it has no terminal."""
    program = shutil.which("ssh-keygen")
    if program is None:
        raise ShoalError("signatures need OpenSSH, and there is no ssh-keygen", "install OpenSSH's client.")
    alone = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "SSH_ASKPASS")}
    try:
        done = subprocess.run(  # noqa: S603 a program of the system, and no shell
            [program, "-Y", *arguments],
            input=content,
            capture_output=True,
            env=alone | {"SSH_ASKPASS_REQUIRE": "never"},
            start_new_session=True,
            timeout=MOST_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        hint = "check that ssh-keygen runs here, then try again."
        raise ShoalError("the signature could not be made or checked: OpenSSH gave no answer", hint) from None
    return done.stdout if done.returncode == 0 else None


def _read(path: Path, what: str) -> bytes:
    try:
        if not path.is_file():
            raise FileNotFoundError
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError:
        raise ShoalError(f"there is no {what} {str(path)!r} that can be read", MAKE_A_KEY) from None
    if len(content) > MOST_BYTES:
        raise ShoalError(f"{str(path)!r} is too long for a {what}", MAKE_A_KEY)
    return content


def _strings(content: bytes, count: int) -> list[bytes] | None:
    """The first strings of a message as SSH writes them: a length of four bytes, then the bytes.

    >>> _strings(bytes([0, 0, 0, 2, 104, 105, 0]), 1)
    [b'hi']
    >>> _strings(bytes([0, 0, 0, 9, 104, 105]), 1) is None
    True
    """
    found, at = [], 0
    for _ in range(count):
        length = int.from_bytes(content[at : at + 4]) if at + 4 <= len(content) else len(content)
        if at + 4 + length > len(content):
            return None
        found.append(content[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None
