"""Which processors machine code runs on.

Code that is made ahead of time is for all processors of a family (``x86-64``), or for its newer half
(``x86-64-v3``: AVX2, Haswell and Zen onwards). Code that a process has to make on the way is for its own
processor.
"""

import platform

AVX2_GENERATION = (
    "avx",
    "avx2",
    "bmi",
    "bmi2",
    "f16c",
    "fma",
    "lzcnt",
    "movbe",
)  # what x86-64-v3 consists of
X86 = ("x86_64", "amd64")
BASELINE, NEWER, GENERIC = "x86-64", "x86-64-v3", "generic"


def portable_processors() -> tuple[str, ...]:
    """LLVM's names of the families that a wheel for this kind of machine has code for."""
    return (NEWER, BASELINE) if platform.machine().lower() in X86 else (GENERIC,)


def families(triple: str, features: str) -> list[str]:
    """The families that a processor with these features belongs to, the newest first.

    >>> families("x86_64-linux", "+sse3,-avx2")
    ['x86-64']
    """
    if not triple.startswith(X86):
        return [GENERIC]
    has = {one[1:] for one in features.split(",") if one.startswith("+")}
    return [NEWER, BASELINE] if has.issuperset(AVX2_GENERATION) else [BASELINE]


def runnable_targets(triple: str, processor: str, features: str) -> list[str]:
    """Targets whose code suits such a processor: its own, then its families. Who asks for a family gets it.

    >>> runnable_targets("x86_64-linux", "nehalem", "+sse3,-avx2")
    ['x86_64-linux nehalem +sse3,-avx2', 'x86_64-linux x86-64 ']
    >>> runnable_targets("x86_64-linux", "x86-64-v3", "")
    ['x86_64-linux x86-64-v3 ']
    """
    own = target_text(triple, processor, features)
    if processor in (BASELINE, NEWER):
        return [own]
    return [own, *(target_text(triple, family, "") for family in families(triple, features))]


def target_text(triple: str, processor: str, features: str) -> str:
    """What code is made for, in one line; a family has no features besides."""
    return f"{triple} {processor} {features}"
