#!/usr/bin/env python3
"""Writes COUNT nested pull-request documents as JSON lines: the same bytes every time.

usage: generate.py COUNT FILE

About 925 bytes a document, shaped like GitHub's list of pull requests: nested objects (user, head, base),
two lists of objects (labels, requested_reviewers), nulls, times, and text with non-ASCII letters and
line breaks.
"""

import json
import random
import sys
from datetime import datetime, timedelta

WORDS = ("fix add remove cursor page column table schema merge load naïve über state retry token cache index "
         "parser queue flush commit branch review test docs build release config option default value").split()
LABELS = ("bug", "documentation", "enhancement", "good first issue", "help wanted", "performance", "question",
          "regression", "security", "wontfix")
START = datetime(2020, 1, 1)


def time(seconds):
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def branch(rng, index):
    return {"ref": f"{rng.choice(WORDS)}-{index}", "sha": f"{rng.getrandbits(160):040x}",
            "repo": {"id": index % 50, "name": f"repository-{index % 50}", "private": False}}


def document(rng, index):
    created = index * 60 + rng.randrange(60)
    updated = created + rng.randrange(10**6)
    user = rng.randrange(5000)
    return {
        "id": 10**9 + index,
        "node_id": f"PR_{rng.getrandbits(64):016x}",
        "number": index + 1,
        "state": rng.choice(("open", "closed")),
        "locked": rng.random() < 0.02,
        "title": " ".join(rng.choices(WORDS, k=6)),
        "user": {"login": f"user-{user}", "id": user, "type": "User", "site_admin": user < 5},
        "body": None if rng.random() < 0.05 else "\n".join(
            " ".join(rng.choices(WORDS, k=9)) for _ in range(rng.randrange(1, 6))),
        "created_at": time(created),
        "updated_at": time(updated),
        "merged_at": time(updated) if rng.random() < 0.6 else None,
        "labels": [{"id": label, "name": LABELS[label], "color": f"{label * 1111111 % 0xffffff:06x}",
                    "default": label < 3} for label in rng.sample(range(len(LABELS)), rng.randrange(3))],
        "requested_reviewers": [{"login": f"user-{reviewer}", "id": reviewer}
                                for reviewer in rng.sample(range(5000), rng.randrange(3))],
        "head": branch(rng, index),
        "base": branch(rng, 0),
        "score": rng.randrange(10**6) / 1000,
    }


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    rng = random.Random(20200101)
    with open(path, "w", encoding="utf-8") as file:
        for index in range(count):
            file.write(json.dumps(document(rng, index), ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
