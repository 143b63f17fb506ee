// What the compiler tells about itself through its predefined macros. Works with every build system.
#pragma once

#include "bench/model/run.hpp"

namespace tare {

const char* version();

/// Static on purpose: each source file has its own answer.
[[maybe_unused]] static Build build_of_this_file() {
  Build build;
#if defined(__clang__)
  build.compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  build.compiler = "GCC " __VERSION__;
#endif
#if defined(__OPTIMIZE__)
  build.type = "optimised";
#else
  build.type = "debug";
#endif
  [[maybe_unused]] const auto add = [&](const char* flag) {
    build.flags += (build.flags.empty() ? "" : " ") + std::string(flag);
  };
#if defined(NDEBUG)
  add("NDEBUG");
#endif
#if defined(__FAST_MATH__)
  add("fast-math");
#endif
#if defined(__FMA__)
  add("fma");
#endif
#if defined(__AVX512F__)
  add("avx512f");
#elif defined(__AVX2__)
  add("avx2");
#elif defined(__SSE4_2__)
  add("sse4.2");
#endif
#if defined(__SANITIZE_ADDRESS__)
  add("address-sanitizer");
#endif
#if defined(__SANITIZE_THREAD__)
  add("thread-sanitizer");
#endif
  build.tare = version();
  return build;
}

}  // namespace tare
