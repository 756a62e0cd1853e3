"""The pipeline `shop` that both programs work on, and what they leave."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb

TOP = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TIDEMARK_PROGRAM"]
TABLES = ("event", "event__tags", "user", "user__mails", "plan", "plan__parts", "_dlt_pipeline_state")
DONE = ("load_id, schema_name, status, schema_version_hash from _dlt_loads",
        "version, engine_version, schema_name, version_hash, schema from _dlt_version")


class Pipeline:
    def __init__(self, directory):
        self.directory = Path(directory)
        self.database = self.directory / "shop.duckdb"
        self.root = self.directory / "pipelines/shop"
        self.environment = {**os.environ, "DESTINATION__DUCKDB__CREDENTIALS": f"duckdb:///{self.database}", "NO_COLOR": "1",
                            "RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "CRITICAL"}

    def dlt(self, day, point, code=0):
        self.execute([sys.executable, TOP / "tests/interop/dlt_seal.py", self.directory, day, point], code)

    def tidemark(self, *arguments, code=0):
        return self.execute([PROGRAM, "--pipelines-dir", self.directory / "pipelines", *arguments], code)

    def execute(self, command, code):
        result = subprocess.run([str(part) for part in command], cwd=self.directory, env=self.environment,
                                capture_output=True, text=True)
        if result.returncode != code:
            raise AssertionError(f"{command} exited with {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result.stdout + result.stderr

    def query(self, what):
        with duckdb.connect(str(self.database), read_only=True) as connection:
            connection.execute("set schema 'data'")
            connection.execute("set timezone = 'UTC'")
            return sorted(map(repr, connection.execute(f"select {what}").fetchall()))

    def content(self):
        """Everything but times of the load."""
        return {what: self.query(what) for what in (*(f"* from {table}" for table in TABLES), *DONE)}

    def stages(self):
        return {path.parent.name for path in self.root.glob("load/*/*") if path.is_dir()}

    def sealed(self):
        # A dlt that is killed leaves temporary files beside it.
        package, = (path for path in self.root.glob("load/normalized/*") if path.is_dir())
        return package

    def state(self):
        state = json.loads((self.root / "state.json").read_text())
        state["_local"] = {key: state["_local"][key] for key in ("first_run", "_last_extracted_hash")}
        return state

    def copy(self, directory):
        other = Pipeline(directory / "copy")
        other.environment |= {key: value for key, value in self.environment.items() if key not in other.environment}
        shutil.copytree(self.directory, other.directory)
        # tidemark refuses another database than the one it loaded to.
        state = other.root / "state.json"
        state.write_text(state.read_text().replace(f"duckdb:///{self.database}", f"duckdb:///{other.database}"))
        # dlt takes another place of the settings for another project.
        return other
