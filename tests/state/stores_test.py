"""`tidemark state` on each kind of store: what people see there, and what the stores' servers are asked.

Run by build/venv-meltano; TIDEMARK_PROGRAM names the binary. Each test has a new store.
"""

import json
import math
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import stores
from proxies import Proxy

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
STATE = {"singer_state": {"bookmarks": {"orders": {"id": 17}}}}
OTHER = {"singer_state": {"bookmarks": {"orders": {"id": 18}}}}


class Project:
    """A folder with a project whose states are in a new store of that type."""

    def __init__(self, test, store_type, **options):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.test = test
        self.work = Path(folder.name)
        self.store = store_type(self.work, **options)
        self.configure({})
        # Nothing of this machine's is read.
        self.environment = {**os.environ, **self.store.environment, "NO_COLOR": "1", "HOME": str(self.work),
                            "XDG_CACHE_HOME": str(self.work / "cache"), "TMPDIR": str(self.work)}

    def configure(self, s3):
        """Writes the project file, with these settings of state_backend.s3 beside the store's own."""
        settings = json.loads(json.dumps(self.store.settings))
        if s3:
            settings["state_backend"].setdefault("s3", {}).update(s3)
        (self.work / "tidemark.yml").write_text(json.dumps(
            {name: value for name, value in settings.items()} | {"environments": [{"name": "dev"}]}))

    def run(self, *arguments, **environment):
        return subprocess.run([PROGRAM, "state", *arguments], cwd=self.work, capture_output=True, text=True,
                              env={**self.environment, **environment})

    def succeed(self, *arguments, **environment):
        result = self.run(*arguments, **environment)
        self.test.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fail(self, code, *arguments, **environment):
        result = self.run(*arguments, **environment)
        self.test.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        return result.stderr

    def set(self, state_id, state=None):
        self.succeed("set", "--force", state_id, json.dumps(state or STATE))

    def get(self, state_id):
        return json.loads(self.succeed("get", state_id))


class OnEveryStore:
    """The verbs; `store_type` is the store's."""

    def setUp(self):
        self.project = Project(self, self.store_type)

    def test_what_is_set_is_got_listed_shown_and_cleared(self):
        project = self.project
        self.assertEqual(project.succeed("list"), "")
        self.assertEqual(project.succeed("get", "dev:a"), "{}\n")
        project.set("dev:a")
        project.set("dev:é b")
        project.succeed("merge", "dev:a", json.dumps({"singer_state": {"bookmarks": {"refunds": 1}}}))
        self.assertEqual(project.get("dev:a"), {"singer_state": {"bookmarks": {"orders": {"id": 17}, "refunds": 1}}})
        self.assertEqual(project.succeed("list"), "dev:a\ndev:é b\n")
        self.assertEqual(project.succeed("list", "--pattern", "*b"), "dev:é b\n")
        self.assertIn("revision 2", project.succeed("show", "dev:a"))
        project.succeed("copy", "--force", "dev:a", "dev:c")
        project.succeed("move", "--force", "dev:c", "dev:d")
        self.assertEqual(project.succeed("list"), "dev:a\ndev:d\ndev:é b\n")
        self.assertEqual(json.loads(project.succeed("export", "--pattern", "dev:a"))["dev:a"]["partial"],
                         {"singer_state": {"bookmarks": {"refunds": 1}}})
        project.succeed("clear", "--force", "--all")
        self.assertEqual((project.succeed("list"), project.store.objects(), project.store.rows()), ("", {}, {}))

    def test_a_mistake_is_undone_by_the_history(self):
        project = self.project
        project.set("a")
        project.set("a", OTHER)
        project.succeed("clear", "--force", "a")
        entries = json.loads(project.succeed("history", "a", "--json"))
        self.assertEqual([entry["revision"] for entry in entries], [1, 2, 3])
        self.assertIn("id: 18", project.succeed("diff", "a", "1", "2"))
        project.succeed("rollback", "--force", "a", "1")
        self.assertEqual(project.get("a"), STATE)

    def test_locks_are_shown_and_broken(self):
        project = self.project
        project.set("a")
        project.succeed("rollback", "--force", "a", "1")
        self.assertEqual(json.loads(project.succeed("locks", "--json")), [])
        if not project.store.has_locks:
            return
        text = f"{time.time():.6f}"
        project.store.put("a/lock", text)
        self.assertEqual(json.loads(project.succeed("locks", "--json")),
                         [{"state_id": "a", "kind": "lock", "text": text}])
        project.succeed("unlock", "--yes", "a")
        self.assertEqual(json.loads(project.succeed("locks", "--json")), [])

    def test_a_store_in_a_flag_goes_before_that_of_the_project(self):
        self.project.set("a")
        uri = f"file://{self.project.work}/elsewhere"
        self.assertEqual(self.project.succeed("list", "--state-backend-uri", uri), "")
        self.project.succeed("migrate", "--to", uri)
        self.assertEqual(self.project.succeed("get", "a", "--state-backend-uri", uri), self.project.succeed("get", "a"))


class SqliteTest(OnEveryStore, unittest.TestCase):
    store_type = stores.SqliteStore


class PostgresTest(OnEveryStore, unittest.TestCase):
    store_type = stores.PostgresStore


class FileTest(OnEveryStore, unittest.TestCase):
    store_type = stores.FileStore


class S3Test(OnEveryStore, unittest.TestCase):
    store_type = stores.S3Store


class GcsTest(OnEveryStore, unittest.TestCase):
    store_type = stores.GcsStore


