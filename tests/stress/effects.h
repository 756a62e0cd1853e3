#pragma once

#include <cstdint>

// For tests: the calls by which this process changes something outside of itself, counted: what it
// writes into files and sends to servers, what it makes, moves, links, syncs and removes, and the
// locks of files that keep others out. The program defines these functions in front of the C
// library's, so those of SQLite, libpq and libcurl are counted too. Standard output is left out.
namespace tidemark::stress {

// Counts from 0 again. Before the effect number `at`, counted from 1, the process says `stopped` on
// standard output and stops itself as by SIGSTOP; 0: never.
void stop_before_effect(uint64_t at);
// Counts from 0 again. From the effect number `from` on the disk is full; 0: it is not.
void fill_disk_at_effect(uint64_t from);
// Since one of the two was called.
uint64_t effects();
// From now on, at the moment before a file named `state.json` is replaced, what stands in it and
// what will are added to the file, a line each. Nothing else is told.
void log_overwrites(const char* file);

}  // namespace tidemark::stress
