"""Columns that tell what they are by standing together: items of a questionnaire, times and ends of a study.

`A1, A2, ... O5` with a few answers each are opinions or tests, which people keep to themselves; a column
called `time` or `status` says little alone, both together tell when and how somebody's illness ended.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from shoal.table.profile.column_names import plain_name

ITEM = r"^(.*?\D)[._ ]?\d{1,3}[a-z]?$"
ANSWERS = (3, 11)
FEWEST_ITEMS = 4  # of one stem
SUBJECTS = ("health", "crime", "credit")
FEWEST_OF_SUBJECT = 2
TIMES = {"time", "futime", "duration", "days", "months", "survtime", "t"}
ENDS = {"status", "event", "cens", "censor", "censored", "fustat", "dead", "death", "observed", "e"}


def questionnaire_items(columns: Sequence[tuple[str, int]]) -> list[str]:
    """Of columns with so many different numbers, those whose names count the items of a stem.

    >>> questionnaire_items([("A1", 6), ("A2", 6), ("A3", 6), ("A4", 5), ("age", 50), ("d81", 2)])
    ['A1', 'A2', 'A3', 'A4']
    """
    stems: dict[str, list[str]] = defaultdict(list)
    for name, different in columns:
        if ANSWERS[0] <= different <= ANSWERS[1] and (found := re.fullmatch(ITEM, name)):
            stems[found[1].lower()].append(name)
    return [name for names in stems.values() if len(names) >= FEWEST_ITEMS for name in names]


def ends_of_a_study(names: Sequence[str]) -> Iterator[str]:
    """Columns that tell together when and how something ended, if both are there."""
    times = [name for name in names if plain_name(name) in TIMES]
    ends = [name for name in names if plain_name(name) in ENDS]
    if times and ends:
        yield from times
        yield from ends


def subject_of_study(topics: Sequence[str]) -> str | None:
    """Of the topics of sensitive columns the one that the table is about, if people keep all of it to
    themselves: illnesses, crimes or debts, several columns of them and a third of all.

    >>> subject_of_study(["health", "income or wealth", "health"])
    'health'
    >>> subject_of_study(["income or wealth", "income or wealth", "health"]) is None
    True
    """
    counts = Counter(topics)
    often = max(SUBJECTS, key=lambda topic: counts[topic])
    return often if counts[often] >= max(FEWEST_OF_SUBJECT, len(topics) / 3) else None
