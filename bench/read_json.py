#!/usr/bin/env python3
"""DuckDB's own way: one nested table from a file of JSON lines, through the same shared library.

usage: read_json.py LIBRARY FILE DATABASE    prints the seconds from open to close
"""

import ctypes
import sys
import time


def check(code, what):
    if code != 0:
        raise SystemExit(f"read_json: {what} failed")


def main():
    library, file, path = sys.argv[1:]
    duckdb = ctypes.CDLL(library)
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    start = time.monotonic()
    check(duckdb.duckdb_open(path.encode(), ctypes.byref(database)), f"open {path}")
    check(duckdb.duckdb_connect(database, ctypes.byref(connection)), "connect")
    sql = f"create table pulls as select * from read_json('{file}', format = 'newline_delimited')"
    check(duckdb.duckdb_query(connection, sql.encode(), None), sql)
    duckdb.duckdb_disconnect(ctypes.byref(connection))
    duckdb.duckdb_close(ctypes.byref(database))
    print(time.monotonic() - start)


if __name__ == "__main__":
    main()
