#include "ad/scalar/program/batch.hpp"

#include <algorithm>
#include <cstring>

namespace tare::ad::detail {
namespace {

/// Rows of numbers to lanes and back, four inputs at a time: the compiler makes shuffles of it.
void pack_four(const double* rows, std::size_t width, std::size_t lanes, double* block) {
  const double* const row[] = {rows, rows + width, rows + 2 * width, rows + 3 * width};
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t l = 0; l < 4; ++l) block[i * lanes + l] = row[l][i];
  }
}
void unpack_four(const double* block, std::size_t width, std::size_t lanes, double* rows) {
  double* const row[] = {rows, rows + width, rows + 2 * width, rows + 3 * width};
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t l = 0; l < 4; ++l) row[l][i] = block[i * lanes + l];
  }
}

}  // namespace

void pack(const BatchView& view, const double* batch, std::size_t first, std::size_t lanes, double* block) {
  const bool full = first + lanes <= view.count;
  if (full && view.layout == Layout::rows) {
    for (std::size_t l = 0; l < lanes; l += 4) {
      pack_four(batch + (first + l) * view.width, view.width, lanes, block + l);
    }
  } else if (full) {
    for (std::size_t i = 0; i < view.width; ++i) {
      std::memcpy(block + i * lanes, batch + i * view.count + first, lanes * sizeof(double));
    }
  } else {
    for (std::size_t i = 0; i < view.width; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) {
        block[i * lanes + l] = batch[view.at(std::min(first + l, view.count - 1), i)];
      }
    }
  }
}

void unpack(const BatchView& view, const double* block, std::size_t first, std::size_t lanes, double* batch) {
  const bool full = first + lanes <= view.count;
  if (full && view.layout == Layout::rows) {
    for (std::size_t l = 0; l < lanes; l += 4) {
      unpack_four(block + l, view.width, lanes, batch + (first + l) * view.width);
    }
  } else if (full) {
    for (std::size_t i = 0; i < view.width; ++i) {
      std::memcpy(batch + i * view.count + first, block + i * lanes, lanes * sizeof(double));
    }
  } else {
    for (std::size_t i = 0; i < view.width; ++i) {
      for (std::size_t l = 0; first + l < view.count; ++l) {
        batch[view.at(first + l, i)] = block[i * lanes + l];
      }
    }
  }
}

}  // namespace tare::ad::detail
