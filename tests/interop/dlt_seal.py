"""Takes a pipeline of dlt up to a point: two appended, two merged and two replaced tables, values of every type.

usage: dlt_seal.py DIRECTORY DAY POINT    POINT: extract, normalize, load, or killed:TABLE, which dies once the first
                                         job of the table is committed and nothing was written down of it
"""

import datetime
import decimal
import os
import sys
from pathlib import Path

import dlt
from dlt.destinations.insert_job_client import InsertValuesLoadJob


def events(first, end):
    return [{"id": i, "at": datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=i),
             "amount": decimal.Decimal(i) / 8, "ratio": i / 3, "note": f"it's \\ {i}\n\t\"quoted\" é", "raw": bytes([0, i, 255]),
             "extra": {"b": 1, "a": [i]} if i % 2 else None, "is_odd": bool(i % 2), "day": datetime.date(2024, 1, 1 + i % 9),
             "tags": [{"name": f"t{n}"} for n in range(i % 3)]} for i in range(first, end)]


def source(day):
    @dlt.resource(columns={"extra": {"data_type": "json"}})
    def event(at=dlt.sources.incremental("at")):
        yield events(0, 4 + 3 * day)

    @dlt.resource(primary_key="id", write_disposition="merge")
    def user():
        yield [{"id": i, "name": f"user {i} of day {day}", "mails": [f"{day}@{i}"] * day} for i in range(day, day + 4)]

    @dlt.resource(write_disposition="replace")
    def plan():
        yield [{"id": i, "day": day, "parts": [day, i]} for i in range(3 + day)]

    return dlt.source(lambda: [event, user, plan], name="shop")()


def die_after(table):
    run = InsertValuesLoadJob.run

    def run_and_die(job):
        run(job)
        if job.job_file_info().table_name == table:
            os._exit(9)

    InsertValuesLoadJob.run = run_and_die


def main():
    directory, day, point = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    pipeline = dlt.pipeline("shop", pipelines_dir=str(directory / "pipelines"), dataset_name="data",
                            destination=dlt.destinations.duckdb(str(directory / "shop.duckdb")))
    if not pipeline.has_pending_data:
        pipeline.extract(source(day))
    if point == "extract":
        return
    pipeline.normalize()
    if point == "normalize":
        return
    if point.startswith("killed:"):
        die_after(point.removeprefix("killed:"))
    pipeline.load()


if __name__ == "__main__":
    main()
