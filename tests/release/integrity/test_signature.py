"""A signature tells who made a release, which fingerprints without a key cannot tell."""

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, fingerprint
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.integrity.signature import NAMESPACE
from shoal.release.large_release import release_large
from shoal.release.opened_release import verify_large
from shoal.release.publish import publish
from shoal.release.storage.archive import zip_stream
from tests.release.conftest import POLICY, people


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "owner", "-f", str(path)], check=True
    )
    return path


def openssh_signs(key: Path, file: Path, namespace: str = NAMESPACE) -> None:
    file.with_name(f"{file.name}.sig").unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, file], check=True)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "owner")


@pytest.fixture
def public(key: Path) -> Path:
    return key.with_name("owner.pub")


@pytest.fixture
def signed(key: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "release"
    shoal.anonymize(people(), POLICY).write(folder, sign=key)
    return folder


def verdict(folder: Path, public: Path) -> tuple[bool, str]:
    found = shoal.open_release(folder).verify(key=public)
    by_kind = {one.kind: one for one in found}
    return by_kind["signature"].holds, by_kind["signature"].sentence


def assert_refused(folder: Path, public: Path, why: str) -> None:
    """By every door that answers from the release."""
    holds, sentence = verdict(folder, public)
    assert not holds
    assert why in sentence
    with pytest.raises(ShoalError, match=why):
        shoal.open_release(folder, key=public)
    with pytest.raises(ShoalError, match=why):
        publish(folder, "postgresql://user@localhost:1/nowhere", key=public)
    found = verify_large(DiskEngine.with_memory(10**9), folder, key=public)
    assert [one.holds for one in found if one.kind == "signature"] == [False]


def sealed_again(folder: Path, **changes: object) -> None:
    """The manifest with other content and fingerprints that fit: anybody can do that."""
    path = folder / FILE_NAME
    content = json.loads(path.read_text(encoding="utf-8")) | changes
    del content["sha256"]
    path.write_text(json.dumps(content | {"sha256": fingerprint(content)}, indent=2) + "\n", encoding="utf-8")


def test_a_signed_release_holds_with_the_public_key(signed: Path, public: Path) -> None:
    found = shoal.open_release(signed, key=public).verify()
    assert [one.kind for one in found] == ["integrity", "signature", "kf-anonymity"]
    assert all(one.holds for one in found)
    key_hash = hashlib.sha256(base64.b64decode(public.read_text().split()[1])).digest()
    assert f"SHA256:{base64.b64encode(key_hash).decode().rstrip('=')}" in found[1].sentence


def test_openssh_alone_can_check_it(signed: Path, public: Path, tmp_path: Path) -> None:
    (tmp_path / "allowed").write_text(f"owner {public.read_text()}")
    command = ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "allowed", "-I", "owner", "-n", "shoal-release"]
    command += ["-s", signed / SIGNATURE]
    assert subprocess.run(command, input=(signed / FILE_NAME).read_bytes()).returncode == 0


def test_a_role_changed_and_sealed_again_passes_without_a_key_and_fails_with_it(
    signed: Path, public: Path
) -> None:
    policy = json.loads((signed / FILE_NAME).read_text())["policy"]
    policy["columns"]["illness"] = "other"
    sealed_again(signed, policy=policy, does_not_protect_against=protection_limits(shoal.Policy(**policy)))
    assert all(one.holds for one in shoal.open_release(signed).verify())
    assert_refused(signed, public, "not one of this manifest")


def test_an_unsigned_release_does_not_hold_with_a_key(signed: Path, public: Path) -> None:
    (signed / SIGNATURE).unlink()
    assert all(one.holds for one in shoal.open_release(signed).verify())
    assert_refused(signed, public, "not signed")


def test_a_signature_by_another_key_does_not_hold(signed: Path, public: Path, tmp_path: Path) -> None:
    openssh_signs(make_key(tmp_path / "other"), signed / FILE_NAME)
    assert_refused(signed, public, "another key")


def test_a_signature_of_another_release_does_not_hold(
    signed: Path, key: Path, public: Path, tmp_path: Path
) -> None:
    shoal.anonymize(people(), POLICY).write(tmp_path / "other-release", sign=key)
    shutil.copy(tmp_path / "other-release" / SIGNATURE, signed / SIGNATURE)
    assert_refused(signed, public, "not one of this manifest")


def test_a_signature_for_another_purpose_does_not_hold(signed: Path, key: Path, public: Path) -> None:
    openssh_signs(key, signed / FILE_NAME, namespace="file")
    assert_refused(signed, public, "not an Ed25519 signature of a release")


@pytest.mark.parametrize(
    "content", [b"", b"signed by me", b"\xff\x00" * 50, b"-----BEGIN SSH SIGNATURE-----\nU1NI\n"]
)
def test_a_malformed_signature_does_not_hold(signed: Path, public: Path, content: bytes) -> None:
    (signed / SIGNATURE).write_bytes(content)
    assert_refused(signed, public, "not an Ed25519 signature")


@pytest.mark.parametrize("place", [12, 60, 120, 200, 240])
def test_a_signature_with_a_changed_character_does_not_hold(signed: Path, public: Path, place: int) -> None:
    text = (signed / SIGNATURE).read_text()
    at = text.index("\n") + place
    changed = "A" if text[at] != "A" else "B"
    (signed / SIGNATURE).write_text(text[:at] + changed + text[at + 1 :])
    assert not verdict(signed, public)[0]


