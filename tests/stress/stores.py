"""The state backends under test, each a place that nobody has used before, and raw access to what is in it."""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from email.utils import formatdate
from pathlib import Path

SERVERS = Path(os.environ["TIDEMARK_SERVERS_DIR"])
# Azurite's account, as Microsoft publishes it.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def server_url(name):
    return (SERVERS / f"{name}.url").read_text().strip()


def send(method, url, headers=(), body=b""):
    request = urllib.request.Request(url, data=body or None, method=method, headers=dict(headers))
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


class FileStore:
    name = "file"
    has_lock_objects = True

    def __init__(self, folder):
        self.folder = folder

    def options(self):
        return {"uri": f"file://{self.folder}/state"}

    def environment(self):
        return {}

    def meltano_settings(self):
        return f"state_backend:\n  uri: file://{self.folder}/state\n"

    def write_lock(self, state_id, text):
        lock = self.folder / "state" / state_id / "lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.write_text(text)


class SqliteStore:
    name = "sqlite"
    has_lock_objects = False

    def __init__(self, folder):
        self.file = folder / "meltano.db"

    def options(self):
        return {"uri": "systemdb", "database_uri": f"sqlite:///{self.file}"}

    def environment(self):
        return {}

    def meltano_settings(self):
        return f"database_uri: sqlite:///{self.file}\n"

    def query(self, sql):
        connection = sqlite3.connect(self.file, timeout=30)
        try:
            with connection:
                return connection.executescript(sql) if ";" in sql else list(connection.execute(sql))
        finally:
            connection.close()


class PostgresStore:
    name = "postgres"
    has_lock_objects = False

    def __init__(self, folder):
        self.server = server_url("postgres")
        self.database = f"stress_{uuid.uuid4().hex[:12]}"
        self.query(f"CREATE DATABASE {self.database}", self.server)

    def options(self, address=None):
        return {"uri": "systemdb", "database_uri": self.url(address)}

    def url(self, address=None):
        parts = urllib.parse.urlsplit(self.server)
        host = address or parts.netloc.rpartition("@")[2]
        return f"postgresql://{parts.username}:{parts.password}@{host}/{self.database}"

    def address(self):
        parts = urllib.parse.urlsplit(self.server)
        return parts.hostname, parts.port

    def environment(self):
        return {}

    def meltano_settings(self):
        return f"database_uri: {self.url().replace('postgresql:', 'postgresql+psycopg:')}\n"

    def query(self, sql, url=None):
        done = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, url or self.url()],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return [line.split("|") for line in done.stdout.splitlines()]


