"""Meltano's state service, driven by JSON lines: a process that starts once, where each `meltano` takes seconds.

Run by build/venv-meltano. Each line of standard input is [project folder, verb, argument …]; each line of
standard output is {"result": …} or {"error": "Type: text"}. The folder's project file holds the settings. Its
system database is migrated at first use. `hold` answers when it has Meltano's lock of an ID, and gives it back
after so many seconds.
"""

import json
import logging
import os
import sys
import threading
import time
from pathlib import Path

os.environ.setdefault("MELTANO_SEND_ANONYMOUS_USAGE_STATS", "false")
os.environ.setdefault("MELTANO_CLI_DISABLE_VERSION_CHECK", "true")
os.environ.setdefault("NO_COLOR", "1")
os.environ.setdefault("MELTANO_JOB_TRIGGER", "cli")  # as its command line does

import structlog  # noqa: E402
from meltano.core.db import project_engine  # noqa: E402
from meltano.core.job import Payload  # noqa: E402
from meltano.core.migration_service import MigrationService  # noqa: E402
from meltano.core.project import Project  # noqa: E402
from meltano.core.state_service import StateService  # noqa: E402

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr),
                    wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))

sessions = {}


def session_of(folder):
    if folder not in sessions:
        project = Project(Path(folder).resolve())
        Project.activate(project)
        engine, make_session = project_engine(project)
        MigrationService(engine).upgrade(silent=True)
        sessions[folder] = project, make_session
    project, make_session = sessions[folder]
    return project, make_session(future=True)


def run(service, verb, *arguments):
    if verb == "list":
        return sorted(service.list_state(*arguments))
    if verb == "get":
        return service.get_state(*arguments)
    if verb == "set":
        return service.set_state(arguments[0], json.dumps(arguments[1]))
    if verb == "merge":
        return service.add_state(arguments[0], json.dumps(arguments[1]), Payload.INCOMPLETE_STATE)
    if verb == "clear":
        return service.clear_state(*arguments)
    if verb == "export":
        return service.export_state()
    if verb == "hold":
        return hold(service.state_store_manager, *arguments)
    raise ValueError(f"no such verb: {verb}")


def hold(manager, state_id, seconds):
    is_held = threading.Event()

    def work():
        with manager.acquire_lock(state_id, retry_seconds=1):
            is_held.set()
            time.sleep(seconds)
    threading.Thread(target=work).start()
    is_held.wait()


def main():
    for line in sys.stdin:
        folder, *command = json.loads(line)
        project, session = session_of(folder)
        try:
            with StateService(project, session) as service:
                answer = {"result": run(service, *command)}
        except Exception as error:  # the other side decides what an error means
            answer = {"error": f"{type(error).__name__}: {error}"}
        finally:
            session.close()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
