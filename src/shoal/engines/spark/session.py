"""A Spark session for shoal's own command: quiet, on this machine's own address, with this Python."""

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
LOOPBACK = re.compile(r"spark://(127\.\d+\.\d+\.\d+|localhost|\[::1\]):\d+")
QUICK = "-XX:TieredStopAtLevel=1"  # Spark moves bytes here; better code comes too late to pay
NO_JAVA = "install a Java runtime 17 or newer (Debian: default-jre-headless), or set JAVA_HOME to one."
LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n
"""


def session(master: str, folder: Path, settings: dict[str, str] | None = None) -> "SparkSession":
    """A session on ``local[4]``, or whatever address a cluster has.

    What Spark writes goes into the folder, its log into ``spark.log`` there and not onto the screen.
    """
    _refuse_no_spark()
    _refuse_no_java()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of a pandas that is not used here
        return _started(master, folder, settings or {})


def _started(master: str, folder: Path, settings: dict[str, str]) -> "SparkSession":
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setMaster(master).setAppName("shoal")
    conf.setAll(list((_settings(master, folder) | settings).items()))
    if on_this_machine(master):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with (folder / "spark.log").open("ab") as log:
        gateway: Any = launch_gateway(conf, {"stdout": log, "stderr": log})
    try:
        return SparkSession(SparkContext(conf=conf, gateway=gateway))
    except Exception:
        gateway.shutdown()
        raise ShoalError(
            f"Spark could not be started on {master!r}",
            "check the address; every machine needs Spark of the same version, and shoal.",
        ) from None


def on_this_machine(master: str) -> bool:
    """Then workers run this Python, with the shoal that runs here.

    >>> [on_this_machine(each) for each in ("local[2]", "spark://127.0.0.1:7077", "spark://head:7077")]
    [True, True, False]
    """
    return master.startswith("local") or LOOPBACK.fullmatch(master) is not None


def _settings(master: str, folder: Path) -> dict[str, str]:
    logging = folder / "log4j2.properties"
    logging.write_text(LOGGING.format(file=folder / "spark.log"))
    here = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[3]),
        "spark.driver.defaultJavaOptions": QUICK,
        "spark.executor.defaultJavaOptions": QUICK,
    }
    return {
        "spark.driver.extraJavaOptions": f'-Dlog4j2.configurationFile="{logging.absolute().as_uri()}"',
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
        "spark.python.daemon.module": "shoal.engines.spark.daemon",
        **(here if on_this_machine(master) else {}),
    }


def _refuse_no_spark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise ShoalError("Spark is not installed", "pip install 'shoal[spark]'") from None


def _refuse_no_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    if java is None:
        raise ShoalError("Spark needs Java, which is not on this machine", NO_JAVA)
    version_text = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = java_version(version_text)
    if version is not None and version < OLDEST_JAVA:
        raise ShoalError(f"Spark needs Java {OLDEST_JAVA}, and this machine has {version}", NO_JAVA)


def java_version(version_text: str) -> int | None:
    """The version of Java, from what ``java -version`` says.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_202"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', version_text)
    return int(found[1]) if found else None
