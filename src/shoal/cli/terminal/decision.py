"""How the command tells a decision: the same words after a run and in a report."""

from shoal.cli.terminal.output import BOLD, GREEN, RED, paint, say
from shoal.decision.decision import Decision
from shoal.decision.sentence import Level

COLOURS: dict[Level, str] = {"safe": GREEN, "exposed": RED}


def say_decision(decision: Decision) -> None:
    """Print a decision: its level and headline, then its reasons and answers."""
    headline, *lines = decision.lines()
    say(f"{paint(decision.level, COLOURS.get(decision.level, BOLD))}  {headline}")
    for line in lines:
        say(f"       {line}")
