"""`config test`, `elt`, `logs`, `add`, `remove` and timers, in the project of verbs_test.

TIDEMARK_PROGRAM names the binary.
"""

import json
import shutil
import subprocess
import unittest
from pathlib import Path

from project_case import PROGRAM
from verbs_test import PROJECT, TAP, VerbsCase

ROWS = """\
#!/bin/sh
case "$*" in
*--discover*) echo '{"streams": []}' ;;
*) trap 'echo stopped >> stopped; exit 1' TERM
   echo '{"type": "SCHEMA", "stream": "a", "schema": {}, "key_properties": []}'
   echo '{"type": "RECORD", "stream": "a", "record": {}}'
   while :; do sleep 0.05; done ;;
esac
"""


class ProjectVerbsTest(VerbsCase):
    def test_config_test_runs_a_tap_until_its_first_row(self):
        self.program("tap", ROWS)
        self.assertEqual(self.out("config", "test", "tap-x"), "Plugin configuration is valid\n")
        self.assertEqual((self.work / "stopped").read_text(), "stopped\n")
        self.program("tap", TAP)
        said = self.call(1, "config", "test", "tap-x").stderr
        self.assertIn("Plugin configuration is invalid\ntap-x ended without a RECORD or BATCH message", said)
        self.program("tap", TAP.replace("\n*) echo", "\n*) echo no such host >&2; exit 3; echo"))
        said = self.call(1, "config", "test", "tap-x").stderr
        self.assertIn("invalid\nno such host\nRun 'tidemark config list tap-x' to review the plugin settings.", said)
        self.assertIn("not supported", self.call(1, "config", "test", "meltano").stderr)

    def test_config_test_has_a_target_load_rows(self):
        self.program("target", "#!/bin/sh\ncat > got\n")
        self.assertEqual(self.out("config", "test", "target-y"), "Plugin configuration is valid\n")
        types = [json.loads(line)["type"] for line in (self.work / "got").read_text().splitlines()]
        self.assertEqual(types, ["SCHEMA", "RECORD", "RECORD", "RECORD", "STATE"])
        self.program("target", "#!/bin/sh\necho no rights >&2\nexit 1\n")
        self.assertIn("invalid\nno rights\n", self.call(1, "config", "test", "target-y").stderr)

    def test_elt_is_el_and_runs_the_transformer_behind_it(self):
        said = self.call(0, "elt", "tap-x", "target-y", "--state-id", "i").stderr
        self.assertIn("The `elt` command is deprecated in favor of `el`", said)
        self.assertIn("no transformer 'dbt'",
                      self.call(1, "elt", "tap-x", "target-y", "--transform", "run", "--state-id", "i").stderr)
        self.program("dbt", "#!/bin/sh\necho $1 >> did\n")
        self.write("meltano.yml", PROJECT + "  transformers:\n  - name: dbt\n    namespace: dbt\n"
                   "    executable: bin/dbt\n    commands: {clean: clean, deps: deps, run: run}\n")
        self.call(0, "elt", "tap-x", "target-y", "--transform=run", "--state-id=j")
        self.call(0, "elt", "tap-x", "target-y", "--transform=only", "--state-id=k")
        self.assertEqual((self.work / "did").read_text().split(), ["clean", "deps", "run"] * 2)
        self.assertEqual(list(self.states()), ["i", "j"])
        self.out("schedule", "add", "s", "--extractor", "tap-x", "--loader", "target-y", "--transform", "only",
                 "--interval", "@daily")
        self.call(0, "schedule", "run", "s")
        self.assertEqual((self.work / "did").read_text().split(), ["clean", "deps", "run"] * 3)

    def test_logs_are_found_by_their_runs(self):
        self.assertEqual(self.out("logs", "list"), "")
        self.assertIn("no run is recorded", self.call(1, "logs", "show").stderr)
        self.call(0, "run", "tap-x", "target-y", "--run-id", "01a22c84-4fb9-73aa-ad23-7ed36b0ab2de")
        self.program("target", "#!/bin/sh\ncat > /dev/null\necho broken >&2\nexit 1\n")
        self.call(1, "run", "tap-x", "target-y", "--run-id", "01A22C84491670999 0c88b929f8f9c5a".replace(" ", ""))
        listed = json.loads(self.out("logs", "list", "--format", "json"))
        self.assertEqual(listed["total"], 2)
        newest, oldest = listed["runs"]
        self.assertEqual(list(newest), ["log_id", "job_name", "state", "started_at", "ended_at", "duration_seconds",
                                        "trigger"])
        self.assertEqual([newest["state"], oldest["state"]], ["FAIL", "SUCCESS"])
        self.assertEqual(oldest["log_id"], "01a22c84-4fb9-73aa-ad23-7ed36b0ab2de")
        self.assertEqual(oldest["job_name"], "dev:tap-x-to-target-y")
        self.assertRegex(oldest["started_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$")
        self.assertEqual(json.loads(self.out("logs", "list", "--limit", "1", "--json"))["total"], 1)
        self.assertRegex(self.out("logs", "list").splitlines()[1],
                         r"^01a22c84-4fb9-73aa-ad23-7ed36b0ab2de  SUCCESS  [-0-9]{10} [:0-9]{8} +[.0-9]+s  dev:tap")
        self.assertIn("broken", self.out("logs", "show"))
        log = self.out("logs", "show", oldest["log_id"])
        self.assertIn("Block run completed", log)
        self.assertEqual(self.out("logs", "show", oldest["log_id"], "--tail", "2").splitlines(),
                         log.splitlines()[-2:])
        folder = self.out("logs", "dir").strip()
        self.assertEqual(folder, str(self.work / "home/.local/state/meltano/log"))
        self.assertEqual((Path(folder) / "elt/devtap-x-to-target-y" / oldest["log_id"] / "elt.log").read_text(), log)
        self.assertIn("there is no log of the run",
                      self.call(1, "logs", "show", "01a22c84-4fb9-73aa-ad23-7ed36b0ab2df").stderr)
        self.assertIn("is not a valid UUID", self.call(1, "logs", "show", "x").stderr)

    def test_two_installations_of_one_plugin_do_not_meet(self):
        self.add_package()
        python = self.work / "python"
        python.write_text(f"#!/bin/sh\necho made >> {self.work}/made\nsleep 1\nexec python3 \"$@\"\n")
        python.chmod(0o755)
        with (self.work / "meltano.yml").open("a") as project:
            project.write(f"python: {python}\n")
        both = [subprocess.Popen([PROGRAM, "invoke", "tap-pkg"], cwd=self.work, env=self.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(2)]
        self.assertEqual([process.communicate()[0] for process in both], ['{"bookmarks": {"a": 5}}\n'] * 2)
        self.assertEqual((self.work / "made").read_text(), "made\n")

    def test_added_plugins_are_installed_and_removed_with_their_environments(self):
        self.write("meltano.yml", PROJECT + "venv.backend: virtualenv\n")
        out = self.out("add", "tap-pkg", "--custom", "--yes", "--pip-url", str(self.wheel()), "--executable", "tap-pkg")
        self.assertEqual(out, "Added extractor 'tap-pkg' to your project\n")
        self.assertEqual(self.out("invoke", "--no-install", "tap-pkg"), '{"bookmarks": {"a": 5}}\n')
        said = self.call(1, "add", "tap-z", "--custom", "--no-install").stderr
        self.assertIn("--namespace says it", said)
        self.assertIn("--custom defines the plugin", self.call(1, "add", "tap-z").stderr)
        self.call(2, "add", "tap-z", "--custom", "--from-ref", "x")
        self.call(0, "remove", "tap-pkg")
        self.assertEqual((self.work / "meltano.yml").read_text(), PROJECT + "venv.backend: virtualenv\n")
        self.assertFalse((self.work / ".meltano/extractors/tap-pkg").exists())
        self.assertIn("cannot be the name of a plugin", self.call(1, "remove", "..").stderr)
        self.assertTrue((self.work / ".meltano").exists())

    def test_schedules_become_timers_of_systemd(self):
        home = self.work
        self.work = home / 'it\'s 100% "$X'
        self.work.mkdir()
        self.write("meltano.yml", PROJECT)
        self.out("job", "add", "j", "--tasks", "tap-x target-y")
        for name, interval in (("50% o'clock", "0 12 1,15 * mon"), ("plain", "@daily"), ("never", "@once")):
            self.out("schedule", "add", name, "--job", "j", "--interval", interval)
        result = self.call(0, "schedule", "export", "units")
        self.assertIn("never has no timer: @once is never due by itself", result.stderr)
        units = self.work / "units"
        self.assertEqual(result.stdout.splitlines(),
                         [str(units / f"tidemark-{name}.{kind}") for name in (r"50\x25\x20o\x27clock", "plain")
                          for kind in ("service", "timer")])
        self.assertEqual(self.call(0, "schedule", "export", "units").stdout, result.stdout)
        timer = (units / r"tidemark-50\x25\x20o\x27clock.timer").read_text()
        self.assertIn("OnCalendar=*-*-01,15 12:00:00\nOnCalendar=Mon *-*-* 12:00:00\n", timer)
        service = (units / r"tidemark-50\x25\x20o\x27clock.service").read_text()
        folder = str(self.work).replace("%", "%%")
        self.assertIn(f"\nWorkingDirectory={folder}\n", service)
        self.assertIn('" schedule run "50%% o\'clock"\n', service)
        self.assertIn("ExecStart=:\"/", service)
        if analyze := shutil.which("systemd-analyze"):
            checked = subprocess.run([analyze, "verify", "--man=no", *units.iterdir()], capture_output=True, text=True)
            faults = [line for line in checked.stderr.splitlines() if "tidemark-" in line or str(units) in line]
            self.assertEqual(faults, [])
        (units / "tidemark-plain.timer").write_text("[Timer]\n")
        self.assertIn("belongs to something else", self.call(1, "schedule", "export", "units").stderr)


if __name__ == "__main__":
    unittest.main()
