// tare's public surface for benchmarks: include this, write functions of tare::Context, register them with
// TARE_BENCHMARK, link tare::bench_main.
#pragma once

#include "bench/define/barrier.hpp"
#include "bench/define/context.hpp"
#include "bench/define/parameters.hpp"
#include "bench/define/registry.hpp"
#include "bench/support/hash.hpp"
