"""``shoal serve`` as it is, with workers that look shortly."""

from shoal.cli.main import main
from shoal.web.jobs import process
from tests.web.quick_worker import COMMAND

if __name__ == "__main__":
    process.WORKER = COMMAND
    main()
