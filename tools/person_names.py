"""Write the lists of names that values are compared with, from those of Faker (``pip install faker``).

Names are kept as the detector reads cells: small letters without accents, one word each. Greek ones are kept
in Latin letters, too. Run it when Faker has better lists: ``python tools/person_names.py``.
"""

import unicodedata
from importlib import import_module
from pathlib import Path
from textwrap import fill

LOCALES = "en_US en_GB de_DE de_AT de_CH fr_FR fr_CH fr_BE es_ES es_MX it_IT el_GR".split()  # noqa: SIM905
TARGET = Path(__file__).parents[1] / "src/shoal/table/identifying/names.txt"
HEAD = """# Frequent names of persons in English, German, French, Spanish, Italian and Greek (Greek ones also
# in Latin letters). Made by tools/person_names.py from Faker, https://github.com/joke2k/faker:
# Copyright (c) 2012 Daniele Faraglia, MIT licence, which permits use, copying and distribution provided that
# this notice stays. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.
"""
PARTICLES = {"de", "del", "della", "di", "da", "la", "le", "van", "von", "los", "las", "san", "saint", "dos"}
LATIN = {
    "ου": "ou", "αυ": "av", "ευ": "ev", "μπ": "b", "ντ": "nt", "γκ": "gk", "γγ": "ng", "α": "a", "β": "v",
    "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k", "λ": "l", "μ": "m",
    "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f",
    "χ": "ch", "ψ": "ps", "ω": "o",
}  # fmt: skip


def plain_words(name: str) -> list[str]:
    """
    >>> plain_words("Jean-François")
    ['jean', 'francois']
    """
    letters = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(one if one.isalpha() else " " for one in letters if not unicodedata.combining(one))
    return [word for word in bare.split() if len(word) > 2 and word not in PARTICLES]


def in_latin(word: str) -> str:
    """
    >>> in_latin("παπαδοπουλου")
    'papadopoulou'
    """
    for greek, latin in LATIN.items():
        word = word.replace(greek, latin)
    return word


def names_of(kind: str) -> set[str]:
    """All names of a kind, ``first`` or ``last``, in all locales."""
    found = set()
    for locale in LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        lists = [getattr(provider, name) for name in dir(provider) if name.startswith(f"{kind}_names")]
        found |= {word for names in lists for name in names for word in plain_words(name)}
    return found | {in_latin(word) for word in found}


def main() -> None:
    parts = [HEAD]
    for title, kind in (("given", "first"), ("surnames", "last")):
        parts.append(f"[{title}]\n{fill(' '.join(sorted(names_of(kind))), 108)}\n")
    TARGET.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
