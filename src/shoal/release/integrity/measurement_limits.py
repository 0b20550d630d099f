"""What a check of published files does not measure, in the words of the command: not measured is not safe."""

LEAKS = "leaks: not measured (needs the original{and_link})"
INSIDE = "{leaks}, but for columns of numbers that lie inside published ranges"
ATTACKERS = (
    "attackers: not measured (needs the original; shoal attack or shoal report --against simulates them)"
)


def check_measurement_limits() -> tuple[str, ...]:
    """What no table tells without its original.

    >>> check_measurement_limits()[0]
    'leaks: not measured (needs the original), but for columns of numbers that lie inside published ranges'
    """
    return INSIDE.format(leaks=LEAKS.format(and_link="")), ATTACKERS


def verify_measurement_limits(leaks: bool) -> tuple[str, ...]:
    """The same of a release; ``leaks`` were measured where original and link were at hand.

    >>> verify_measurement_limits(leaks=False)[0]
    "leaks: not measured (needs the original and the owner's link)"
    """
    told = () if leaks else (LEAKS.format(and_link=" and the owner's link"),)
    return *told, ATTACKERS
