"""Code for a family of processors runs on every one of it; nobody is given code that they cannot run."""

from shoal.kernels.processor import (
    AVX2_GENERATION,
    families,
    portable_processors,
    runnable_targets,
    target_text,
)

NEW = ",".join(f"+{one}" for one in (*AVX2_GENERATION, "avx512f"))
LINUX = "x86_64-unknown-linux-gnu"


def test_a_processor_runs_code_of_its_own_then_of_its_families():
    assert runnable_targets(LINUX, "znver5", NEW) == [
        target_text(LINUX, "znver5", NEW),
        target_text(LINUX, "x86-64-v3", ""),
        target_text(LINUX, "x86-64", ""),
    ]


def test_whoever_lacks_one_feature_of_a_family_is_none_of_it():
    for feature in AVX2_GENERATION:
        assert families(LINUX, NEW.replace(f"+{feature},", f"-{feature},")) == ["x86-64"]
    assert families(LINUX, "") == ["x86-64"]


def test_other_kinds_of_machines_have_one_family():
    assert families("aarch64-unknown-linux-gnu", "+neon,+fp16") == ["generic"]


def test_a_wheel_has_code_for_all_families_of_its_kind_of_machine(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert set(portable_processors()) == set(families(LINUX, NEW))
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert list(portable_processors()) == families("arm64-apple-darwin", "+neon")
