"""Runs the demo's pipeline with dlt: the same configuration as demo/tidemark.yml, written as dlt wants it.

usage: dlt_run.py DIRECTORY URL TOKEN    prints the load info
"""

import sys
from pathlib import Path

import dlt
from dlt.sources.rest_api import rest_api_source


def resource(name, path, params, **incremental):
    return {
        "name": name,
        "endpoint": {"path": path, "params": params,
                     "incremental": {"cursor_path": "updated_at", "initial_value": "2000-01-01", **incremental}},
        "primary_key": "id",
        "write_disposition": "merge",
    }


def source(url, token):
    return rest_api_source({
        "client": {"base_url": url, "auth": {"type": "bearer", "token": token}, "paginator": "header_link"},
        "resources": [
            resource("github_pulls", "repos/django/django/pulls", {"state": "open"}),
            resource("issues", "repos/openframeworks/openFrameworks/issues", {"state": "open", "per_page": 50},
                     start_param="since"),
        ],
    }, name="github")


def main():
    directory, url, token = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    pipeline = dlt.pipeline("github_pipeline", pipelines_dir=str(directory / "pipelines"), dataset_name="github_data",
                            destination=dlt.destinations.duckdb(str(directory / "github.duckdb")))
    print(pipeline.run(source(url, token)))


if __name__ == "__main__":
    main()
