"""Every parameter by which a policy can ask for less: the values it could have, the nearest first, and words.

Counts go down by one, shares of classes up in steps of 0.01, everything else in numbers of two significant
digits. Of each parameter a later value asks for less than an earlier one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor
from typing import Any

from shoal.comparison.vary import policy_with_parameters
from shoal.policy.model.guarantee import (
    ON_SENSITIVE,
    Guarantee,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
)
from shoal.policy.model.policy import Policy

PARAMETERS = ("k", "l", "p", "c", "c2", "t", "alpha", "e", "gap", "q", "r", "within")
OF_ONE = ("suppression", "t", "alpha", "within")  # they run from 0 to 1
HOLLOW = {"l-diversity": ("l", 1), "p-sensitivity": ("p", 1), "t-closeness": ("t", 1)}
DECADES = 4  # by which a parameter is lowered before it is given up
SMALLEST_SHARE = -4  # of records to leave out, as a power of ten
ALMOST_ALL = Decimal("0.99")


@dataclass(frozen=True)
class Relaxation:
    """A parameter, its values from the nearest to the loosest, and the words around its value."""

    parameter: str
    place: int | None  # number of the guarantee; none for the method
    kind: str  # of the guarantee
    now: Any
    values: Sequence[Any]
    words: tuple[str, str]

    def applied(self, policy: Policy, then: Any) -> Policy:
        """The policy with this value, checked as a whole."""
        if self.place is None:
            return policy_with_parameters(policy, {self.parameter: then})
        guarantees = [asked.model_dump() for asked in policy.guarantees]
        guarantees[self.place - 1][self.parameter] = then
        whole = {name: getattr(policy, name) for name in Policy.model_fields}
        return Policy(**whole | {"guarantees": guarantees})

    def costs(self, then: Any) -> float:
        """The share of its range by which it is relaxed.

        >>> Relaxation("k", 1, "k-anonymity", 5, range(4, 1, -1), ("", " records")).costs(4)
        0.2
        """
        before, after = float(self.now), float(then)
        if self.parameter in OF_ONE:
            return after - before
        return 1 - before / after if self.parameter == "c" else (before - after) / before

    def is_hollow(self, then: Any) -> bool:
        """Would the guarantee promise nothing any more?"""
        return HOLLOW.get(self.kind) == (self.parameter, then)

    def sentence(self, then: Any) -> str:
        if self.parameter == "suppression":
            before = f" instead of {_percent(self.now)}" if self.now else ""
            return f"let up to {_percent(then)}{before} of the records be left out"
        return f"ask for {self._around(f'{plain_number(then)} instead of {plain_number(self.now)}')}"

    def shortfall(self, then: Any, at_least: bool) -> str:
        """How far off it is; ``at_least`` says that not everything was tried, and more may be reached."""
        reached = f"{plain_number(then)} or better" if at_least else plain_number(then)
        return (
            f"guarantee {self.place} ({self.kind}): asked for {self._around(plain_number(self.now))}, "
            f"{reached} can be reached"
        )

    def _around(self, number: str) -> str:
        before, after = self.words
        return f"{before}{number}{after}"


def relaxations(policy: Policy, rows: int) -> list[Relaxation]:
    """What a policy could ask less of, those first that fail most often: records to leave out, then what is
    asked of sensitive values, then the size of classes."""
    above = [float(share) for share in two_digits(SMALLEST_SHARE, 0) if share <= ALMOST_ALL]
    now = policy.method.suppression
    shares = [share for share in above if share > now]
    places = sorted(enumerate(policy.guarantees, 1), key=lambda pair: not isinstance(pair[1], ON_SENSITIVE))
    found = [Relaxation("suppression", None, "", now, shares, ("", ""))]
    for place, asked in places:
        names = [name for name in PARAMETERS if getattr(asked, name, None) is not None]
        found += [
            Relaxation(name, place, asked.kind, _now(asked, name), _values(asked, name, rows), words)
            for name in names
            for words in [_words(asked, name, policy)]
        ]
    return [one for one in found if one.values]


def two_digits(first: int, last: int) -> list[Decimal]:
    """Every number of two significant digits from 10 ** first to below 10 ** last.

    >>> [plain_number(number) for number in two_digits(-1, 1)[88:92]]
    ['0.98', '0.99', '1', '1.1']
    """
    return [Decimal(digits).scaleb(power - 1) for power in range(first, last) for digits in range(10, 100)]


def plain_number(value: Any) -> str:
    """A number as a policy file has it.

    >>> plain_number(5.0), plain_number(Decimal("120")), plain_number(0.03)
    ('5', '120', '0.03')
    """
    return f"{Decimal(str(value)).normalize():f}"


def _percent(share: float) -> str:
    return f"{plain_number(Decimal(str(share)) * 100)} %"


def _now(asked: Guarantee, name: str) -> Any:
    now = getattr(asked, name)
    return int(now) if name == "l" and now == int(now) else now


def _values(asked: Guarantee, name: str, rows: int) -> Sequence[Any]:
    now = Decimal(str(getattr(asked, name)))
    match name:
        case "k" | "p":
            return range(min(int(now) - 1, rows), 1 if name == "k" else 0, -1)
        case "l":
            return _values_of_l(asked, rows)
        case "t" | "alpha":
            return [Decimal(cents) / 100 for cents in range(floor(now * 100) + 1, 101)]
        case "c":
            highest = max(now.adjusted(), Decimal(rows).adjusted()) + 1
            return [float(c) for c in two_digits(now.adjusted(), highest + 1) if c > now]
        case "within":
            most = Decimal("0.5") if getattr(asked, "band", "") == "any" else ALMOST_ALL
            return [share for share in two_digits(now.adjusted(), 0) if now < share <= most]
    below = [] if not now else two_digits(now.adjusted() - DECADES, now.adjusted() + 1)[::-1]
    lower = [number for number in below if number < now]
    if name == "c2":
        return [float(number) for number in lower]
    return [*lower, Decimal(0)] if name in ("e", "r") and now else lower


def _values_of_l(asked: Guarantee, rows: int) -> Sequence[Any]:
    """Real for entropy; with c, a class whose every value may be one and the same makes no sense."""
    assert isinstance(asked, LDiversity)  # noqa: S101 - no other guarantee has an l
    if asked.variant == "entropy":
        return [tenths / 10 for tenths in range(ceil(min(asked.l, rows + 1) * 10) - 1, 9, -1)]
    return range(min(int(asked.l) - 1, rows), 0 if asked.variant == "distinct" else 1, -1)


def _words(asked: Guarantee, name: str, policy: Policy) -> tuple[str, str]:
    """What stands before and after the value, when it is asked for."""
    about = ", ".join(getattr(asked, "columns", ()))
    match name:
        case "k":
            return "", _counted_things(asked)
        case "l":
            assert isinstance(asked, LDiversity)  # noqa: S101 - no other guarantee has an l
            known = policy.known_beside(asked, asked.columns[0])
            about = asked.about([column for column in known if column not in asked.columns])
            if asked.variant == "distinct":
                return "", f" different values of {about}"
            return "l = ", f" in the {asked.variant} diversity of {about}"
        case "p" if isinstance(asked, KpqrAnonymity):
            return "", f" different values of {about} where a rare one occurs"
        case "p":
            return "", " different values of every sensitive column"
    return {
        "c": ("c = ", f" in the diversity of {about}"),
        "c2": ("", f" % of a class for every protected value of {about}"),
        "t": ("a distance of at most ", f" between a class and the whole table in {about}"),
        "alpha": ("a share of at most ", " for a sensitive value in a class"),
        "e": ("a span of at least ", f" for the values of {about} in a group"),
        "gap": ("a gap of at least ", f" between the values of {about} in a group"),
        "q": ("values to count as rare below a share of ", f" of all records in {about}"),
        "r": ("", f" of the whole table's variance where a rare value of {about} occurs"),
        "within": ("protection from someone who knows the aggregate to within ", ""),
    }[name]


def _counted_things(asked: Guarantee) -> str:
    if isinstance(asked, KeAnonymity):
        return f" different values of {asked.sensitive} in a group"
    return " records that fit" if isinstance(asked, KfAnonymity) else " records that share their quasi values"
