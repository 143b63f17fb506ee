#include "ad/tensor/kernels/convolution.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "ad/support/threads.hpp"
#include "ad/tensor/kernels/gemm.hpp"
#include "ad/tensor/kernels/kernels.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops/family.hpp"

namespace tare::ad::kernels {
namespace {

// Images a thread takes at once in deterministic mode, whatever the number of threads.
constexpr std::int64_t fixed_images = 4;
// Fewer channels than this are not worth a thread of their own.
constexpr std::int64_t channel_block = 16;

/// f(j, first, last, from): pixels first … last − 1 of an unfolded row lie inside the image; the first of
/// them is pixel `from`. One row for each place of the kernel and each row of the result.
template <class F>
void each_row(const ConvSizes& s, F f) {
  const auto per_group = s.c / s.groups;
  for (std::int64_t channel = 0; channel < per_group; ++channel) {
    for (std::int64_t ky = 0; ky < s.kh; ++ky) {
      for (std::int64_t kx = 0; kx < s.kw; ++kx) {
        const auto place = (channel * s.kh + ky) * s.kw + kx;
        const auto shift = kx * s.dilation - s.padding;
        const auto first =
            std::clamp<std::int64_t>(shift >= 0 ? 0 : (-shift + s.stride - 1) / s.stride, 0, s.ow);
        const auto last = shift >= s.w ? first : std::clamp((s.w - 1 - shift) / s.stride + 1, first, s.ow);
        for (std::int64_t y = 0; y < s.oh; ++y) {
          const auto from_y = y * s.stride + ky * s.dilation - s.padding;
          const bool inside = from_y >= 0 && from_y < s.h;
          f((place * s.oh + y) * s.ow, inside ? first : s.ow, inside ? last : s.ow,
            inside ? (channel * s.h + from_y) * s.w + first * s.stride + shift : 0);
        }
      }
    }
  }
}

template <class T>
void unfold(const ConvSizes& s, const T* image, T* columns) {
  each_row(s, [&](std::int64_t at, std::int64_t first, std::int64_t last, std::int64_t from) {
    T* row = columns + at;
    std::fill_n(row, first, T(0));
    for (auto x = first; x < last; ++x) row[x] = image[from + (x - first) * s.stride];
    std::fill_n(row + last, s.ow - last, T(0));
  });
}
/// The transpose: adds the columns back to the image.
template <class T>
void fold(const ConvSizes& s, const T* columns, T* image) {
  each_row(s, [&](std::int64_t at, std::int64_t first, std::int64_t last, std::int64_t from) {
    for (auto x = first; x < last; ++x) image[from + (x - first) * s.stride] += columns[at + x];
  });
}

/// Images [begin, end) as matrix products: per image and group, weights [out/g, places] times unfolded image
/// [places, pixels].
template <class T>
void by_products(ConvPass pass, const ConvSizes& s, T* input, T* weight, T* result, std::int64_t begin,
                 std::int64_t end) {
  const auto outs = s.out / s.groups, per_group = s.c / s.groups;
  const auto places = per_group * s.kh * s.kw, pixels = s.oh * s.ow;
  const bool as_is = s.kh == 1 && s.kw == 1 && s.stride == 1 && s.padding == 0;
  const Tensor held = Tensor::empty({as_is ? 0 : places * pixels}, dtype_of<T>);
  for (auto i = begin; i < end; ++i) {
    for (std::int64_t g = 0; g < s.groups; ++g) {
      T* image = input + (i * s.c + g * per_group) * s.h * s.w;
      T* part = weight + g * outs * places;
      T* made = result + (i * s.out + g * outs) * pixels;
      T* columns = as_is ? image : held.body()->template values<T>();
      if (pass != ConvPass::input && !as_is) unfold(s, image, columns);
      if (pass == ConvPass::forward) {
        gemm({outs, pixels, places, false, false}, part, places, columns, pixels, made, pixels, T(0));
      } else if (pass == ConvPass::weight) {
        gemm({outs, places, pixels, false, true}, made, pixels, columns, pixels, part, places,
             i == begin ? T(0) : T(1));
      } else {
        gemm({places, pixels, outs, true, false}, part, places, made, pixels, columns, pixels, T(0));
        if (as_is) continue;
        std::fill_n(image, per_group * s.h * s.w, T(0));
        fold(s, columns, image);
      }
    }
  }
}

template <class T>
void some_images(ConvPass pass, const ConvSizes& s, T* input, T* weight, T* result, std::int64_t begin,
                 std::int64_t end) {
  if constexpr (sizeof(T) == 4) {
    ConvSizes part = s;
    part.n = end - begin;
    if (convolve_by_onednn(pass, part, input + begin * s.c * s.h * s.w, weight,
                           result + begin * s.out * s.oh * s.ow, s.c / s.groups * s.kh * s.kw))
      return;
  }
  by_products(pass, s, input, weight, result, begin, end);
}

/// Fewer images than threads: they share the channels that are written.
bool by_channels(ConvPass pass, const ConvSizes& s, float* input, float* weight, float* result) {
  const auto channels = pass == ConvPass::input ? s.c : s.out;
  const auto threads = threads_here();
  if (s.n != 1 || threads == 1 || s.groups != 1 || channels < 2 * channel_block) return false;
  const auto row = s.c * s.kh * s.kw;
  const auto share = ((channels + threads - 1) / threads + channel_block - 1) / channel_block * channel_block;
  std::atomic<bool> done = true;
  parallel_for(channels, share, [&](std::int64_t begin, std::int64_t end) {
    ConvSizes part = s;
    if (pass == ConvPass::input) {
      part.c = end - begin;
      if (!convolve_by_onednn(pass, part, input + begin * s.h * s.w, weight + begin * s.kh * s.kw, result,
                              row))
        done = false;
    } else {
      part.out = end - begin;
      if (!convolve_by_onednn(pass, part, input, weight + begin * row, result + begin * s.oh * s.ow, row))
        done = false;
    }
  });
  return done;
}

template <class T>
void convolve_any(ConvPass pass, const ConvSizes& s, T* input, T* weight, T* result) {
  const auto weights = s.out * (s.c / s.groups) * s.kh * s.kw;
  if (s.n == 0) {
    if (pass == ConvPass::weight) std::fill_n(weight, weights, T(0));
    return;
  }
  const bool deterministic = detail::mode.deterministic;
  if constexpr (sizeof(T) == 4)
    if (!deterministic && by_channels(pass, s, input, weight, result)) return;
  const auto threads = static_cast<std::int64_t>(threads_here());
  const auto images = std::min(s.n, deterministic ? fixed_images : (s.n + threads - 1) / threads);
  const auto chunks = (s.n + images - 1) / images;
  // Each chunk sums its own weights' gradient; the sums are added in order.
  const Tensor sums = Tensor::empty({pass == ConvPass::weight ? (chunks - 1) * weights : 0}, dtype_of<T>);
  T* partial = sums.body()->template values<T>();
  parallel_for(s.n, images, [&](std::int64_t begin, std::int64_t end) {
    const ModeScope same(&Mode::deterministic, deterministic);
    const auto chunk = begin / images;
    T* target = pass != ConvPass::weight || chunk == 0 ? weight : partial + (chunk - 1) * weights;
    some_images(pass, s, input, target, result, begin, end);
  });
  if (pass != ConvPass::weight) return;
  for (std::int64_t chunk = 1; chunk < chunks; ++chunk)
    best().of<T>().add_row(weight, partial + (chunk - 1) * weights, weights);
}

}  // namespace

void convolve(ConvPass pass, const ConvSizes& sizes, float* input, float* weight, float* result) {
  convolve_any(pass, sizes, input, weight, result);
}
void convolve(ConvPass pass, const ConvSizes& sizes, double* input, double* weight, double* result) {
  convolve_any(pass, sizes, input, weight, result);
}

}  // namespace tare::ad::kernels
