"""Where states can be kept, for tests: each store a new one, on the server that tests/servers has started.

What tidemark and Meltano wrote is looked at through the clouds' own clients, which build/venv-meltano has.
TIDEMARK_SERVERS_DIR is the directory that the start scripts were given.
"""

import copy
import json
import os
import sqlite3
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# The account of every Azure emulator, published by Microsoft.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def server(name):
    return (Path(os.environ["TIDEMARK_SERVERS_DIR"]) / f"{name}.url").read_text().strip()


def new_name():
    return f"tidemark-{uuid.uuid4().hex[:16]}"


class Store:
    """A new, empty store. `settings` go into the project file; `environment` is of whoever works on it."""

    has_locks = True  # whether an ID is locked by an object beside its state
    environment = {}
    database_uri = ""  # of a system database

    def __init__(self, work):
        self.work = Path(work)

    def objects(self):
        """{key: text}, with the prefix; nothing of what is tidemark's own."""
        return {}

    def system_database(self):
        """A connection to the system database and its place holder, or nothing where there is none."""
        database = self.work / ".meltano/meltano.db"
        return sqlite3.connect(f"file:{database}?mode=ro", uri=True) if database.exists() else None

    def select(self, query):
        connection = self.system_database()
        if connection is None:
            return []
        try:
            return [list(row) for row in connection.execute(query).fetchall()]
        finally:
            connection.close()

    def rows(self):
        """{state ID: [completed, partial]}"""
        return {row[0]: row[1:] for row in
                self.select("select state_id, completed_state, partial_state from state")}

    def edits(self):
        """What was recorded of edits in `runs`, oldest first."""
        return self.select('select job_name, payload, payload_flags, "trigger" from runs '
                           "where state = 'STATE_EDIT' order by id")

    def project(self):
        """The settings as text of a project file, which is YAML because it is JSON."""
        return "\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in self.settings.items())


class SqliteStore(Store):
    has_locks = False
    settings = {"state_backend": {"uri": "systemdb"}}

    def __init__(self, work):
        super().__init__(work)
        self.database_uri = self.place = f"sqlite:///{self.work}/.meltano/meltano.db"

    def execute(self, sql):
        connection = sqlite3.connect(self.work / ".meltano/meltano.db", timeout=30)
        with connection:
            connection.executescript(sql)
        connection.close()


class PostgresStore(Store):
    has_locks = False
    place = "postgresql://"

    def __init__(self, work):
        super().__init__(work)
        server_url = server("postgres")
        self.name = new_name()
        self.url = self.database_uri = server_url.rsplit("/", 1)[0] + f"/{self.name}"
        with self.connect(server_url) as connection:
            connection.autocommit = True
            connection.execute(f'create database "{self.name}"')
        self.settings = {"state_backend": {"uri": "systemdb"},
                         "database_uri": self.url.replace("postgresql://", "postgresql+psycopg://")}

    def behind(self, endpoint):
        """The same database, for tidemark, at a proxy."""
        other = copy.copy(self)
        server_at, proxy_at = (urllib.parse.urlsplit(url).netloc.rpartition("@")[2] for url in (self.url, endpoint))
        other.database_uri = self.url.replace(server_at, proxy_at)
        return other

    def execute(self, sql):
        with self.connect(self.url) as connection:
            connection.execute(sql)

    @staticmethod
    def connect(url):
        import psycopg
        return psycopg.connect(url)

    def system_database(self):
        connection = self.connect(self.url)
        made = connection.execute("select to_regclass('runs')").fetchone()[0]
        if made:
            return connection
        connection.close()
        return None


class FileStore(Store):
    def __init__(self, work):
        super().__init__(work)
        self.root = self.work / "state"
        self.place = f"file://{self.root}"
        self.settings = {"state_backend": {"uri": self.place}}

    def objects(self):
        return {str(file.relative_to(self.root)): file.read_text()
                for file in self.root.rglob("*") if file.is_file() and ".tidemark" not in file.parts}

    def content_type(self, key):
        return None

    def put(self, key, text):
        (self.root / key).parent.mkdir(parents=True, exist_ok=True)
        (self.root / key).write_text(text)

    def remove(self, key):
        (self.root / key).unlink()


class BucketStore(Store):
    prefix = "pre/fix"

    @property
    def place(self):
        return self.settings["state_backend"]["uri"]

    def behind(self, endpoint):
        """The same bucket at a proxy."""
        other = copy.copy(self)
        other.lead_to(endpoint)
        return other

    def objects(self):
        ours = f"{self.prefix}/.tidemark/"
        return {key: self.read(key) for key in self.keys() if not key.startswith(ours)}

    def key_of(self, request):
        """The object that a request means, without the prefix; nothing for one of another kind."""
        return request.target.partition(f"/{self.prefix}/")[2]

    def condition_of(self, request):
        """Of a write: the version that it replaces, `*` for none; empty when it has no condition."""
        return request.header("if-match") or request.header("if-none-match")

    def version_of(self, request):
        """That the answer says."""
        return request.answer_headers["etag"]


