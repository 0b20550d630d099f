"""How to make the same release again, without the page: as commands, and as a Python program.

Names of files may hold anything, so every one is quoted for its language.
"""

import shlex
from collections.abc import Iterable
from os import PathLike, fspath

Name = str | PathLike[str]


def rerun_command(
    data: Name,
    policy_file: Name,
    out: Name,
    format: str = "csv",
    audit: Name | None = None,
    report: Name | None = "report.html",
) -> str:
    """Commands for a shell: run, verify, report; one stops those after it when it fails.

    >>> print(rerun_command("my pay.csv", "policy.toml", "-out", report=None))
    shoal run 'my pay.csv' policy.toml -o ./-out --format csv &&
    shoal verify ./-out --against 'my pay.csv'
    """
    table, folder = _argument(data), _argument(out)
    link = [] if audit is None else ["--audit", _argument(audit)]
    commands = [
        ["shoal", "run", table, _argument(policy_file), "-o", folder, "--format", format, *link],
        ["shoal", "verify", folder, "--against", table, *link],
    ]
    if report is not None:
        commands.append(["shoal", "report", folder, "--against", table, *link, "-o", _argument(report)])
    return " &&\n".join(map(shell_command, commands))


def rerun_program(
    data: Name, policy_file: Name, out: Name, format: str = "csv", audit: Name | None = None
) -> str:
    """A program that makes and verifies the release.

    >>> print(rerun_program("pay.csv", "policy.toml", "out"))
    import shoal
    <BLANKLINE>
    release = shoal.anonymize('pay.csv', 'policy.toml')
    # What is there already stays: the second time, write to another folder, or add force=True.
    release.write('out', format='csv')
    for verdict in shoal.open_release('out').verify(against='pay.csv'):
        print(verdict.kind, "holds:" if verdict.holds else "FAILS:", verdict.sentence)
    """
    table, policy, folder = (repr(fspath(name)) for name in (data, policy_file, out))
    link = "" if audit is None else f", audit={fspath(audit)!r}"
    files = "folder" if audit is None else "folder and another link"
    return "\n".join(
        [
            "import shoal",
            "",
            f"release = shoal.anonymize({table}, {policy})",
            f"# What is there already stays: the second time, write to another {files}, or add force=True.",
            f"release.write({folder}, format={format!r}{link})",
            f"for verdict in shoal.open_release({folder}).verify(against={table}{link}):",
            '    print(verdict.kind, "holds:" if verdict.holds else "FAILS:", verdict.sentence)',
        ]
    )


def shell_command(words: Iterable[str]) -> str:
    r"""A command to copy: what would steer the terminal that it is pasted into is spelled in plain letters.

    >>> print(shell_command(["shoal", "init", "my pay.csv"]), shell_command(["\x1b[2J"]))
    shoal init 'my pay.csv' $'\x1b[2J'
    """
    return " ".join(shlex.quote(word) if word.isprintable() else _spelled(word) for word in words)


def _spelled(word: str) -> str:
    """A word as Bash and Zsh read it, byte by byte."""
    letters = word.encode("utf-8", "surrogateescape")
    plain = (chr(one) if 0x20 <= one < 0x7F and chr(one) not in "'\\" else f"\\x{one:02x}" for one in letters)
    return f"$'{''.join(plain)}'"


def _argument(name: Name) -> str:
    """A name that no command takes for an option."""
    text = fspath(name)
    return f"./{text}" if text.startswith("-") else text
