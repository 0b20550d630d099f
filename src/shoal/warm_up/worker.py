"""A process that carries out one group of tasks: ``python -m shoal.warm_up.worker NUMBER``.

It says what happened, a line each: which task is done and, at its end, which files of machine code it
loaded and which it compiled.
"""

import sys

from shoal.kernels.code_cache import CodeCache
from shoal.kernels.compile_notice import COMPILING
from shoal.warm_up.kernel_tasks import task_groups


def main(number: int) -> None:
    """Carry out the group of tasks with this number."""
    CodeCache.notice.said.add(COMPILING)  # whoever warms up knows
    for name, task in task_groups()[number].items():
        task()
        _tell("done", name)
    for file in sorted(CodeCache.loaded):
        _tell("loaded", file)
    for file in sorted(CodeCache.compiled):
        _tell("compiled", file)


def _tell(event: str, name: str) -> None:
    sys.stdout.write(f"{event} {name}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