class HttpStore:
    """A bucket; `endpoint` is where the server is, or a proxy in front of it."""

    has_lock_objects = True

    def __init__(self, folder):
        self.folder = folder
        self.bucket = f"stress-{uuid.uuid4().hex[:12]}"
        self.endpoint = server_url(self.name)
        self.make_bucket()

    def address(self):
        parts = urllib.parse.urlsplit(server_url(self.name))
        return parts.hostname, parts.port

    def through(self, address):
        """The same bucket behind a proxy."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, endpoint=f"http://{address[0]}:{address[1]}")
        return other

    def environment(self):
        return {}

    def key_of(self, path):
        """The object that a request of this path means, and nothing for a request of another kind."""
        path = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
        return path.partition(f"/{self.bucket}/")[2]

    def condition_of(self, request):
        """Of a write: the version that it replaces, `*` for none; empty when it has no condition."""
        return request.header("if-match") or request.header("if-none-match")

    def version_of(self, request):
        """That the answer to a request says."""
        return request.answer_headers["etag"]


class S3Store(HttpStore):
    name = "s3"
    key_id, secret, region = "tidemark", "tidemark-secret", "us-east-1"

    def options(self):
        return {"uri": f"s3://{self.bucket}/elt", "endpoint": self.endpoint, "key_id": self.key_id,
                "secret": self.secret, "directory": str(self.folder)}

    def meltano_settings(self):
        return (f"state_backend:\n  uri: s3://{self.bucket}/elt\n  s3:\n    endpoint_url: {self.endpoint}\n"
                f"    aws_access_key_id: {self.key_id}\n    aws_secret_access_key: {self.secret}\n")

    def make_bucket(self):
        self.put(f"/{self.bucket}")

    def write_lock(self, state_id, text):
        self.put(f"/{self.bucket}/elt/{urllib.parse.quote(state_id, safe='')}/lock", text.encode())

    def put(self, path, body=b""):
        """Signed by AWS Signature Version 4."""
        host = urllib.parse.urlsplit(self.endpoint).netloc
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": moment}
        names = ";".join(headers)
        canonical = "\n".join(["PUT", path, "", *(f"{k}:{v}" for k, v in headers.items()), "", names, digest])
        scope = f"{moment[:8]}/{self.region}/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        key = f"AWS4{self.secret}".encode()
        for part in [*scope.split("/"), text]:
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={self.key_id}/{scope}, SignedHeaders={names}, "
                                    f"Signature={key.hex()}")
        status, answer = send("PUT", self.endpoint + path, headers, body)
        if status != 200:
            raise AssertionError(f"{status}: {answer}")


class GcsStore(HttpStore):
    name = "gcs"

    def options(self):
        return {"uri": f"gs://{self.bucket}/elt", "directory": str(self.folder)}

    def environment(self):
        return {"STORAGE_EMULATOR_HOST": self.endpoint}

    def meltano_settings(self):
        return f"state_backend:\n  uri: gs://{self.bucket}/elt\n"

    def make_bucket(self):
        self.post("/storage/v1/b?project=stress", json.dumps({"name": self.bucket}))

    def write_lock(self, state_id, text):
        name = urllib.parse.quote(f"elt/{state_id}/lock", safe="")
        self.post(f"/upload/storage/v1/b/{self.bucket}/o?uploadType=media&name={name}", text)

    def post(self, path, text):
        status, answer = send("POST", self.endpoint + path, {"Content-Type": "application/json"}, text.encode())
        if status != 200:
            raise AssertionError(f"{status}: {answer}")

    def key_of(self, path):
        parts = urllib.parse.urlsplit(path)
        name = urllib.parse.parse_qs(parts.query).get("name")
        return name[0] if name else urllib.parse.unquote(parts.path.partition(f"/b/{self.bucket}/o/")[2])

    def condition_of(self, request):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        return "".join(query.get("ifGenerationMatch", []))

    def version_of(self, request):
        return request.answer_headers.get("x-goog-generation") or json.loads(request.answer)["generation"]


class AzureStore(HttpStore):
    name = "azure"

    def connection_string(self):
        return (f"DefaultEndpointsProtocol=http;AccountName={AZURE_ACCOUNT};AccountKey={AZURE_KEY};"
                f"BlobEndpoint={self.endpoint}/{AZURE_ACCOUNT}")

    def options(self):
        return {"uri": f"azure://{self.bucket}/elt", "connection_string": self.connection_string(),
                "directory": str(self.folder)}

    def meltano_settings(self):
        return (f"state_backend:\n  uri: azure://{self.bucket}/elt\n  azure:\n"
                f"    connection_string: {self.connection_string()}\n")

    def make_bucket(self):
        self.put(f"/{AZURE_ACCOUNT}/{self.bucket}", {"restype": "container"}, {}, b"")

    def write_lock(self, state_id, text):
        self.put(f"/{AZURE_ACCOUNT}/{self.bucket}/elt/{urllib.parse.quote(state_id, safe='')}/lock", {},
                 {"x-ms-blob-type": "BlockBlob"}, text.encode())

    def put(self, path, query, headers, body):
        """Signed by Shared Key."""
        headers = {**headers, "x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
        kind = "application/octet-stream" if body else ""
        canonical = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
        resource = f"/{AZURE_ACCOUNT}{path}" + "".join(f"\n{name}:{value}" for name, value in query.items())
        text = f"PUT\n\n\n{len(body) or ''}\n\n{kind}\n\n\n\n\n\n\n{canonical}{resource}"
        digest = hmac.new(base64.b64decode(AZURE_KEY), text.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {AZURE_ACCOUNT}:{base64.b64encode(digest).decode()}"
        if body:
            headers["Content-Type"] = kind
        status, answer = send("PUT", f"{self.endpoint}{path}?{urllib.parse.urlencode(query)}", headers, body)
        if status != 201:
            raise AssertionError(f"{status}: {answer}")


STORES = {store.name: store for store in (FileStore, SqliteStore, PostgresStore, S3Store, GcsStore, AzureStore)}