def test_a_link_in_the_place_of_a_signature_does_not_belong(signed: Path, tmp_path: Path) -> None:
    (signed / SIGNATURE).rename(tmp_path / "elsewhere")
    (signed / SIGNATURE).symlink_to(tmp_path / "elsewhere")
    (integrity,) = shoal.open_release(signed).verify()
    assert f"{SIGNATURE} does not belong to it" in integrity.sentence


@pytest.mark.parametrize("name", ["manifest.json.sig2", "data.csv.sig", ".sig", "MANIFEST.JSON.SIG"])
def test_no_other_signature_belongs_to_a_release(signed: Path, name: str) -> None:
    shutil.copy(signed / SIGNATURE, signed / name)
    (integrity,) = shoal.open_release(signed).verify()
    assert f"{name} does not belong to it" in integrity.sentence


def test_a_signed_release_can_be_replaced_and_its_signature_goes_with_it(signed: Path, key: Path) -> None:
    release = shoal.anonymize(people(), POLICY)
    release.write(signed, force=True)
    assert not (signed / SIGNATURE).exists()
    release.write(signed, force=True, sign=key)
    assert (signed / SIGNATURE).exists()


def test_the_archive_carries_the_signature(signed: Path, tmp_path: Path) -> None:
    (tmp_path / "release.zip").write_bytes(b"".join(zip_stream(signed)))
    with ZipFile(tmp_path / "release.zip") as archive:
        assert archive.read(f"release/{SIGNATURE}") == (signed / SIGNATURE).read_bytes()


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_disk_engine_signs_too(key: Path, public: Path, tmp_path: Path, format: str) -> None:
    from pyarrow import parquet

    parquet.write_table(people(), tmp_path / "people.parquet")
    engine = DiskEngine.with_memory(10**9)
    folder = tmp_path / "large"
    release_large(engine, tmp_path / "people.parquet", POLICY, folder, format, sign=key)
    assert [one.kind for one in verify_large(engine, folder, key=public)][:2] == ["integrity", "signature"]
    assert verdict(folder, public)[0]


def test_an_applied_recoding_is_signed_too(key: Path, public: Path, tmp_path: Path) -> None:
    policy = shoal.Policy(
        columns={"salary": "quasi", "name": "identifier", "region": "other", "bonus": "other",
                 "illness": "sensitive"},
        guarantees=[shoal.KAnonymity(k=2)],
        method={"suppression": 1.0},
    )  # fmt: skip
    recoding = shoal.anonymize(people(), policy).recoding
    shoal.apply_recoding(recoding, people()).write(tmp_path / "later", sign=key)
    assert verdict(tmp_path / "later", public)[0]


def test_a_key_that_cannot_sign_is_refused_before_anything_is_written(tmp_path: Path, key: Path) -> None:
    (tmp_path / "words").write_text("no key")
    (tmp_path / "words").chmod(0o600)
    shutil.copy(key, tmp_path / "open")
    (tmp_path / "open").chmod(0o644)
    make_key(tmp_path / "ecdsa", "ecdsa")
    make_key(tmp_path / "locked", passphrase="a long secret")  # noqa: S106
    release = shoal.anonymize(people(), POLICY)
    for name, why in {
        "nowhere": "there is no key",
        "words": "cannot sign",
        "open": "can be read by others",
        "ecdsa": "is not an Ed25519 key",
        "locked": "ssh-add",
    }.items():
        with pytest.raises(ShoalError, match=why):
            release.write(tmp_path / "release", sign=tmp_path / name)
    assert not (tmp_path / "release").exists()


def test_only_the_public_half_of_an_ed25519_key_checks(signed: Path, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("ssh-ed25519 nonsense")
    (tmp_path / "two").write_text((tmp_path / "owner.pub").read_text() * 2)
    make_key(tmp_path / "ecdsa", "ecdsa")
    for name, why in {
        "owner": "is a private key",
        "nowhere": "there is no key",
        "words": "not the public half",
        "two": "not the public half",
        "ecdsa.pub": "not the public half",
    }.items():
        with pytest.raises(ShoalError, match=why):
            shoal.open_release(signed).verify(key=tmp_path / name)


def test_without_openssh_a_signature_is_an_error_and_no_verdict(
    signed: Path, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ShoalError, match="install OpenSSH"):
        shoal.open_release(signed, key=public)


def test_the_fingerprint_is_what_sha256sum_prints(signed: Path) -> None:
    told = subprocess.run(["sha256sum", signed / FILE_NAME], capture_output=True, text=True).stdout.split()[0]
    opened = shoal.open_release(signed)
    assert opened.manifest.fingerprint == told
    assert told in opened._repr_html_()


def test_what_fingerprints_tell_is_not_overstated(signed: Path) -> None:
    integrity, *_ = shoal.open_release(signed).verify()
    assert "damage, not forgery" in integrity.sentence


@pytest.mark.parametrize("words", ["exactly as it was written", "cannot be trusted", "was changed after it"])
def test_nothing_says_that_a_fingerprint_tells_who_wrote_a_release(words: str) -> None:
    top = Path(__file__).parents[3]
    files = [path for kind in ("py", "html", "md") for path in top.glob(f"*/**/*.{kind}")]
    ours = [path for path in files if path.relative_to(top).parts[0] in ("src", "docs")]
    assert len(ours) > 100
    assert not [path for path in ours if words in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("trouble", [OSError(), subprocess.TimeoutExpired("ssh-keygen", 1)])
def test_a_signature_that_could_not_be_checked_is_not_called_a_wrong_one(
    trouble: Exception, signed: Path, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise trouble

    monkeypatch.setattr("shoal.release.integrity.signature.subprocess.run", fails)
    with pytest.raises(ShoalError, match="could not be made or checked"):
        shoal.open_release(signed, public)