class AzureTest(OnEveryStore, unittest.TestCase):
    store_type = stores.AzureStore


class CountedRequests:
    """What the server is asked, as a proxy in front of it sees it."""

    def setUp(self):
        self.proxy = Proxy(stores.server(self.server))
        self.addCleanup(self.proxy.close)
        self.project = Project(self, self.store_type, endpoint=self.proxy.url)
        self.project.set("a")  # tries out once whether the bucket heeds conditions
        self.proxy.taken()

    def asked(self):
        """`GET a/state.json` and the like, `LIST` for a page."""
        return ["LIST" if self.is_list(request) else f"{request.method} {self.project.store.key_of(request)}"
                for request in self.taken()]

    def taken(self):
        return self.proxy.taken()

    def test_a_get_is_one_request(self):
        self.project.get("a")
        self.assertEqual(self.asked(), ["GET a/state.json"])
        self.project.get("nope")
        self.assertEqual(self.asked(), ["GET nope/state.json"])

    def test_a_set_reads_and_writes_each_of_its_objects_once(self):
        records = ".tidemark/a"
        self.project.succeed("set", "--yes", "a", json.dumps(OTHER))
        self.assertEqual(self.asked(), [
            f"GET {records}/lease.json", "PUT a/lock", f"GET {records}/history.jsonl", "GET a/state.json",
            "PUT a/state.json", f"PUT {records}/history.jsonl",
            "GET a/lock", "DELETE a/lock"])  # the lock is read back before it is removed

    def test_a_forced_set_asks_for_no_lease(self):
        self.project.set("a", OTHER)
        self.assertNotIn("GET .tidemark/a/lease.json", self.asked())

    def test_a_list_asks_for_pages_only(self):
        for number in range(3):
            self.project.set(f"b{number}")
        self.proxy.taken()
        self.project.succeed("list")
        self.assertEqual(self.asked(), ["LIST"])

    def test_locks_are_listed_without_a_look_at_each_id(self):
        for number in range(3):
            self.project.set(f"b{number}")
            self.project.succeed("rollback", "--force", f"b{number}", "1")
        self.project.store.put("b1/lock", "1")
        self.proxy.taken()
        self.project.succeed("locks")
        self.assertEqual(self.asked(), ["LIST", "LIST", "GET b1/lock"])


class S3RequestsTest(CountedRequests, unittest.TestCase):
    server, store_type = "s3", stores.S3Store

    def is_list(self, request):
        return "list-type" in request.query

    def test_a_list_jumps_past_the_records_and_reads_each_page_once(self):
        store = self.project.store
        store.put_many((f"{number:04}/state.json" for number in range(1001)), '{"completed": {}, "partial": {}}')
        store.put_many((f".tidemark/{number:04}/history.jsonl" for number in range(1000)), "")
        self.proxy.taken()
        self.assertEqual(len(self.project.succeed("list").splitlines()), 1002)
        self.assertEqual(len(self.asked()), math.ceil(1002 / 1000) + 1)

    def test_a_profile_gives_the_keys_and_comes_before_the_variables(self):
        self.project.store.settings["state_backend"]["s3"] = {"endpoint_url": self.proxy.url}
        (self.project.work / ".aws").mkdir()
        (self.project.work / ".aws/credentials").write_text(
            "[default]\naws_access_key_id = nobody\naws_secret_access_key = wrong\n"
            "[states]\naws_access_key_id = tidemark\naws_secret_access_key = tidemark-secret\n")
        wrong = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "wrong"}
        self.project.configure({})
        self.fail_to_list(wrong)
        self.project.configure({"profile": "states"})
        self.assertEqual(self.project.succeed("list", **wrong), "a\n")
        self.assertEqual(self.project.succeed("list", AWS_PROFILE="default"), "a\n")
        self.project.configure({"profile": "none"})
        self.assertIn("there is no profile 'none'", self.project.fail(1, "list"))

    def fail_to_list(self, environment):
        self.assertNotEqual(self.project.run("list", **environment).returncode, 0)

    def test_path_style_says_where_the_bucket_stands(self):
        endpoint, bucket = f"http://localhost:{self.proxy.port}", self.project.store.bucket
        for style, path, host in ((True, f"/{bucket}/", f"localhost:{self.proxy.port}"),
                                  (False, "/", f"{bucket}.localhost:{self.proxy.port}")):
            self.project.configure({"endpoint_url": endpoint, "path_style": style})
            self.project.run("list")
            asked = self.proxy.taken()[0]
            self.assertEqual((asked.method, asked.target, asked.header("host")), ("GET", path, host))

    def test_the_bucket_is_tried_out_once(self):
        cache = {"XDG_CACHE_HOME": str(self.project.work / "new")}
        for expected in (4, 1):
            self.project.succeed("set", "--force", "a", json.dumps(STATE), **cache)
            self.assertEqual(self.asked().count("PUT a/lock"), expected)


class GcsRequestsTest(CountedRequests, unittest.TestCase):
    server, store_type = "gcs", stores.GcsStore

    def is_list(self, request):
        return request.target.endswith("/o") and "name" not in request.query

    def taken(self):
        # The emulator, unlike the service, does not say what is missing, object or bucket: it is asked once.
        return [request for request in super().taken() if request.query.get("maxResults") != "1"]

    def asked(self):
        return [request.replace("POST ", "PUT ") for request in super().asked()]


class AzureRequestsTest(CountedRequests, unittest.TestCase):
    server, store_type = "azure", stores.AzureStore

    def is_list(self, request):
        return request.query.get("comp") == "list"


if __name__ == "__main__":
    unittest.main()
