"""Kinds of columns in a frame of Spark's and in Arrow: only where a frame is read or given back."""

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import Fault, ShoalError, refuse_faults

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

NAMES: tuple[tuple[pa.DataType, str], ...] = (  # what Spark calls each
    (pa.int8(), "tinyint"),
    (pa.int16(), "smallint"),
    (pa.int32(), "int"),
    (pa.int64(), "bigint"),
    (pa.float32(), "float"),
    (pa.float64(), "double"),
    (pa.bool_(), "boolean"),
    (pa.string(), "string"),
    (pa.large_string(), "string"),
    (pa.binary(), "binary"),
    (pa.large_binary(), "binary"),
    (pa.date32(), "date"),
    (pa.timestamp("us"), "timestamp_ntz"),
)
HINT = "turn it into a number, a text, a date or a time of microseconds first."


def spark_name(kind: pa.DataType) -> str | None:
    """None for a kind that Spark does not have.

    >>> spark_name(pa.decimal128(12, 2)), spark_name(pa.uint64())
    ('decimal(12,2)', None)
    >>> spark_name(pa.struct({"lo": pa.int64(), "hi": pa.int64()}))
    'struct<`lo`:bigint,`hi`:bigint>'
    """
    if pa.types.is_decimal(kind) and kind.precision <= 38 and 0 <= kind.scale <= kind.precision:
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind) and kind.unit == "us" and kind.tz is not None:
        return "timestamp"
    if pa.types.is_struct(kind):
        inside = [(field.name, spark_name(field.type)) for field in kind]
        return (
            None if any(name is None for _, name in inside) else f"struct<{','.join(map(_member, inside))}>"
        )
    return next((name for arrow, name in NAMES if arrow.equals(kind)), None)


def _member(member: tuple[str, str | None]) -> str:
    name, kind = member
    return f"{quoted(name)}:{kind}"


def quoted(name: str) -> str:
    """
    >>> quoted("a`b.c")
    '`a``b.c`'
    """
    return f"`{name.replace('`', '``')}`"


def spark_columns(schema: pa.Schema, names: list[str]) -> str:
    """The columns as Spark declares them, under other names."""
    kinds = [spark_name(field.type) for field in schema]
    unknown = [field for field, kind in zip(schema, kinds, strict=True) if kind is None]
    if unknown:
        raise ShoalError(
            Fault(f"column {field.name!r} is {field.type}, which Spark does not have", HINT)
            for field in unknown
        )
    return ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))


def arrow_schema(frame: "StructType") -> pa.Schema:
    """What a frame's columns are in Arrow."""
    faults = [
        Fault(f"column {field.name!r} is {field.dataType.simpleString()}, which shoal does not read", HINT)
        for field in frame
        if _arrow_type(field.dataType) is None
    ]
    refuse_faults(faults)
    return pa.schema([(field.name, _arrow_type(field.dataType)) for field in frame])


def _arrow_type(kind: "DataType") -> Any:
    from pyspark.sql import types

    if isinstance(kind, types.StringType):  # with whatever collation
        return pa.string()
    if isinstance(kind, types.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, types.TimestampType):
        return pa.timestamp("us", "UTC")
    if isinstance(kind, types.StructType):
        inside = [(field.name, _arrow_type(field.dataType)) for field in kind]
        return None if any(each is None for _, each in inside) else pa.struct(inside)
    return next((arrow for arrow, name in NAMES if name == kind.simpleString()), None)
