"""A draft that runs: it is tried on rows of the table it was made for, and corrected where they refuse it.

A column that tells hidden cells of another one, or names people, is left out with the reason. Where no
release keeps all promises together, those about sensitive values become comments. So what `shoal init`
writes, `shoal run` takes on the same table; what is left then is truly not to be had.
"""

from collections.abc import Mapping

import numpy as np

from shoal.anonymizer.anonymize import anonymize_table
from shoal.engines.memory.rows import MemoryRows
from shoal.errors import Infeasible, ShoalError
from shoal.kernels.keyed_hash import fresh_key
from shoal.leaks.leak import Leak
from shoal.policy.draft.draft import Draft, DraftRequest, draft
from shoal.policy.model.policy import Policy
from shoal.release.leak_judgement import is_accepted, judge_published_leaks
from shoal.release.naming_values import naming_values
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.profile.profile import Profile
from shoal.table.read import read_table
from shoal.table.table import Table

TRIED_ROWS = 10_000
MOST_TRIALS = 10


def tried_draft(asked: DraftRequest) -> Draft:
    """The first draft that stands a trial, or the last one that was tried."""
    left_out: Mapping[str, str] = {}
    diverse = True
    made = draft(asked)
    for _ in range(MOST_TRIALS):
        try:
            faults = trial(asked, made)
        except Infeasible:
            if not diverse:
                return made
            faults, diverse = {}, False
        except ShoalError:  # a run says what is wrong, better than a draft could
            return made
        else:
            if not faults:
                return made
        left_out = {**left_out, **faults}
        made = draft(asked, left_out, diverse)
    return made


def trial(asked: DraftRequest, drafted: Draft) -> dict[str, str]:
    """The columns without which a run on some rows would not be refused, and why."""
    policy = Policy.parse(drafted.text, asked.beside)
    table = _some_rows(asked.table, policy)
    made = anonymize_table(table, policy, fresh_key())
    leaks = judge_published_leaks(table, policy, made.table, made.input_rows, made.class_of, made.classes)
    told = dict(
        _left_out(leak, drafted.found) for leak in leaks if leak.fills and not is_accepted(leak, policy)
    )
    named = naming_values(MemoryRows(made.table), policy)
    return told | {name: ", ".join(map(str, found)) for name, found in named.items()}


def _left_out(leak: Leak, found: Profile) -> tuple[str, str]:
    """The column that tells, or the one that is told where only that one's role is doubtful: what a table is
    about is worth more than a column of which nothing is known."""
    columns = {column.name: column for column in found.columns}
    shown, hidden = columns[leak.columns[-1]], columns.get(leak.protected)
    if hidden is not None and hidden.sure == "low" and shown.sure == "high":
        return hidden.name, f"{shown.name!r}, published as it is, would tell it"
    return shown.name, f"published as it is, it would tell {leak.protected}"


def _some_rows(table: Table, policy: Policy) -> Table:
    rows = table.arrow
    if len(table) > TRIED_ROWS:
        chosen = np.random.default_rng(0).choice(len(table), TRIED_ROWS, replace=False)
        rows = rows.take(arrow_from_numpy(np.sort(chosen)))
    return read_table(Table(rows, rules=table.rules), reading=policy.how_to_read)