class S3Store(BucketStore):
    def __init__(self, work, endpoint=None):
        super().__init__(work)
        import boto3
        self.bucket = new_name()
        self.client = boto3.client("s3", endpoint_url=server("s3"), aws_access_key_id="tidemark",
                                   aws_secret_access_key="tidemark-secret", region_name="us-east-1")
        self.client.create_bucket(Bucket=self.bucket)
        self.lead_to(endpoint or server("s3"))

    def lead_to(self, endpoint):
        self.settings = {"state_backend": {"uri": f"s3://{self.bucket}/{self.prefix}", "s3": {
            "aws_access_key_id": "tidemark", "aws_secret_access_key": "tidemark-secret", "endpoint_url": endpoint}}}

    @staticmethod
    def through(endpoint):
        """Variables that lead tidemark there, not Meltano."""
        return {"TIDEMARK_STATE_BACKEND_S3_ENDPOINT_URL": endpoint}

    def keys(self):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def read(self, key):
        return self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read().decode()

    def content_type(self, key):
        return self.client.head_object(Bucket=self.bucket, Key=key)["ContentType"]

    def put(self, key, text):
        self.client.put_object(Bucket=self.bucket, Key=f"{self.prefix}/{key}", Body=text.encode())

    def remove(self, key):
        self.client.delete_object(Bucket=self.bucket, Key=f"{self.prefix}/{key}")

    def put_many(self, keys, text):
        """As files where the server keeps its objects: enough for a listing, and a hundred times faster."""
        root = Path(os.environ["TIDEMARK_SERVERS_DIR"]) / "s3.data/buckets" / self.bucket / self.prefix
        for key in keys:
            (root / key).parent.mkdir(parents=True, exist_ok=True)
            (root / key).write_text(text)


class GcsStore(BucketStore):
    def __init__(self, work, endpoint=None):
        super().__init__(work)
        self.bucket = new_name()
        self.ask("POST", "/storage/v1/b?project=tidemark", json.dumps({"name": self.bucket}))
        self.settings = {"state_backend": {"uri": f"gs://{self.bucket}/{self.prefix}"}}
        self.lead_to(endpoint or server("gcs"))

    def lead_to(self, endpoint):
        self.environment = {"STORAGE_EMULATOR_HOST": endpoint}

    def key_of(self, request):
        name = request.query.get("name")
        return name.removeprefix(f"{self.prefix}/") if name else super().key_of(request)

    def condition_of(self, request):
        """`0` for none."""
        return request.query.get("ifGenerationMatch", "")

    def version_of(self, request):
        return request.answer_headers.get("x-goog-generation") or json.loads(request.answer)["generation"]

    @staticmethod
    def through(endpoint):
        return {"STORAGE_EMULATOR_HOST": endpoint}

    @staticmethod
    def ask(method, target, body=None):
        request = urllib.request.Request(server("gcs") + target, body.encode() if body is not None else None,
                                         {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()

    def target(self, key):
        return f"/storage/v1/b/{self.bucket}/o/{urllib.parse.quote(key, safe='')}"

    def keys(self):
        listed = json.loads(self.ask("GET", f"/storage/v1/b/{self.bucket}/o"))
        return [item["name"] for item in listed.get("items", [])]

    def read(self, key):
        return self.ask("GET", self.target(key) + "?alt=media")

    def content_type(self, key):
        return json.loads(self.ask("GET", self.target(key)))["contentType"]

    def put(self, key, text):
        name = urllib.parse.quote(f"{self.prefix}/{key}", safe="")
        self.ask("POST", f"/upload/storage/v1/b/{self.bucket}/o?uploadType=media&name={name}", text)

    def remove(self, key):
        self.ask("DELETE", self.target(f"{self.prefix}/{key}"))


class AzureStore(BucketStore):
    prefix = "pre"

    def __init__(self, work, endpoint=None):
        super().__init__(work)
        from azure.storage.blob import ContainerClient
        self.container = new_name()
        self.client = ContainerClient.from_connection_string(self.connection_string(server("azure")), self.container)
        self.client.create_container()
        self.lead_to(endpoint or server("azure"))

    def lead_to(self, endpoint):
        self.settings = {"state_backend": {"uri": f"azure://{self.container}/{self.prefix}", "azure": {
            "connection_string": self.connection_string(endpoint)}}}

    @staticmethod
    def connection_string(endpoint):
        return (f"DefaultEndpointsProtocol=http;AccountName={AZURE_ACCOUNT};AccountKey={AZURE_KEY};"
                f"BlobEndpoint={endpoint}/{AZURE_ACCOUNT};")

    def through(self, endpoint):
        return {"TIDEMARK_STATE_BACKEND_AZURE_CONNECTION_STRING": self.connection_string(endpoint)}

    def keys(self):
        return [blob.name for blob in self.client.list_blobs()]

    def read(self, key):
        return self.client.download_blob(key).readall().decode()

    def content_type(self, key):
        return self.client.get_blob_client(key).get_blob_properties().content_settings.content_type

    def put(self, key, text):
        self.client.upload_blob(f"{self.prefix}/{key}", text.encode(), overwrite=True)

    def remove(self, key):
        self.client.delete_blob(f"{self.prefix}/{key}")


STORES = {"file": FileStore, "sqlite": SqliteStore, "postgres": PostgresStore, "s3": S3Store, "gcs": GcsStore,
          "azure": AzureStore}
