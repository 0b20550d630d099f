"""What would work is what trying every value finds, and it does work."""

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.comparison import smallest_change
from shoal.comparison.relaxations import Relaxation, relaxations, two_digits
from shoal.comparison.smallest_change import diagnose
from shoal.errors import Infeasible, NotFound, ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.table.table import Table

LONG = 600.0  # seconds: enough for everything
COLUMNS = {"age": "quasi", "zip": "quasi", "ill": "sensitive", "debt": "sensitive"}
PERMUTED = {"age": "quasi", "zip": "quasi", "ill": "other", "debt": "sensitive"}
K = {"kind": "k-anonymity", "k": 3}
KF = {"kind": "kf-anonymity", "k": 3, "knows": ["age + zip"]}


def diverse(l: float, **besides: Any) -> dict[str, Any]:
    return {"kind": "l-diversity", "l": l, "sensitive": "ill", "alone": True, **besides}


def rare(p: int, r: str) -> dict[str, Any]:
    return {"kind": "kpqr-anonymity", "k": 2, "p": p, "q": "0.5", "r": r, "sensitive": "debt"}


def drawn(seed: int, rows: int = 14) -> pa.Table:
    """Ties, zeros, negatives and duplicates."""
    draw = np.random.default_rng(seed)
    ills = draw.choice(["flu", "cold", "gout", "cough"], rows, p=[0.6, 0.2, 0.1, 0.1])
    numbers = {"age": draw.integers(-2, 5, rows), "zip": draw.integers(0, 3, rows)}
    return pa.table({**numbers, "ill": ills, "debt": draw.integers(-40, 60, rows)})


def policy(*guarantees: dict[str, Any], columns: dict[str, str] = COLUMNS, **method: Any) -> Policy:
    return Policy(columns=columns, guarantees=guarantees, method=method)


CASES = {
    "mondrian, distinct": policy(K, diverse(6), name="mondrian"),
    "mondrian, entropy": policy(K, diverse(4.5, variant="entropy"), name="mondrian"),
    "mondrian, recursive": policy(K, diverse(3, variant="recursive", c=0.4), name="mondrian"),
    "mondrian, k": policy({"kind": "k-anonymity", "k": 20}, name="mondrian"),
    "mondrian, p": policy(K, {"kind": "p-sensitivity", "p": 9}, name="mondrian"),
    "optimal, alpha": policy({"kind": "alpha-k-anonymity", "alpha": "0.2", "k": 2}, name="optimal"),
    "optimal, entropy": policy(
        K, diverse(3.4, variant="entropy"), name="optimal", suppression=0.1, options={"time_limit": 5.0}
    ),
    "aggranon": policy(KF, diverse(5), name="aggranon"),
    "residual": policy(KF, diverse(3, variant="entropy"), name="residual"),
    "min-sum, e": policy(
        {"kind": "ke-anonymity", "k": 3, "e": 123, "sensitive": "debt"}, columns=PERMUTED, name="min-sum"
    ),
    "min-sum, k": policy(
        {"kind": "ke-anonymity", "k": 14, "e": 10, "sensitive": "debt"}, columns=PERMUTED, name="min-sum"
    ),
    "mdav, p": policy(rare(14, "0.5"), name="mdav"),
    "mdav, r": policy(rare(2, "2.5"), name="mdav"),
    "mdav, distinct": policy(K, diverse(6), name="mdav"),
}


def has_release(table: pa.Table, asked: Policy) -> bool:
    try:
        return all(verdict.holds for verdict in anonymize_in_memory(table, asked).verdicts)
    except ShoalError:
        return False


