// Raw samples as bytes and back, for the store's blobs: lossless (also for NaN payloads), compact, versioned.
//
// Layout, version 1; "number" is an unsigned LEB128 varint:
//   byte    version (1)
//   byte    form of the totals: 0 raw doubles, 1 whole numbers
//   number  n
//   totals  form 0: n little-endian IEEE 754 doubles; form 1: n zigzag numbers, each the difference from the
//           total before (the first from 0). Form 1 is used when every total is a whole number within ±2^53.
//   runs    of equal process: (value, length) pairs of numbers until the lengths sum to n
//   runs    of equal iterations, the same
//   sparse  interference: how many samples have some, then for each the gap from the sample before, a byte
//           whose bits say which of the seven fields are not zero, and those fields
// Every sample takes at least one byte of totals, so what a decoder allocates is bounded by the input's size.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/model/sample.hpp"
#include "bench/support/result.hpp"

namespace tare {

std::vector<std::byte> encode_samples(std::span<const Sample> samples);
/// Bytes that encode_samples() cannot have written are answered with an Error, whatever they are.
Result<std::vector<Sample>> decode_samples(std::span<const std::byte> bytes);

}  // namespace tare
