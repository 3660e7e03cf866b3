# The two commands of Wright are `make try` and `make test`. The building itself is CMake's:
# see CMakePresets.json.

JOBS      ?= $(shell nproc)
# Many tests wait for something most of their time.
TEST_JOBS ?= $(shell expr $(JOBS) \* 2)
PREFIX    ?= /usr/local
FUZZ_TIME ?= 5
SEEDS     ?= 1..10000
SESSIONS  ?= 2000
SECONDS_OF_BLOWS ?= 180
Q         ?= What is this project, and where is the run machine defined?
export Q

.PHONY: help try test sanitize simulate plants slow chaos tsan fuzz coverage bench compare docs pictures format lint lint-changes times \
        package subproject protocols nightly install clean
.NOTPARALLEL:
.SECONDARY:

help:
	@echo 'Wright: a native runtime for agents that use tools'
	@echo
	@echo '  make try          build it and ask the shipped agent about this repository'
	@echo '  make try Q="…"    ask it something else'
	@echo '  make test         build everything with sanitizers and run every test'
	@echo
	@echo '  make install      install below PREFIX (default /usr/local); DESTDIR is honoured'
	@echo '  make package      Debian packages and a tarball, tested in a clean Debian, in build/package/packages'
	@echo '  make bench        build the benchmarks and print one table'
	@echo '  make compare      the same agent loop in frameworks from npm, beside Wright (some 400 MB from npm)'
	@echo '  make docs         the documentation as a site, in build/site'
	@echo '  make pictures     the pictures of the terminal in docs/pictures, from real runs'
	@echo '  make coverage     test coverage of src/core, src/store and src/feedback; fails below 90 %'
	@echo '  make simulate     sessions in a world of faults, one history a seed; SEEDS=first..last'
	@echo '  make plants       the simulation with each of its bugs planted, which it must find'
	@echo '  make chaos        workers on a PostgreSQL that are killed for minutes; SESSIONS=…, SECONDS_OF_BLOWS=…'
	@echo '  make sanitize     the tests with the sanitizers in their own code, too'
	@echo '  make tsan         the tests under ThreadSanitizer'
	@echo '  make fuzz         every fuzz target for FUZZ_TIME seconds (default 5)'
	@echo '  make slow         tests that take minutes: a disk that fails at every write, the other compiler'
	@echo '  make protocols    all of the official suite for MCP, its inspector, and promtool'
	@echo '  make nightly      all of these and what else takes long, each in bounded time, with one table'
	@echo '  make times        where the time of the last build went, by folder; PRESET=dev'
	@echo '  make format       clang-format every source file'
	@echo '  make lint         clang-tidy all but the tests; SINCE=main: only files changed since'
	@echo '  make lint-changes the same for 40 seconds, most changed first, since the branch left main'
	@echo '  make clean        remove build/'
	@echo
	@echo 'Debian packages that are missing are installed first (packaging/debian-packages.txt).'

try: build-try
	@printf '\n$$ wright run codebase-analysis "%s"\n' "$$Q"
	@build/try/wright run codebase-analysis "$$Q" --model offline --base-path '$(CURDIR)' \
	  --database-path build/sessions.db

test: build-dev
	ctest --preset dev --parallel $(TEST_JOBS)

simulate: build-simulation
	build/simulation/tests/simulation/wright_simulation --seeds $(SEEDS)

plants: build-simulation
	build/simulation/tests/simulation/wright_simulation --plants

slow: build-dev
	ctest --preset dev -C nightly -R '^(Compilers|Faults|Postgres)\.'

# CHAOS_SEED=2 is another one.
chaos: build-dev
	CHAOS_SESSIONS=$(SESSIONS) CHAOS_WORKERS=8 CHAOS_SECONDS=$(SECONDS_OF_BLOWS) build/dev/tests/postgres/wright_chaos_test
	CHAOS_REAL=1 build/dev/tests/postgres/wright_postgres_cli_test --gtest_filter='RealChaos.*'

# The label `build` is on tests of compiling and installing, which no sanitizer or counter sees.
sanitize: build-sanitize
	ctest --preset sanitize --parallel $(TEST_JOBS) --label-exclude build

tsan: build-tsan
	ctest --preset tsan --parallel $(JOBS) --label-exclude build

fuzz: build-fuzz
	@fuzz/run.sh build/fuzz $(FUZZ_TIME)

