"""The ``shoal`` command: one function per sub-command, each a thin door to the library."""

import gc
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.terminal.output import complain, say_error
from shoal.cli.terminal.reading_options import reading_of, source_of
from shoal.cli.terminal.show_values import show_values_in
from shoal.cli.terminal.standard_output import OutputLost, give_up_output, watch_output
from shoal.errors import ShoalError, without_values
from shoal.startup import exit_at_once, hide_pandas, start_kernels
from shoal.version import __version__

STOPPED = 130  # how a shell counts a command that was stopped by hand

app = typer.Typer(
    name="shoal",
    help="Publish a table about people without giving anyone away.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback could show cells
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[
    str,
    typer.Argument(
        help="Table: .csv .parquet .xlsx .feather .sqlite .duckdb ..., a folder, postgresql://..."
    ),
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Which sheet of a workbook the table is.")]
TableName = Annotated[str | None, typer.Option("--table", help="Which table of a database.")]
Query = Annotated[str | None, typer.Option("--query", help="Or what this SELECT gives of a database.")]
PolicyFile = Annotated[Path, typer.Argument(help="Policy file (TOML); `shoal init` drafts one")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
ShowValues = Annotated[
    Path | None,
    typer.Option("--show-values", help="Write the cells that are at fault to this private file."),
]
Audit = Annotated[Path | None, typer.Option("--audit", help="Write your private link to this file.")]
SecretFrom = Annotated[
    Path | None, typer.Option("--secret-from", help="Make the choices of an earlier run: its audit file.")
]
Seed = Annotated[int | None, typer.Option("--seed", help="Repeatable and UNSAFE: for tests only.")]
Where = Annotated[
    str, typer.Option("--engine", help="memory, disk or spark; by default what the table needs.")
]
Memory = Annotated[
    str | None, typer.Option("--memory", help="How much to use, such as 2GB; the rest goes to disk.")
]
Temp = Annotated[Path | None, typer.Option("--temp", help="Folder for temporary files.")]
Master = Annotated[str | None, typer.Option("--master", help="Where Spark runs, such as spark://host:7077.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="The first row of a CSV file is names, or is not.")
]
Names = Annotated[str | None, typer.Option("--names", help="It is not; the columns are called age,pay.")]
Multiline = Annotated[
    str | None, typer.Option("--multiline", help="Columns with text over several lines, as remark,notes.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
Sign = Annotated[Path | None, typer.Option("--sign", help="Sign with this private Ed25519 key of OpenSSH.")]
OwnersPolicy = Annotated[
    Path | None,
    typer.Option("--policy", help="Which it was made by: what lies under its labels, with --against."),
]
PublicKeyFile = Annotated[
    Path | None, typer.Option("--key", help="The owner's public key: the release must be signed with it.")
]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish a table about people without giving anyone away."""


@app.command()
def demo(
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Keep table, policy and release here.")
    ] = None,
    json: Json = False,
) -> None:
    """The whole story on a generated tax table, in a minute."""
    from shoal.cli.demo import run_demo

    run_demo(out, json)


@app.command()
def profile(
    data: Data,
    header: Header = None,
    names: Names = None,
    multiline: Multiline = None,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    json: Json = False,
) -> None:
    """What the columns are like, and which roles they may have."""
    from shoal.cli.profile import run_profile

    run_profile(source_of(data, sheet, table, query), reading_of(header, names, multiline), json)


@app.command()
def init(
    data: Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the draft.")] = Path("policy.toml"),
    hierarchies: Annotated[
        Path | None, typer.Option("--hierarchies", help="Folder of hierarchy files named after columns.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Guarantees of public, ema-0070, hipaa-like or wp29.")
    ] = None,
    header: Header = None,
    names: Names = None,
    multiline: Multiline = None,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a commented draft policy for a table."""
    from shoal.cli.init import run_init

    source = source_of(data, sheet, table, query)
    run_init(source, out, hierarchies, preset, reading_of(header, names, multiline), force, json)


@app.command()
def run(
    data: Data,
    policy: PolicyFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the release.")],
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    format: Annotated[str, typer.Option("--format", help="csv or parquet.")] = "csv",
    audit: Audit = None,
    save_recoding: Annotated[
        Path | None, typer.Option("--save-recoding", help="Keep what was found for `shoal apply`; private.")
    ] = None,
    sign: Sign = None,
    secret_from: SecretFrom = None,
    seed: Seed = None,
    nodes: Annotated[
        bool, typer.Option("--nodes", help="List every generalization that the search found.")
    ] = False,
    engine: Where = "auto",
    memory: Memory = None,
    temp: Temp = None,
    master: Master = None,
    show_values: ShowValues = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Anonymize, verify what was written, keep it only if all holds."""
    start_kernels()
    from shoal.cli.run import run_run
    from shoal.release.engine_choice import engine_for

    with show_values_in(show_values):
        meant = source_of(data, sheet, table, query)
        chosen = engine_for(meant, engine, memory)
        run_run(meant, policy, out, format, audit, save_recoding, sign, secret_from, seed, nodes, force, json,
                chosen, memory, temp, master)  # fmt: skip


@app.command()
def apply(
    recoding: Annotated[Path, typer.Argument(help="File that `shoal run --save-recoding` wrote")],
    data: Data,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the release.")],
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    format: Annotated[str, typer.Option("--format", help="csv or parquet.")] = "csv",
    suppression: Annotated[
        float | None,
        typer.Option("--suppression", help="Share of records that may be left out, not the policy's."),
    ] = None,
    audit: Audit = None,
    sign: Sign = None,
    secret_from: SecretFrom = None,
    seed: Seed = None,
    show_values: ShowValues = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Apply a saved recoding to new rows of the same columns, and verify them like any release."""
    start_kernels()
    from shoal.cli.apply import run_apply

    with show_values_in(show_values):
        source = source_of(data, sheet, table, query)
        run_apply(recoding, source, out, format, suppression, audit, sign, secret_from, seed, force, json)


@app.command()
def check(
    data: Data,
    policy: PolicyFile,
    measures: Annotated[
        bool, typer.Option("--measures", help="Also every figure that could be promised: k, l, c, alpha, t.")
    ] = False,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    show_values: ShowValues = None,
    json: Json = False,
) -> None:
    """Does this table, from any tool, keep the policy's promises?"""
    from shoal.cli.check import run_check

    with show_values_in(show_values):
        run_check(source_of(data, sheet, table, query), policy, measures, json)


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(help="Folder of a release")],
    against: Annotated[
        str | None, typer.Option("--against", help="The original table: also check truth.")
    ] = None,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    audit: Annotated[Path | None, typer.Option("--audit", help="The owner's link, with --against.")] = None,
    population: Annotated[
        Path | None, typer.Option("--population", help="What an attacker knows of everybody, with --audit.")
    ] = None,
    recoding: Annotated[
        Path | None, typer.Option("--recoding", help="Of a release by `shoal apply`, with --against.")
    ] = None,
    policy: OwnersPolicy = None,
    key: PublicKeyFile = None,
    engine: Where = "auto",
    memory: Memory = None,
    temp: Temp = None,
    json: Json = False,
) -> None:
    """Check a release again, from its files alone."""
    from shoal.cli.verify import run_verify

    original = None if against is None else source_of(against, sheet, table, query)
    run_verify(release, original, audit, population, recoding, key, json, engine, memory, temp, policy)


@app.command()
def query(
    release: Annotated[Path, typer.Argument(help="Folder of a release")],
    sql: Annotated[
        str | None, typer.Argument(help="A SELECT of aggregates over the table data; none: a conversation")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.001, help="Give a question up after so many; else 60.")
    ] = None,
    key: PublicKeyFile = None,
    json: Json = False,
) -> None:
    """Ask a release with SQL; every answer has a lower and an upper bound."""
    from shoal.cli.query import run_query

    run_query(release, sql, json, key, seconds)


@app.command()
def publish(
    release: Annotated[Path, typer.Argument(help="Folder of a release")],
    url: Annotated[str, typer.Argument(help="postgresql://user:password@host:port/database")],
    schema: Annotated[
        str, typer.Option("--schema", help="Schema for the tables; made if missing.")
    ] = "shoal",
    key: PublicKeyFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Load a release into PostgreSQL, whole or not at all."""
    from shoal.cli.publish import run_publish

    run_publish(release, url, schema, force, json, key)


@app.command()
def export(
    release: Annotated[Path, typer.Argument(help="Folder of a release")],
    out: Annotated[Path, typer.Option("-o", "--out", help="File: .csv .parquet .sav .dta or .xlsx.")],
    ends: Annotated[
        bool, typer.Option("--ends", help="Also columns x_lo and x_hi beside each that holds ranges.")
    ] = False,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Study file whose labels go into .sav or .dta.")
    ] = None,
    like: Annotated[
        Path | None, typer.Option("--like", help="Delimiter, decimal mark, encoding of this CSV file.")
    ] = None,
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="Of CSV: , ; | or tab.")] = None,
    decimal: Annotated[str | None, typer.Option("--decimal", help="Decimal mark of CSV: . or ,")] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Of CSV, as cp1252; else utf-8.")] = None,
    never_escape: Annotated[
        bool, typer.Option("--never-escape", help="Words as they are, also where a spreadsheet runs them.")
    ] = False,
    key: PublicKeyFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a release as one file for another program: CSV, Parquet, SPSS, Stata or Excel."""
    from shoal.cli.export import run_export
    from shoal.release.export.export_form import ExportForm, form_like

    form = ExportForm(ends=ends, labels=labels, escape=not never_escape)
    form = form if like is None else form_like(like, form)
    run_export(release, out, form.spelled(delimiter, decimal, encoding), key, force, json)


@app.command()
def attack(
    data: Data,
    release: Annotated[Path | None, typer.Argument(help="Folder of a release of this table")] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="Attack the table itself, under this policy; with a release, its own."),
    ] = None,
    others: Annotated[
        list[Path] | None, typer.Option("--with", help="A further release of the same people; repeatable.")
    ] = None,
    audit: Annotated[Path | None, typer.Option("--audit", help="The owner's link of the release.")] = None,
    other_audits: Annotated[
        list[Path] | None,
        typer.Option("--with-audit", help="The owner's link of a further release, in their order."),
    ] = None,
    attacks: Annotated[
        str | None, typer.Option("--attacks", help="Only these, as linkage,aggregate.")
    ] = None,
    besides: Annotated[
        int, typer.Option("--besides", min=0, max=5, help="Attributes that attackers know besides.")
    ] = 1,
    per_record: Annotated[
        Path | None, typer.Option("--per-record", help="Write every person's candidates to a private file.")
    ] = None,
    population: Annotated[
        Path | None, typer.Option("--population", help="Table of everybody, of whom yours are a sample.")
    ] = None,
    population_size: Annotated[
        int | None, typer.Option("--population-size", min=1, help="Or how many people they are.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option("--weights", help="Or the column that says how many each record stands for.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", help="Judge by the thresholds of a preset, as ema-0070."),
    ] = None,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Draw the same people again.")] = None,
    key: PublicKeyFile = None,
    engine: Where = "auto",
    memory: Memory = None,
    temp: Temp = None,
    master: Master = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """What attackers find: in a release or, with a policy, in the table as it is today."""
    from shoal.cli.attack import AttackOptions, run_attack
    from shoal.release.engine_choice import engine_for

    only = () if attacks is None else tuple(part.strip() for part in attacks.split(",") if part.strip())
    place = source_of(data, sheet, table, query)
    asked = AttackOptions(place, release, policy, tuple(others or ()), audit, tuple(other_audits or ()), only,
                  besides, seed, per_record, population, population_size, weights, preset, key)  # fmt: skip
    run_attack(asked, force, json, engine_for(place, engine, memory), memory, temp, master)


@app.command()
def compare(
    data: Data,
    policies: Annotated[list[Path], typer.Argument(metavar="policy", help="One or more policy files")],
    k: Annotated[str | None, typer.Option("--k", help="Every k in turn, as 2,5,10,50.")] = None,
    methods: Annotated[
        str | None, typer.Option("--methods", help="Every method in turn, as residual,aggranon.")
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", help="Any parameter, as suppression=0,0.02; may be given several times."),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option("-o", "--chart", help="Draw loss against k: .svg or .png.")
    ] = None,
    frontier: Annotated[
        Path | None, typer.Option("--frontier", help="Draw loss against risk: .svg or .png.")
    ] = None,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Loss, risk and time of policies, methods and parameters, side by side, and which to take."""
    start_kernels()
    from shoal.cli.compare import run_compare

    source = source_of(data, sheet, table, query)
    run_compare(source, policies, k, methods, vary or [], chart, frontier, force, json)


@app.command()
def report(
    release: Annotated[Path, typer.Argument(help="Folder of a release")],
    against: Annotated[
        str | None, typer.Option("--against", help="The original table: also attacks, risk and utility.")
    ] = None,
    sheet: Sheet = None,
    table: TableName = None,
    query: Query = None,
    audit: Annotated[Path | None, typer.Option("--audit", help="The owner's link, with --against.")] = None,
    recoding: Annotated[
        Path | None, typer.Option("--recoding", help="Of a release by `shoal apply`, with --against.")
    ] = None,
    audience: Annotated[
        str, typer.Option("--audience", help="owner (all figures) or public (none that helps an attacker).")
    ] = "owner",
    preset: Annotated[
        str | None, typer.Option("--preset", help="Judge it by the thresholds of a preset, too.")
    ] = None,
    others: Annotated[
        list[Path] | None, typer.Option("--with", help="A further release of the same people; repeatable.")
    ] = None,
    policy: OwnersPolicy = None,
    key: PublicKeyFile = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where to write the page; report.html.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """One page about a release: what was asked, what holds, who may succeed."""
    from shoal.cli.report import run_report

    original = None if against is None else source_of(against, sheet, table, query)
    run_report(
        release, original, audit, recoding, audience, preset, others or [], out, force, json, key, policy
    )


@app.command()
def serve(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders to choose tables from; the current one.")
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="Private folder that keeps the work.")
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = 0,
    most_uploaded: Annotated[
        int, typer.Option("--most-uploaded", min=1, help="Largest table that may be dropped, in MB.")
    ] = 2000,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address only.")] = False,
    json: Json = False,
) -> None:
    """The local page: everything the command does, in a browser on this machine."""
    from shoal.cli.serve import run_serve

    run_serve(folders or [Path()], workspace, port, most_uploaded, not no_browser, json)


@app.command()
def schema(_json: Json = False) -> None:
    """Print the JSON Schema of the policy file, for editors."""
    from shoal.cli.schema import run_schema

    run_schema()


@app.command()
def explain(
    name: Annotated[str | None, typer.Argument(help="A guarantee, a method or a word; none: all")] = None,
    json: Json = False,
) -> None:
    """What a guarantee, a method or a word means, with a tiny example."""
    from shoal.cli.explain import run_explain

    run_explain(name, json)


@app.command()
def warm(json: Json = False) -> None:
    """Compile all methods now, on all cores, so that no run has to."""
    from shoal.cli.warm import run_warm

    run_warm(json)


def main() -> None:
    """Run the command; every way out has a clean message and an exit code of 0, 1 or 2."""
    gc.disable()  # a short life: collecting costs more than it frees
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up as if stopped by hand
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    hide_pandas()
    exit_at_once(_watched())


def _watched() -> int:
    """The exit code, which is not 0 if what was to be said is lost."""
    code = 0
    try:
        watch_output()
        code = _exit_code()
        sys.stdout.flush()
    except OutputLost as lost:
        return code or _refused(lost)
    return code


def _exit_code() -> int:
    try:
        code = app(standalone_mode=False)
    except SystemExit as done:
        code = done.code
    except typer.Abort:
        code = STOPPED
    except ShoalError as error:
        return _refused(error)
    except MemoryError:
        return _refused(ShoalError("there is not enough memory for this table", "give it fewer rows."))
    except Exception as error:
        if hasattr(error, "format_message"):  # Typer's, whichever version of Click it brings
            return _misused(error)
        if "SHOAL_DEBUG" in os.environ:
            raise
        return _refused(without_values(error))
    if code == STOPPED:
        complain("stopped; nothing was left half-written")
    return code if isinstance(code, int) else 0


def _refused(error: ShoalError) -> int:
    if isinstance(error, OutputLost):
        give_up_output()
    say_error(error, "--json" in sys.argv)
    return error.exit_code


def _misused(error: Any) -> int:
    """Typer shows arguments as they are; what would steer a terminal is not shown its way. With --json, what
    is wrong is JSON here as well."""
    if "--json" in sys.argv:
        hint = "shoal COMMAND -h says what a command needs."
        return _refused(ShoalError(error.format_message(), hint))
    if not all(argument.isprintable() for argument in sys.argv):
        complain(f"Error: {error.format_message()}")
        return int(error.exit_code)
    with suppress(OSError):
        error.show()
    return int(error.exit_code)
