"""Nobody waits for minutes without a word: what the log says, once, while kernels are compiled."""

from logging import getLogger
from time import process_time

LOG = getLogger("shoal")
PATIENCE = 3  # seconds of the processor, for all kernels of a process that had to be compiled
COMPILING = (
    "shoal is compiling methods, as it has no machine code for this processor and version of Numba: "
    "once, up to a minute for each. `shoal warm` compiles all of them now."
)
UNWRITABLE = (
    "shoal finds no folder to keep machine code in, so that every run compiles again. "
    "Set XDG_CACHE_HOME to a folder that can be written, or run `shoal warm` as who installed it."
)


class CompileNotice:
    """Adds up how long compiling takes, and says each sentence once."""

    def __init__(self) -> None:
        self.seconds, self.since = 0.0, 0.0
        self.said: set[str] = set()

    def begin(self) -> None:
        """A kernel is about to be compiled; those that it calls begin and end before it ends."""
        self.since = process_time()

    def end(self) -> None:
        """A kernel was compiled."""
        now = process_time()
        self.seconds, self.since = self.seconds + now - self.since, now
        if self.seconds > PATIENCE:
            self._say(COMPILING)

    def unwritable(self) -> None:
        """What was compiled is lost at the end of the process."""
        self._say(UNWRITABLE)

    def _say(self, sentence: str) -> None:
        if sentence not in self.said:
            self.said.add(sentence)
            LOG.warning(sentence)
