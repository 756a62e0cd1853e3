# The front door. Every target installs what it needs and is missing (scripts/setup), so a fresh
# Debian 12 machine with git and make can start with any of them. CONTRIBUTING.md says more.
JOBS ?= $(shell nproc)
# Twice as many tests as cores: the longest wait (for a lease to end, for a server) more than they compute.
CTEST ?= ctest --output-on-failure -j $$(( 2 * $(JOBS) ))

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
# ccache, where there is one, hits across clones.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# What ccache asks for before it keeps files that use precompiled headers.
export CCACHE_SLOPPINESS := pch_defines,time_macros

.PHONY: build demo test stress bench lint format tsan fuzz clean
.NOTPARALLEL:

build: duckdb
	cmake --preset release
	cmake --build build/release
	ln -sfn release/tidemark build/tidemark

demo: build
	scripts/fetch-recordings
	demo/run

test: duckdb
	scripts/setup test
	scripts/fetch-recordings
	# What the tests run beside is fetched while they are built: much of it is downloading.
	scripts/fetch-peers >build/fetch-peers.log 2>&1 & peers=$$!; \
	  cmake --preset test && cmake --build build/test; built=$$?; \
	  wait $$peers || { cat build/fetch-peers.log; exit 1; }; exit $$built
	cd build/test && $(CTEST)

# Many writers, holders that die at every step and stores that fail, at full length and full speed.
stress: duckdb
	scripts/setup test
	scripts/fetch-meltano
	scripts/fetch-servers
	cmake --preset stress
	cmake --build build/stress --target stress_writer
	cd build/stress && TIDEMARK_STRESS=long ctest --verbose -L stress

# Data races, on the tests that run threads.
tsan: duckdb
	scripts/setup test
	cmake --preset tsan
	cmake --build build/tsan --target concurrent_tests
	cd build/tsan && TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp $(CTEST) -L concurrent

# Every fuzz target for FUZZ_SECONDS, starting from its corpus in fuzz/corpus; FUZZ_SEED repeats a run.
FUZZ_SECONDS ?= 60
fuzz: duckdb
	scripts/setup fuzz
	cmake --preset fuzz
	cmake --build build/fuzz --target fuzzers
	scripts/run-fuzzers build/fuzz $(FUZZ_SECONDS) $(FUZZ_SEED)

bench: build
	scripts/setup test
	scripts/fetch-dlt
	scripts/fetch-meltano
	scripts/fetch-servers s3
	bench/run

# All files; LINT_SINCE=<commit> limits clang-tidy to what changed since then.
lint: duckdb
	scripts/setup test lint
	cmake --preset lint
	scripts/lint $(if $(LINT_SINCE),--since $(LINT_SINCE))

format:
	scripts/setup lint
	git ls-files '*.h' '*.cc' | xargs clang-format-19 -i

clean:
	rm -rf build

.PHONY: duckdb
duckdb:
	@scripts/setup build
	@scripts/fetch-duckdb
