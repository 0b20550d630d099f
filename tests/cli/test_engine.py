"""Every command beyond memory that is asked to end takes away what is half-written."""

import os
import signal
import time

import pytest

from shoal.cli.engine import running_engine


def test_a_command_that_is_asked_to_end_leaves_its_block() -> None:
    def stopped() -> None:
        with running_engine("disk", "1GB", None, None, lambda *_: None):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(SystemExit) as ended:
            stopped()
        assert ended.value.code == 143
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)
