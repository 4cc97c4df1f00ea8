"""Compares what the feature `datafusion` wrote with the Parquet file that it comes from: read_back.py duckdb|polars FOLDER.

The files are made by the test `read::files_for_other_readers`; `.ci/datafusion` runs both.
"""

import pathlib
import sys

PLACES = ["orders.ndjson", "orders.ndjson.gz", "orders/*/*.ndjson"]
ROWS = 5_000


def duckdb_reads(folder):
    import duckdb

    duckdb.sql("SET TimeZone = 'UTC'")
    duckdb.sql(f"CREATE TABLE original AS FROM '{folder}/orders.parquet'")
    original = duckdb.table("original")
    types = {name: str(kind) for name, kind in zip(original.columns, original.types)}
    names = ", ".join(f'"{name}"' for name in types)
    for place in PLACES:
        columns = {name: kind for name, kind in types.items() if not (name == "kind" and "*" in place)}
        files = f"read_ndjson('{folder}/{place}', columns = {columns}, hive_partitioning = {'*' in place})"
        duckdb.sql(f"CREATE OR REPLACE TABLE back AS SELECT {names} FROM {files}")
        assert len(duckdb.table("back")) == ROWS, place
        for one, other in [("original", "back"), ("back", "original")]:
            extra = duckdb.sql(f"FROM {one} EXCEPT ALL FROM {other} LIMIT 3").fetchall()
            assert not extra, f"{place}: only in {one}: {extra}"


def polars_reads(folder):
    import polars

    original = polars.read_parquet(folder / "orders.parquet").sort("id")
    # It reads dates, times and decimals as strings or floats, which are then cast.
    read_as = {polars.Datetime: polars.String, polars.Date: polars.String, polars.Decimal: polars.Float64,
               polars.Categorical: polars.String}
    schema = {name: read_as.get(kind.base_type(), kind) for name, kind in original.schema.items()}
    for place in PLACES:
        partitioned = "*" in place
        files = sorted(folder.glob(place))
        columns = {name: kind for name, kind in schema.items() if not (name == "kind" and partitioned)}
        tables = []
        for file in files:
            table = polars.read_ndjson(file, schema=columns)
            if partitioned:
                table = table.with_columns(polars.lit(file.parent.name.removeprefix("kind=")).alias("kind"))
            tables.append(table)
        back = polars.concat(tables).sort("id").with_columns(
            polars.col("at").str.to_datetime(time_unit="ms"),
            polars.col("seen").str.to_datetime(time_unit="us", time_zone="UTC"),
            polars.col("day").str.to_date(),
            polars.col("sum").round(3).cast(original.schema["sum"]),
            polars.col("kind").cast(original.schema["kind"]),
        )
        assert len(back) == ROWS, place
        for name in original.columns:
            assert back[name].equals(original[name], null_equal=True), f"{place}: {name} differs"


reader, folder = sys.argv[1], pathlib.Path(sys.argv[2])
{"duckdb": duckdb_reads, "polars": polars_reads}[reader](folder)
print(f"{reader}: {len(PLACES)} places are equal to the Parquet file")
