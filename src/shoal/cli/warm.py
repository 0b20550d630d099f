"""``shoal warm``: machine code made ahead, so that no run has to make it."""

from shoal.cli.terminal.output import say, say_json, steps
from shoal.kernels.code_cache import newest_family
from shoal.warm_up.compile_ahead import compile_ahead


def run_warm(as_json: bool) -> None:
    """Compile every kernel that is not there yet."""
    processor = newest_family()
    with steps(quiet=as_json) as step:
        done = compile_ahead(processor, lambda task, share: step(f"compiling; ready: {task}", share))
    if as_json:
        say_json({"processor": processor, "compiled": len(done.compiled), "ready": len(done.loaded)})
    elif done.compiled:
        say(f"{len(done.compiled)} kernels were compiled for {processor}: from now on runs start at once")
    else:
        say(f"nothing to compile: machine code for {processor} is there")
