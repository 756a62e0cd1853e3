"""Packages that dlt has sealed are finished by tidemark, whatever of them dlt has loaded.

Run by build/venv-dlt with the program's path in TIDEMARK_PROGRAM.
"""

import tempfile
import unittest
from pathlib import Path

import duckdb

from shop import TABLES, Pipeline


class PackageTest(unittest.TestCase):
    maxDiff = 2000

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def sealed_by_dlt(self, **environment):
        """One package loaded, a second one sealed."""
        pipeline = Pipeline(self.folder())
        pipeline.environment |= environment
        pipeline.dlt(1, "load")
        pipeline.dlt(2, "normalize")
        return pipeline

    def finished_by_dlt(self, pipeline):
        reference = pipeline.copy(self.folder())
        reference.dlt(2, "load")
        return reference

    def assert_loaded(self, pipeline, reference):
        self.assertIn("is LOADED and contains no failed jobs", pipeline.tidemark("pipeline", "shop", "retry"))
        expected, found = reference.content(), pipeline.content()
        for what in expected:
            self.assertEqual(found[what], expected[what], what)
        self.assertEqual(pipeline.state(), reference.state())
        self.assertEqual(pipeline.stages(), {"loaded"})

    def assert_finished(self, pipeline, reference):
        self.assert_loaded(pipeline, reference)
        # dlt takes it for its own.
        pipeline.dlt(3, "load")
        reference.dlt(3, "load")
        self.assertEqual(pipeline.query("id, note from event"), reference.query("id, note from event"))
        self.assertEqual(pipeline.query("id, name from user"), reference.query("id, name from user"))

    def test_the_first_package_of_a_pipeline(self):
        pipeline = Pipeline(self.folder())
        pipeline.dlt(1, "normalize")
        reference = pipeline.copy(self.folder())
        reference.dlt(1, "load")
        self.assert_finished(pipeline, reference)

    def test_insert_values(self):
        pipeline = self.sealed_by_dlt()
        self.assertTrue(list(pipeline.sealed().glob("new_jobs/*.insert_values.gz")))
        self.assert_finished(pipeline, self.finished_by_dlt(pipeline))

    def test_files_that_are_not_compressed(self):
        pipeline = self.sealed_by_dlt(DATA_WRITER__DISABLE_COMPRESSION="true")
        self.assertTrue(list(pipeline.sealed().glob("new_jobs/*.insert_values")))
        self.assert_finished(pipeline, self.finished_by_dlt(pipeline))

    def test_json_lines_and_parquet(self):
        pipeline = self.sealed_by_dlt()
        reference = self.finished_by_dlt(pipeline)
        for form in ("json", "parquet"):
            with self.subTest(form):
                other = pipeline.copy(self.folder())
                self.write_jobs_as(form, other, reference)
                self.assert_finished(other, self.finished_by_dlt(pipeline))

    def write_jobs_as(self, form, pipeline, loaded):
        """The jobs of the sealed package in another format, from what dlt has made of them."""
        load_id = pipeline.sealed().name
        for job in pipeline.sealed().glob("new_jobs/*"):
            table, file_id = job.name.split(".")[:2]
            new = job.with_name(f"{table}.{file_id}.0.{'jsonl' if form == 'json' else form}")
            of_package = {"event__tags": f"_dlt_parent_id in (select _dlt_id from event where _dlt_load_id = '{load_id}')",
                          "user__mails": "true", "plan__parts": "true"}.get(table, f"_dlt_load_id = '{load_id}'")
            of_package = of_package if table != "user__mails" else (
                f"_dlt_parent_id in (select _dlt_id from user where _dlt_load_id = '{load_id}')")
            binary = "* replace (to_base64(raw) as raw)" if (table, form) == ("event", "json") else "*"
            with duckdb.connect(str(loaded.database), read_only=True) as connection:
                connection.execute("set schema 'data'")
                connection.execute("set timezone = 'UTC'")
                connection.execute(f"copy (select {binary} from {table} where {of_package}) to '{new}' (format {form})")
            job.unlink()

    def test_what_dlt_was_killed_in(self):
        pipeline = self.sealed_by_dlt()
        reference = self.finished_by_dlt(pipeline)
        for number, table in enumerate(TABLES):
            workers = ("1", "20")[number % 2]
            with self.subTest(table=table, workers=workers):
                killed = pipeline.copy(self.folder())
                killed.environment["LOAD__WORKERS"] = workers
                killed.dlt(2, f"killed:{table}", code=9)
                self.assertTrue(list(killed.sealed().glob("started_jobs/*")))
                self.assert_loaded(killed, reference)

    def test_what_is_only_extracted_is_left_to_dlt(self):
        pipeline = Pipeline(self.folder())
        pipeline.dlt(1, "extract")
        errors = pipeline.tidemark("pipeline", "shop", "retry", code=1)
        self.assertIn("let dlt do so", errors)
        self.assertIn("abort-packages", errors)
        pipeline.dlt(1, "normalize")
        pipeline.tidemark("pipeline", "shop", "retry")
        self.assertEqual(len(pipeline.query("* from event")), 7)

    def test_a_damaged_job_loads_nothing(self):
        pipeline = self.sealed_by_dlt()
        before = pipeline.content()
        job, = pipeline.sealed().glob("new_jobs/event.*")
        job.write_bytes(job.read_bytes()[:-20])
        self.assertIn(job.name, pipeline.tidemark("pipeline", "shop", "retry", code=1))
        self.assertEqual(pipeline.content(), before)
        self.assertEqual(pipeline.stages(), {"normalized", "loaded"})


if __name__ == "__main__":
    unittest.main()
