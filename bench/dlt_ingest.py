"""The same job with dlt: JSON lines into DuckDB with child tables, package and state.

usage: dlt_ingest.py FILE DATABASE PIPELINES_DIR    run by build/venv-dlt
"""

import sys

import dlt
import orjson


def pages(path, size=1000):
    with open(path, "rb") as file:
        page = []
        for line in file:
            page.append(orjson.loads(line))
            if len(page) == size:
                yield page
                page = []
        yield page


def main():
    file, database, pipelines_dir = sys.argv[1:]
    pipeline = dlt.pipeline("bench", pipelines_dir=pipelines_dir, dataset_name="bench",
                            destination=dlt.destinations.duckdb(database))
    pipeline.run(pages(file), table_name="pulls")


if __name__ == "__main__":
    main()
