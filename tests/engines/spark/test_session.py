import subprocess
import sys

import pytest

from shoal.engines.spark.session import session
from shoal.errors import ShoalError


def test_a_machine_without_java_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ShoalError, match="install a Java runtime 17 or newer"):
        session("local[1]", tmp_path)


def test_an_old_java_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("""#!/bin/sh\necho 'openjdk version "1.8.0_202"' >&2\n""")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ShoalError, match="needs Java 17, and this machine has 8"):
        session("local[1]", tmp_path)


def test_without_spark_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ShoalError, match=r"pip install 'shoal\[spark\]'"):
        session("local[1]", tmp_path)


@pytest.mark.slow
def test_spark_is_quiet(tmp_path):
    script = (
        "import sys; from pathlib import Path; from shoal.engines.spark.session import session\n"
        "running = session('local[1]', Path(sys.argv[1]))\n"
        "print(running.range(5).mapInArrow(lambda batches: batches, 'id long').count())"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore::FutureWarning", "-c", script, tmp_path], capture_output=True
    )
    assert (run.stdout, run.stderr) == (b"5\n", b"")
