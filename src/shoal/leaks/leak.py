"""A column, or a few together, from which hidden cells of a protected one can be told; how many, in words."""

from dataclasses import dataclass

from shoal.errors import Fault
from shoal.policy.model.policy import Policy
from shoal.policy.toml import toml_text

NOTE_PREFIX = "leak: "  # how its note in a manifest begins
ACCEPTED = " (accepted by the policy)"


@dataclass(frozen=True)
class Leak:
    """``filled`` of the ``hidden`` cells looked at can be told, ``guessed`` of them by the class alone. Where
    ``nearer`` is given, cells are told nearly: a guess is off by this share of what it is by the class alone.
    ``fills``: it takes most of the protection away, and is a fault."""

    columns: tuple[str, ...]
    protected: str
    fills: bool
    filled: int
    guessed: int
    hidden: int
    nearer: float | None = None
    follows: bool = False  # it grows or falls with what is protected, step by step
    arithmetic: str | None = None  # of two columns, by which they tell it: their sum, or their difference
    correlation: float | None = None  # of ranks inside the groups of a permuted release
    mixes: tuple[str, ...] = ()  # the protected columns that it is a result of
    result: str = "weighted sum"  # of these, or what else it is of them
    of_all: int | None = None  # hidden cells, where those looked at are the ones whose other rows agree
    splits: int | None = (
        None  # it follows from what is known: ``filled`` people have fewer than so many records
    )
    some: bool = False  # a sample of the rows was looked at

    @property
    def sentence(self) -> str:
        """What the columns do, with counts and without a cell."""
        together = " together" if len(self.columns) > 1 else ""
        if self.arithmetic:
            together = f" by their {self.arithmetic}"
        verb = "are" if together else "is"
        shown = f"{_named(self.columns)} {verb} published as {'they are' if together else 'it is'}"
        if self.follows:
            grows = f"{together} grow or fall" if together else " grows or falls"
            return f"{shown} and{grows} with {self.protected!r}, step by step: that tells where it lies"
        if self.splits is not None:
            looked_at = " that were looked at" if self.some else ""
            return (
                f"{shown} and follows from {self.protected!r}: whoever knows that finds fewer than "
                f"{self.splits} records of the class for {self.filled:,} of {self.hidden:,} people{looked_at}"
            )
        if self.mixes:
            return (
                f"{shown} and is a {self.result} of {_named(self.mixes)} in {self._counted}: an equation "
                "about each record, which the ranges do not tell"
            )
        if self.correlation is not None:
            return (
                f"inside the groups {_named(self.columns)} goes with the permuted {self.protected!r} (rank "
                f"correlation {self.correlation:.2f}): whoever sorts both by size guesses well; leave it "
                "out, or permute it too"
            )
        if self.nearer is not None:
            share = f"{100 * self.nearer:.2g} %"
            return (
                f"{shown} and{together} {'bring' if together else 'brings'} guesses of {self.protected!r} "
                f"nearer than the classes do: off by {share} of what they are by the class alone, in "
                f"{self.hidden:,} hidden cells"
            )
        if self.of_all is not None:
            return (
                f"{shown} and, where nearly all others with the same value agree, fills {self._counted} (of "
                f"{self.of_all:,} in all): they are as good as published; the classes alone let one guess "
                f"{self.guessed:,} of them"
            )
        verb = "fill" if together else "fills"
        return (
            f"{shown} and{together} {verb} {self._counted}; "
            f"the classes alone let one guess {self.guessed:,} of them"
        )

    @property
    def _counted(self) -> str:
        the, looked_at = ("the ", " that were looked at") if self.some else ("", "")
        return f"{self.filled:,} of {the}{self.hidden:,} hidden cells of {self.protected!r}{looked_at}"

    def fault(self, policy: Policy) -> Fault:
        """The leak as a reason to refuse the release, and what to do."""
        columns = ", ".join(toml_text(name) for name in self.columns)
        return Fault(
            self.sentence,
            f"{other_roles(policy, self.columns[0])}, or publish it all the same: "
            f"accept = [{columns}] in [leaks].",
        )

    @property
    def public(self) -> str:
        """A sentence that the columns tell something, without how much."""
        if self.correlation is not None:
            return (
                f"inside the groups {_named(self.columns)} goes with the permuted {self.protected!r} by rank"
            )
        if self.splits is not None:
            column = _named(self.columns)
            return f"{column} is published as it is, follows from {self.protected!r}, and splits classes"
        verb = (
            "are published as they are and tell"
            if len(self.columns) > 1
            else "is published as it is and tells"
        )
        return f"{_named(self.columns)} {verb} something of the hidden cells of {self.protected!r}"

    def note(self, accepted: bool) -> str:
        """The leak as something to be said of a release to everybody."""
        return NOTE_PREFIX + self.public + (ACCEPTED if accepted else "")

    def counted(self, accepted: bool) -> str:
        """The leak as it is told to the owner, with counts."""
        return self.sentence + (ACCEPTED if accepted else "")


def other_roles(policy: Policy, name: str) -> str:
    """What else a column could be."""
    protect = '"sensitive" (permuted too)' if policy.permutes else '"quasi" (protected)'
    return f'give {name!r} the role "drop" (left out) or {protect}'


def _named(columns: tuple[str, ...]) -> str:
    word = "column" if len(columns) == 1 else "columns"
    return f"{word} {' and '.join(map(repr, columns))}"