def some_values(one: Relaxation, then: Any) -> list[Any]:
    """All of a short grid; of a long one some, and those around the value that was found."""
    places = set(range(0, len(one.values), 1 + len(one.values) // 12)) | {len(one.values) - 1}
    if then is not None:
        at = list(one.values).index(then)
        places |= {place for place in (at - 1, at, at + 1) if 0 <= place < len(one.values)}
    return [one.values[place] for place in sorted(places)]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_the_smallest_change_is_the_first_value_that_works(name: str, seed: int) -> None:
    table, asked = drawn(seed), CASES[name]
    assert not has_release(table, asked)
    found = diagnose(table, asked, seconds=LONG)
    offered = {(one.parameter, one.place): one for one in found.changes}
    short = {(one.parameter, one.place): one for one in found.shortfalls}
    for one in relaxations(asked, table.num_rows):
        at = (one.parameter, one.place)
        told = offered[at].then if at in offered else short[at].reachable if at in short else None
        values = some_values(one, told)
        works = [has_release(table, one.applied(asked, value)) for value in values]
        assert works == sorted(works)  # whoever asks for less is served, too
        first = next((value for value, does in zip(values, works, strict=True) if does), None)
        if one.place is not None and first is not None:
            assert (short[at].asked, short[at].reachable) == (one.now, first)
        if first is None or one.is_hollow(first):
            assert at not in offered
        else:
            assert (offered[at].now, offered[at].then, offered[at].smallest) == (one.now, first, True)
            assert has_release(table, offered[at].policy)
    assert found.changes
    assert [one.costs for one in found.changes] == sorted(one.costs for one in found.changes)


def test_a_policy_that_has_a_release_needs_no_change() -> None:
    assert diagnose(drawn(1), policy(K, name="mondrian"), seconds=LONG) == smallest_change.Diagnosis()


def test_another_method_comes_first_if_it_can_keep_all() -> None:
    asked = {"kind": "ke-anonymity", "k": 3, "e": 50, "sensitive": "debt"}
    swapped = policy(asked, columns=PERMUTED, name="rank-swap", options={"p": 1.0})
    first = diagnose(drawn(1), swapped, seconds=LONG).changes[0]
    assert (first.parameter, first.now, first.then, first.costs) == ("method", "rank-swap", "auto", 0.0)
    assert first.written == ('name = "auto" in [method]', "options = {} in [method]")
    assert first.policy.guarantees == swapped.guarantees
    assert has_release(drawn(1), first.policy)


def test_a_method_that_leaves_records_out_is_offered_where_one_cannot() -> None:
    ages, ills = [1] * 6 + [2] * 2, ["flu", "cold"] * 3 + ["flu", "flu"]
    table = pa.table({"age": ages, "zip": [0] * 8, "ill": ills, "debt": [1] * 8})
    asked = policy(K, diverse(2, variant="entropy"), name="mondrian", suppression=0.25)
    first = diagnose(table, asked, seconds=LONG).changes[0]
    assert (first.parameter, first.then) == ("method", "optimal")
    assert has_release(table, first.policy)


def test_missing_cells_need_suppression_as_large_as_their_share() -> None:
    ages = [None, 1, 2, 3, 4, 5, 6, 7, 8, 9, None]
    table = pa.table({"age": ages, "zip": [0] * 11, "ill": ["flu"] * 11, "debt": [1] * 11})
    asked = policy(K, name="mondrian", suppression=0.1)
    asked = asked.model_copy(update={"missing": {"age": "suppress"}})
    (change,) = diagnose(table, asked, seconds=LONG).changes
    assert change.sentence == "let up to 19 % instead of 10 % of the records be left out"
    assert change.written == ("suppression = 0.19 in [method]",)


def test_what_promises_nothing_is_told_and_not_offered() -> None:
    table = pa.table({"age": [1, 2, 3], "zip": [1, 1, 1], "ill": ["flu"] * 3, "debt": [2, 1, 1]})
    found = diagnose(table, policy(K, diverse(3), name="mondrian"), seconds=LONG)
    assert found.changes == ()
    assert found.shortfalls[0].sentence == (
        "guarantee 2 (l-diversity): asked for 3 different values of ill, 1 can be reached"
    )


def test_guarantees_that_fail_together_are_changed_together() -> None:
    table = drawn(3)
    different = len(set(table["ill"].to_pylist()))
    asked = policy({"kind": "k-anonymity", "k": 30}, diverse(7), name="mondrian")
    found = diagnose(table, asked, seconds=LONG)
    (change,) = found.changes
    assert {(one.place, one.reachable) for one in found.shortfalls} == {(1, 14), (2, different)}
    assert change.written == (
        f"l = {different} in [[guarantees]] number 2",
        "k = 14 in [[guarantees]] number 1",
    )
    assert [one.parameter for one in change.besides] == ["k"]
    assert has_release(table, change.policy)


def test_only_a_k_above_the_number_of_records_is_looked_into_beside_what_is_infeasible() -> None:
    asked = policy({"kind": "k-anonymity", "k": 20}, name="mondrian")
    with pytest.raises(ShoalError) as refused:
        anonymize_in_memory(drawn(1), asked)
    assert refused.value.exit_code == 2
    (change,) = diagnose(drawn(1), asked, refused.value, LONG).changes
    assert (change.parameter, change.then) == ("k", 14)
    assert diagnose(drawn(1), asked, ShoalError("the table is upside down")).changes == ()


def test_the_time_is_kept_and_what_was_found_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, clock, tried = policy(K, diverse(100), name="mondrian"), [0.0], []

    def slow(table: Table, changed: Policy) -> bool:
        if len(table) == 14 and changed.method.suppression == 0:
            clock[0] += 1.0
            tried.append(changed)
        return changed.guarantees[1].l <= 4

    monkeypatch.setattr(smallest_change, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(smallest_change, "_works", slow)
    assert diagnose(drawn(1), asked, Infeasible("no"), seconds=0).changes == ()
    assert tried == []
    (shortfall,) = diagnose(drawn(1), asked, Infeasible("no"), seconds=2).shortfalls
    assert len(tried) == 2
    assert "or better can be reached" in shortfall.sentence
    (change,) = diagnose(drawn(1), asked, Infeasible("no"), seconds=60).changes
    assert (change.then, change.smallest) == (4, True)


def test_no_figure_is_hidden_from_json() -> None:
    asked = policy({"kind": "alpha-k-anonymity", "alpha": "0.2", "k": 2}, name="optimal")
    told = diagnose(drawn(1), asked, seconds=LONG).as_dict()
    shortfall = told["shortfalls"][0]
    assert [shortfall[name] for name in ("place", "parameter", "asked")] == [1, "alpha", 0.2]
    assert isinstance(told["changes"][0]["then"], float)


def test_values_are_read_easily_and_ask_for_less_and_less() -> None:
    both = policy(K, diverse(3, variant="npd-recursive", c=4.0, c2=5.0), rare(3, "0.5"), suppression=0.02)
    for one in [*relaxations(both, 50), *relaxations(policy({**KF, "within": "0.05"}), 50)]:
        numbers = [Decimal(str(value)) for value in (one.now, *one.values)]
        assert numbers in (sorted(set(numbers)), sorted(set(numbers), reverse=True)), one.parameter
        assert all(len(f"{number.normalize():e}".split("e")[0]) <= len("1.5") for number in numbers)
        costs = [one.costs(value) for value in one.values]
        assert costs == sorted(costs)
        assert all(0 < cost <= 1 for cost in costs)
    assert len(two_digits(-2, 1)) == 3 * 90


def test_others_may_count_as_unknown_where_each_column_alone_is_diverse() -> None:
    table = pa.table({"age": [1] * 6, "ill": ["a", "b", "c"] * 2, "debt": list(range(6))})
    roles = {"age": "quasi", "ill": "sensitive", "debt": "sensitive"}
    joined = [diverse(3, alone=False), diverse(3, sensitive="debt", alone=False)]
    asked = policy(K, *joined, columns=roles, name="mondrian")
    found = diagnose(table, asked, seconds=LONG)
    assert "3 different values of ill (seen by someone who knows debt)" in found.shortfalls[0].sentence
    first = found.changes[0]
    assert (first.parameter, first.now, first.then) == ("alone", False, True)
    assert first.written == tuple(f"alone = true in [[guarantees]] number {place}" for place in (2, 3))
    assert has_release(table, first.policy)
    assert not has_release(table, asked)


def test_what_a_search_gave_up_is_not_called_the_smallest_change(monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(_table: pa.Table, changed: Policy) -> bool:
        if changed.guarantees[1].l > 4:
            raise NotFound("not all of them were tried")
        return True

    monkeypatch.setattr(smallest_change, "_works", given_up)
    asked = policy(K, diverse(100), name="mondrian")
    found = diagnose(drawn(1), asked, Infeasible("no"), seconds=60)
    (change,) = [one for one in found.changes if one.parameter == "l"]
    assert (change.then, change.smallest) == (4, False)
    (shortfall,) = [one for one in found.shortfalls if one.parameter == "l"]
    assert "or better can be reached" in shortfall.sentence
