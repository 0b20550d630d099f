"""What a query may name: the columns of the released table, and which of them were permuted."""

from dataclasses import dataclass

from shoal.errors import ShoalError, nearest, refuse_faults
from shoal.policy.model.policy import GROUP as GROUP
from shoal.policy.model.sql_names import sql_name_faults

TABLE = "data"
GROUPS = "groups"
COUNTED = "counted"
HELP = "help"
MAPPING = "mapping"
SECONDS = 60.0  # that a question may take


@dataclass(frozen=True)
class Schema:
    """The columns of the table ``data``; the sensitive ones hold the right values in the wrong rows.

    Of the sensitive columns, ``dates`` hold dates, and ``words`` neither numbers nor dates, or empty cells:
    by these records can be counted, no more. Those known to be ``whole`` hold whole numbers or dates. Of the
    ``counted`` ones a table of this name has every value of a group once.

    >>> Schema(("age", "salary", "shoal_group"), sensitive=("salary",)).resolve("AGE")
    'age'
    """

    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    dates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (GROUP, *self.sensitive):
            if name not in self.columns:
                raise ShoalError(
                    f"column {name!r} is not in the table", nearest(name, self.columns, "the table")
                )
        if not self.sensitive:
            raise ShoalError("no column is permuted", "name the sensitive columns of the release.")
        refuse_faults(sql_name_faults(self.columns))

    @property
    def listed(self) -> tuple[str, ...]:
        """The sensitive columns whose values add up, or lie in order."""
        return tuple(name for name in self.sensitive if name not in self.words)

    def find(self, name: str) -> str | None:
        """The column of this name; in capitals or not, as in SQL, where that leaves only one."""
        if name in self.columns:
            return name
        alike = [column for column in self.columns if column.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def resolve(self, name: str) -> str:
        if column := self.find(name):
            return column
        raise ShoalError(
            f"column {name!r} is not in the release",
            f"{nearest(name, self.columns, 'the release')} Words take single quotes: '{name}'.",
        )
