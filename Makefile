# The two commands: `make run` measures the examples, the tensor suite, the scalar AD suite and the models, `make test` passes every
# test. Both install what is missing first; CMakePresets.json has the other builds.
.PHONY: run run-examples run-scalar run-tensor run-models test build clean check

JOBS ?= $(shell nproc)

TARE = build/release/bin/tare

run: run-examples run-tensor run-scalar run-models
	@$(TARE) report --last --out build/report.html

run-examples: build
	@echo 'The examples, about a minute:'
	$(TARE) run build/release/bin/examples $(ARGS)

# A quarter of a second for each of some 500 benchmarks: enough for ratios, see docs/measurements/scalar.md for more.
run-scalar: build
	@echo
	@echo 'The scalar AD suite, two to three minutes: every engine on every workload (`tools/setup peers` adds ADOL-C, Sacado, Stan Math).'
	$(TARE) run build/release/bin/scalar --in-turns engine --budget 250ms --meters allocations --out build/scalar.txt
	@echo
	$(TARE) table last --base hand --per operations --hypotheses suites/scalar/hypotheses.toml
	@echo
	@echo 'Every figure is in build/scalar.txt; `$(TARE) show last NAME` tells more of one.'

# One process for each of some 170 benchmarks on one thread; docs/measurements/tensor.md has more.
run-tensor: build
	@echo
	@echo 'The tensor suite on one thread, three to four minutes: eager mode beside libtorch (`tools/setup peers` adds it) and plain kernels.'
	$(TARE) run build/release/bin/tensor --in-turns engine --param pool=1 --budget 250ms --processes 1 --meters none --out build/tensor.txt
	@echo
	$(TARE) table last --hypotheses suites/tensor/hypotheses.toml
	@echo
	@echo 'Every figure is in build/tensor.txt.'

# Five processes for each of some 60 benchmarks, after training what is not there yet.
run-models: build
	@echo
	@echo 'The models suite, about two minutes, after a minute of training the first time: every variant of every model.'
	@build/release/bin/train_models >build/train.txt
	$(TARE) run build/release/bin/models --in-turns variant --processes 5 --budget 500ms --meters allocations,memory,energy --watts-per-core 5 --out build/models.txt
	@echo
	$(TARE) pareto last --filter '^mlp/.*batch=1$$' --of variant --size model_bytes --base fp32
	@echo
	-$(TARE) comply last --tasks suites/models/tasks.toml --set variant=int8
	@echo
	@echo 'Every figure is in build/models.txt; docs/choosing-a-variant.md goes on from here.'

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
