# The two commands: `make run` measures the standard suite, `make test` passes every test.
# Both install what is missing first; CMakePresets.json has the other builds.
.PHONY: run test build clean check

JOBS ?= $(shell nproc)

run: build
	build/release/bin/tare run build/release/bin/examples $(ARGS)

test: build
	ctest --test-dir build/release --output-on-failure --timeout 600 -j$(JOBS)

build:
	@tools/setup
	@mkdir -p build
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 2; }
	cmake --build build/release -j$(JOBS)

# What .ci/run does beyond `make test`; needs `tools/setup ci`.
check:
	.ci/run --checks-only

clean:
	rm -rf build