coverage: build-coverage
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage --parallel $(JOBS) --label-exclude build
	@for folder in core store feedback; do \
	  gcovr --gcov-executable 'llvm-cov-19 gcov' --root . --filter "src/$$folder/" --exclude '.*_test\.cpp' --fail-under-line 90 \
	    build/coverage/src/$$folder || exit 1; \
	done

bench: build-bench
	@bench/run.sh build/bench
	@printf '\n== instructions of a turn\n'
	@ctest --test-dir build/bench -C nightly -R InstructionCounts --output-on-failure
	@printf '\n== mcp_compare\n'
	@if ! command -v node > /dev/null || [ ! -d build/bench/bench/ajv/node_modules/@modelcontextprotocol/sdk ]; then \
	  echo 'skipped: needs node, and the SDK of MCP from npm'; \
	else node bench/mcp_compare.mjs build/bench/wright build/bench/bench/ajv; fi

# Takes long: a turn of some takes fifty times the CPU of ours.
compare: packages-npm build-bench
	@python3 -B bench/compare/run.py --binaries build/bench/bench --folder build/bench/compare

# Nothing is fetched. A link to nothing, or a public header without words, fails.
docs: packages-docs
	@python3 docs/site/stage.py --root . --out build/site-source
	@mkdocs build --quiet --strict --config-file build/site-source/mkdocs.yml
	@echo 'build/site/index.html; with search: python3 -m http.server --directory build/site --bind 127.0.0.1'

pictures: build-try
	@python3 docs/site/pictures.py --wright build/try/wright --root . --out docs/pictures

SOURCES = git ls-files '*.h' '*.cpp'
LINTED  = git diff --name-only --diff-filter=d $(SINCE) -- 'src/*.cpp' 'examples/*.cpp' ':!*_test.cpp' ':!*_testing.cpp'

format: packages-format
	$(SOURCES) | xargs clang-format -i

# It reads the compiled headers, and what else the build makes.
lint: packages-lint
	@cmake --preset dev > /dev/null
	@cmake --build --preset dev --target wright
	@$(if $(SINCE),$(LINTED) | xargs --no-run-if-empty -P $(JOBS) -n 1 clang-tidy-19 -p build/dev --quiet,cmake/lint.py build/dev)

lint-changes: packages-lint
	@cmake --preset dev > /dev/null
	@cmake/lint_changes.sh $(SINCE)

PRESET ?= dev
times:
	@cmake/build_times.sh build/$(PRESET)

package: build-package
	@packaging/package.sh build/package

# All of Wright, built as a part of another project; `make test` only compiles that project's own file.
subproject: packages-release
	tests/subproject/run.sh FetchContent .

# What needs large packages, or minutes: all scenarios of the official suite for MCP, its inspector,
# Prometheus' own check of /metrics, and ten thousand listeners.
protocols: build-dev
	@packaging/install-packages.sh metrics
	ctest --preset dev -C nightly -R '^(Mcp\.(inspector|conformance_of)|Serving\.(client|ten_thousand_listeners))'

nightly:
	@packaging/nightly.sh

install: build-release
	cmake --install build/release --prefix '$(PREFIX)'

clean:
	rm -rf build

# build-X configures and builds the preset X, after packages-X has installed what that needs. What only the tests
# need is installed meanwhile. npm installs beside the compilers, of which there are JOBS.
build-%: packages-%
	@cmake --preset $* -DWRIGHT_JOBS=$(JOBS) $(if $(wildcard build/$*/build.ninja),> /dev/null)
	@cmake --build --preset $* --parallel $(shell expr $(JOBS) + 2)
	@$(if $(BESIDE_$*),packaging/install-packages.sh $(BESIDE_$*))

SECTIONS_release  = build
SECTIONS_package  = build package
SECTIONS_try      = build clang
SECTIONS_dev      = build test clang sanitizers
SECTIONS_sanitize = build test clang sanitizers
SECTIONS_tsan     = build test clang sanitizers
SECTIONS_simulation = build test
SECTIONS_fuzz     = build clang sanitizers
SECTIONS_coverage = build test clang sanitizers coverage
SECTIONS_bench    = build bench npm
SECTIONS_docs     = docs
SECTIONS_format   = format
SECTIONS_lint     = build test clang lint

BESIDE_dev      = npm run
BESIDE_sanitize = npm run
BESIDE_tsan     = npm run
BESIDE_coverage = npm run

packages-%:
	@packaging/install-packages.sh $(SECTIONS_$*) $(if $(BESIDE_$*),--beside $(BESIDE_$*))
