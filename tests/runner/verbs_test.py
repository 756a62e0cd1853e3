"""`el`, `invoke`, `install`, `job` and `schedule` in a project with small plugins.

TIDEMARK_PROGRAM names the binary.
"""

import json
import signal
import subprocess
import time
import unittest
import zipfile

from project_case import PROGRAM, ProjectCase, project_with

PROJECT = project_with("""\
    capabilities: [catalog, discover, state]
    commands: {say: "say 'a b' $WORD", other: {args: x, executable: bin/other, description: Another program}}
    config: {n: 1}""")

CATALOG = {"streams": [{"tap_stream_id": name, "schema": {"properties": {"id": {"type": "integer"}}},
                        "metadata": []} for name in ("a", "b")]}

TAP = f"""\
#!/bin/sh
case "$*" in
*--discover*) echo '{json.dumps(CATALOG)}' ;;
say*) printf '%s|' "$@"; echo; cat ;;
*) echo '{{"bookmarks": {{"a": 1}}}}'; echo said >&2 ;;
esac
"""


class VerbsCase(ProjectCase):
    def setUp(self):
        self.make_project(PROJECT, TAP, "#!/bin/sh\nexec cat\n")
        self.program("other", "#!/bin/sh\nexit 42\n")

    def call(self, code, *arguments, stdin="", **variables):
        result = subprocess.run([PROGRAM, *arguments], cwd=self.work, env={**self.environment, **variables},
                                input=stdin, capture_output=True, text=True)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def out(self, *arguments, **options):
        return self.call(0, *arguments, **options).stdout

    def states(self):
        return dict(self.rows("select state_id, completed_state from state"))

    def wheel(self):
        """A package without dependencies, so that nothing has to be fetched."""
        name = self.work / "tap_pkg-1.0-py3-none-any.whl"
        with zipfile.ZipFile(name, "w") as archive:
            archive.writestr("tap_pkg.py", "def main():\n    print('{\"bookmarks\": {\"a\": 5}}')\n")
            archive.writestr("tap_pkg-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tap-pkg\nVersion: 1.0\n")
            archive.writestr("tap_pkg-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
                                                            "Root-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr("tap_pkg-1.0.dist-info/entry_points.txt", "[console_scripts]\ntap-pkg = tap_pkg:main\n")
            archive.writestr("tap_pkg-1.0.dist-info/RECORD", "")
        return name

    def add_package(self):
        """A tap that has to be installed."""
        self.write("meltano.yml", PROJECT.replace("  loaders:", f"  - name: tap-pkg\n    namespace: tap_pkg\n"
                                                  f"    pip_url: {self.wheel()}\n  loaders:")
                   + "venv.backend: virtualenv\n")



class VerbsTest(VerbsCase):
    def test_el_keeps_its_state_under_the_id_it_was_given(self):
        self.call(0, "el", "tap-x", "target-y", "--state-id", "my/id: x")
        self.call(0, "el", "tap-x", "target-y", MELTANO_STATE_ID="other")
        said = self.call(0, "el", "tap-x", "target-y").stderr
        self.assertIn("No state ID provided. Using an ephemeral state ID '", said)
        ids = list(self.states())
        self.assertEqual(ids[:2], ["my/id: x", "other"])
        self.assertRegex(ids[2], r"^\d{4}-\d\d-\d\dT\d{6}--tap-x--target-y$")
        self.call(0, "el", "tap-x", "target-y", "--state-id", "none", "--no-environment")
        self.assertIn("no loader 'nope'", self.call(1, "el", "tap-x", "nope").stderr)

    def test_el_dumps_what_the_plugins_would_get(self):
        dump = ("el", "tap-x", "target-y", "--state-id", "i", "--dump")
        self.assertEqual(json.loads(self.out(*dump, "extractor-config")), {"n": 1})
        self.assertEqual(self.out(*dump, "loader-config"), "{}\n")
        self.assertIn("Could not find state file", self.call(1, *dump, "state").stderr)
        self.call(0, *dump[:-1])
        self.assertEqual(json.loads(self.out(*dump, "state")), {"bookmarks": {"a": 1}})
        streams = json.loads(self.out(*dump, "catalog", "--select", "a", "--exclude", "b"))["streams"]
        selected = {stream["tap_stream_id"]: stream["metadata"][0]["metadata"]["selected"] for stream in streams}
        self.assertEqual(selected, {"a": True, "b": False})

    def test_el_takes_a_catalog_and_a_state_from_files(self):
        self.write("state.json", '{"from": "file"}')
        self.write("catalog.json", json.dumps({"streams": []}))
        dump = ("el", "tap-x", "target-y", "--state-id", "i", "--state", "state.json", "--catalog", "catalog.json")
        self.assertEqual(self.out(*dump, "--dump", "state"), '{"from": "file"}\n')
        self.assertEqual(json.loads(self.out(*dump, "--dump", "catalog")), {"streams": []})
        self.assertIn("Could not find catalog file",
                      self.call(1, "el", "tap-x", "target-y", "--catalog", "none.json").stderr)

    def test_invoke_gives_the_plugin_our_input_output_and_exit_code(self):
        result = self.call(0, "invoke", "tap-x", "--help")
        self.assertEqual(result.stdout, '{"bookmarks": {"a": 1}}\n')
        self.assertIn("] tap-x        said", result.stderr)
        self.assertEqual(self.out("invoke", "tap-x:say", "--json", "x", stdin="in\n", WORD="w"),
                         "say|a b|w|--json|x|\nin\n")
        self.call(42, "invoke", "tap-x:other")
        self.assertIn("supports the following commands: say, other", self.call(1, "invoke", "tap-x:nope").stderr)
        self.assertEqual(self.out("invoke", "--list-commands", "tap-x"), "tap-x:say\ntap-x:other  Another program\n")
        self.assertEqual(json.loads(self.out("invoke", "--dump", "config", "tap-x")), {"n": 1})
        self.assertEqual(self.out("invoke", "--print-var", "TAP_X_N", "--print-var", "NOPE", "tap-x", "x").splitlines(),
                         ["TAP_X_N=1", "NOPE=None", '{"bookmarks": {"a": 1}}'])

    def test_what_needs_no_catalog_asks_for_none(self):
        self.program("tap", TAP.replace("*--discover*) echo", "*--discover*) touch asked; exit 1; echo"))
        self.assertEqual(json.loads(self.out("invoke", "--dump", "config", "tap-x")), {"n": 1})
        self.out("invoke", "tap-x:say", WORD="w")
        self.assertFalse((self.work / "asked").exists())
        self.call(1, "invoke", "tap-x")
        self.assertTrue((self.work / "asked").exists())

    def test_invoke_installs_what_is_missing(self):
        self.add_package()
        said = self.call(1, "invoke", "--no-install", "tap-pkg").stderr
        self.assertIn("Executable 'tap-pkg' could not be found", said)
        result = self.call(0, "invoke", "tap-pkg")
        self.assertIn("Installed extractor 'tap-pkg'", result.stderr)
        self.assertEqual(result.stdout, '{"bookmarks": {"a": 5}}\n')
        self.assertNotIn("Install", self.call(0, "invoke", "tap-pkg").stderr)

    def test_a_signal_ends_an_installation_and_the_run_behind_it(self):
        self.add_package()
        python = self.work / "python"
        python.write_text(f"#!/bin/sh\ntouch {self.work}/installing\nexec sleep 60\n")
        python.chmod(0o755)
        with (self.work / "meltano.yml").open("a") as project:
            project.write(f"python: {python}\n")
        process = subprocess.Popen([PROGRAM, "run", "tap-pkg", "target-y"], cwd=self.work, env=self.environment,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        while not (self.work / "installing").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130, process.stderr.read())

    def test_install_makes_the_environment_that_run_uses(self):
        self.add_package()
        said = self.call(1, "run", "--no-install", "tap-pkg", "target-y").stderr
        self.assertIn("Executable 'tap-pkg' could not be found", said)
        said = self.call(0, "run", "tap-pkg", "target-y").stderr
        self.assertIn("Installed extractor 'tap-pkg'", said)
        self.assertEqual(self.states(), {"dev:tap-pkg-to-target-y": '{"singer_state": {"bookmarks": {"a": 5}}}'})
        venv = self.work / ".meltano/extractors/tap-pkg/venv"
        self.assertEqual(len((venv / ".meltano_plugin_fingerprint").read_text()), 64)
        self.assertNotIn("Install", self.call(0, "run", "tap-pkg", "target-y").stderr)
        said = self.call(0, "install").stderr
        self.assertIn("Skipped installing extractor 'tap-x'. Plugin is not installable.", said)
        self.assertIn("Installed 1/3 plugins", said)
        self.assertIn("did you mean 'tap-pkg'?", self.call(1, "install", "tap-pk").stderr)

    def test_what_cannot_be_installed_is_named_and_leaves_no_fingerprint(self):
        self.write("meltano.yml", PROJECT.replace("    executable: bin/target", "    pip_url: ./none.whl")
                   + "venv.backend: virtualenv\n")
        said = self.call(1, "install").stderr
        self.assertIn("Installation of loader 'target-y' failed", said)
        self.assertIn("none.whl", said)
        self.assertFalse((self.work / ".meltano/loaders/target-y/venv/.meltano_plugin_fingerprint").exists())

    def test_jobs_are_written_shown_and_removed(self):
        self.assertEqual(self.out("job", "add", "j1", "--tasks", "tap-x target-y"),
                         "Added job j1: ['tap-x target-y']\n")
        self.assertEqual(self.out("job", "add", "j2", "--tasks", "[tap-x target-y, [tap-x, target-y]]"),
                         "Added job j2: ['tap-x target-y', ['tap-x', 'target-y']]\n")
        self.assertIn("Job 'j1' already exists.", self.call(1, "job", "add", "j1", "--tasks", "tap-x target-y").stderr)
        self.assertIn("Job 'bad' has invalid tasks: block violates set requirements: Loader missing in block set!",
                      self.call(1, "job", "add", "bad", "--tasks", "tap-x").stderr)
        self.assertEqual(self.out("job", "set", "j1", "--tasks", "[tap-x target-y, tap-x target-y]"),
                         "Updated job j1: ['tap-x target-y', 'tap-x target-y']\n")
        self.assertEqual(self.out("job", "list"), "j1: ['tap-x target-y', 'tap-x target-y']\n"
                                                  "j2: ['tap-x target-y', ['tap-x', 'target-y']]\n")
        self.assertEqual(json.loads(self.out("job", "list", "j2", "--format", "json")),
                         {"job_name": "j2", "tasks": ["tap-x target-y", ["tap-x", "target-y"]]})
        self.call(0, "run", "j2")
        for name in ("j1", "j2"):
            self.assertEqual(self.out("job", "remove", name), f"Removed job '{name}'.\n")
        self.assertEqual((self.work / "meltano.yml").read_text(), PROJECT)
        self.assertIn("Job 'j1' was not found.", self.call(1, "job", "remove", "j1").stderr)

    def test_a_crontab_line_is_one_whatever_the_folder_and_the_name(self):
        home = self.work
        self.work = home / "it's 100%"
        self.work.mkdir()
        self.write("meltano.yml", PROJECT)
        self.out("job", "add", "j1", "--tasks", "tap-x target-y")
        self.out("schedule", "add", "50% o'clock", "--job", "j1", "--interval", "@daily")
        line = self.out("schedule", "list", "--format", "cron")
        command = line.removeprefix("0 0 * * * ").rstrip("\n")
        self.assertNotRegex(command, r"(?<!\\)%")
        # What cron hands to the shell: `%` without the backslash.
        shell = command.replace("\\%", "%").replace("tidemark", "printf '%s|' \"$PWD\"")
        said = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"{self.work}|schedule|run|50% o'clock|")

    def test_schedules_run_what_they_name(self):
        self.out("job", "add", "j1", "--tasks", "tap-x target-y")
        self.assertEqual(self.out("schedule", "add", "s1", "--job", "j1", "--interval", "@daily"),
                         "Scheduled job 's1' at @daily\n")
        self.assertEqual(self.out("schedule", "add", "s2", "--extractor", "tap-x", "--loader", "target-y",
                                  "--interval", "0 */2 * * *"), "Scheduled elt 's2' at 0 */2 * * *\n")
        self.assertIn("Invalid Cron expression or alias: 'bogus'.",
                      self.call(1, "schedule", "add", "s3", "--job", "j1", "--interval", "bogus").stderr)
        self.call(2, "schedule", "add", "s3", "--job", "j1", "--loader", "y", "--interval", "@daily")
        self.assertEqual(self.out("schedule", "list", "--format", "cron"),
                         f"0 0 * * * cd '{self.work}' && tidemark schedule run 's1'\n"
                         f"0 */2 * * * cd '{self.work}' && tidemark schedule run 's2'\n")
        listed = json.loads(self.out("schedule", "list", "--format", "json"))["schedules"]
        self.assertEqual(listed["job"][0]["cron_interval"], "0 0 * * *")
        self.assertEqual(listed["elt"][0]["elt_args"], ["tap-x", "target-y", "--transform=skip", "--state-id=s2"])
        self.call(0, "schedule", "run", "s1", "--state-id-suffix", "x")
        self.call(0, "schedule", "run", "s2")
        self.assertEqual(list(self.states()), ["dev:tap-x-to-target-y:x", "s2"])
        self.assertIn("environment must be specified", self.call(1, "--no-environment", "schedule", "run", "s1").stderr)
        self.assertIn("Schedule 'none' was not found.", self.call(1, "schedule", "run", "none").stderr)
        self.program("tap", "#!/bin/sh\nexit 3\n")
        self.call(1, "schedule", "run", "s1")
        for name in ("s1", "s2"):
            self.out("schedule", "remove", name)
        self.assertEqual(self.out("schedule", "list"), "")


if __name__ == "__main__":
    unittest.main()
