#include "ad/nn/convolution.hpp"

#include <fmt/format.h>

#include "ad/nn/init.hpp"

namespace tare::ad::nn {

Conv2d::Conv2d(std::int64_t in, std::int64_t out, std::int64_t size, Generator& generator,
               const Options& options)
    : shape(options.shape) {
  const auto groups = shape.groups;
  if (in < 1 || out < 1 || size < 1 || groups < 1 || in % groups != 0 || out % groups != 0)
    throw AdError(
        fmt::format("Conv2d: {} to {} channels of size {} in {} groups: sizes are at least 1, and the "
                    "groups divide the channels",
                    in, out, size, groups));
  const double bound = default_bound(in / groups * size * size);
  weight = uniform({out, in / groups, size, size}, bound, generator, options.dtype).requires_grad();
  if (options.bias) bias = uniform({out}, bound, generator, options.dtype).requires_grad();
}

Parameters Conv2d::parameters() const {
  Parameters all{{"weight", weight}};
  if (bias.defined()) all["bias"] = bias;
  return all;
}

}  // namespace tare::ad::nn
