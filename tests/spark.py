"""One Spark session for all tests of a run; it takes many seconds to start."""

import pytest

from shoal.engines.spark.session import session

SETTINGS = {
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.maxResultSize": "1m",  # a table that is brought to the driver is refused
}


def on_spark(item):
    """Does a test need the session?"""
    given = getattr(item, "callspec", None)
    return "spark" in getattr(item, "fixturenames", ()) or (given and given.params.get("engine") == "spark")


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    running = session("local[2,2]", folder, SETTINGS)  # a task may fail once
    yield running
    gateway = running.sparkContext._gateway
    running.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
