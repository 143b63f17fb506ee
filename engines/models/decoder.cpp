#include "engines/models/decoder.hpp"

#include <algorithm>

#include "ad/nn/optimiser.hpp"
#include "ad/nn/schedule.hpp"
#include "ad/nn/train.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

ad::Tensor last_best(const ad::Tensor& scores) {
  return ad::argmax(ad::slice(scores, 1, scores.size(1) - 1, scores.size(1)), 2);
}

}  // namespace

Decoder::Decoder(const DecoderShape& shape, ad::Generator& generator)
    : shape_(shape),
      characters_(shape.characters, shape.width, generator),
      places_(shape.context, shape.width, generator),
      norm_(shape.width),
      head_(shape.width, shape.characters, generator) {
  for (std::int64_t i = 0; i < shape.blocks; ++i)
    blocks_.emplace_back(shape.width, shape.heads, 4 * shape.width, generator);
  // Small first values: places must not drown characters.
  const ad::NoGrad quiet;
  characters_.weight.mul_(0.3);
  places_.weight.mul_(0.1);
}

ad::Tensor Decoder::operator()(const ad::Tensor& ids, std::int64_t start,
                               std::vector<ad::nn::KvCache>* caches) {
  const auto tokens = ids.size(1);
  ad::Tensor x = characters_(ids) + ad::slice(places_.weight, 0, start, start + tokens);
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    x = blocks_[i](x, true, caches == nullptr ? nullptr : &(*caches)[i]);
  return head_(norm_(x));
}

std::vector<ad::nn::KvCache> Decoder::make_caches(std::int64_t batch) const {
  std::vector<ad::nn::KvCache> caches;
  for (const auto& block : blocks_) caches.push_back(block.attention.make_cache(batch, shape_.context));
  return caches;
}

ad::nn::Parameters Decoder::parameters() const {
  ad::nn::Parameters all;
  ad::nn::add_part(all, "characters", characters_.parameters());
  ad::nn::add_part(all, "places", places_.parameters());
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    ad::nn::add_part(all, std::to_string(i), blocks_[i].parameters());
  ad::nn::add_part(all, "norm", norm_.parameters());
  ad::nn::add_part(all, "head", head_.parameters());
  return all;
}

ad::Tensor write(Decoder& decoder, const ad::Tensor& prompt, std::int64_t count, bool cached) {
  const ad::NoGrad quiet;
  std::vector<ad::Tensor> written;
  if (cached) {
    auto caches = decoder.make_caches(prompt.size(0));
    ad::Tensor next = last_best(decoder(prompt, 0, &caches));
    for (std::int64_t i = 0;; ++i) {
      written.push_back(next);
      if (i + 1 == count) break;
      next = last_best(decoder(next, prompt.size(1) + i, &caches));
    }
  } else {
    ad::Tensor all = prompt;
    for (std::int64_t i = 0; i < count; ++i) {
      written.push_back(last_best(decoder(all)));
      all = ad::concat(std::vector{all, written.back()}, 1);
    }
  }
  return ad::concat(written, 1);
}

std::int64_t guessed(Decoder& decoder, std::span<const std::int64_t> text, bool cached) {
  const ad::NoGrad quiet;
  const auto context = static_cast<std::size_t>(decoder.shape().context);
  std::int64_t right = 0;
  for (std::size_t begin = 0; begin + 1 < text.size(); begin += context) {
    const auto length = std::min(context, text.size() - begin - 1);
    const ad::Tensor ids =
        ad::Tensor::of(text.subspan(begin, length), {1, static_cast<std::int64_t>(length)});
    ad::Tensor scores;
    if (cached) {
      auto caches = decoder.make_caches(1);
      std::vector<ad::Tensor> each;
      for (std::int64_t i = 0; i < ids.size(1); ++i)
        each.push_back(decoder(ad::slice(ids, 1, i, i + 1), i, &caches));
      scores = ad::concat(each, 1);
    } else {
      scores = decoder(ids);
    }
    const ad::Tensor best = ad::contiguous(ad::argmax(scores, 2));
    const auto guesses = best.values<std::int64_t>();
    for (std::size_t i = 0; i < length; ++i) right += guesses[i] == text[begin + i + 1] ? 1 : 0;
  }
  return right;
}

double flops_of_writing(const DecoderShape& shape, std::int64_t batch, std::int64_t prompt,
                        std::int64_t count, bool cached) {
  const auto width = static_cast<double>(shape.width);
  // Four projections and two layers of four times the width in each block; scores and mixture of what is
  // seen.
  const double each = 2 * (static_cast<double>(shape.blocks) * 12 * width * width +
                           width * static_cast<double>(shape.characters));
  const auto seen = [&](double tokens) { return static_cast<double>(shape.blocks) * 4 * width * tokens; };
  double flops = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<double>(prompt + i);
    const double computed = cached && i > 0 ? 1 : length;
    flops += computed * (each + seen(cached && i > 0 ? length : length / 2));
  }
  return flops * static_cast<double>(batch);
}

void fit(Decoder& decoder, const workloads::Text& text, int steps, double rate, std::uint64_t seed) {
  constexpr std::int64_t windows = 8;
  const auto context = decoder.shape().context;
  ad::Generator generator(seed);
  ad::nn::Adam optimiser = ad::nn::adamw(decoder.parameters(), {.rate = rate, .decay = 1e-2});
  std::vector<std::int64_t> x(static_cast<std::size_t>(windows * context)), y(x.size());
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t w = 0; w < windows; ++w) {
      const auto begin = static_cast<std::ptrdiff_t>(
          generator.next() % (text.train.size() - static_cast<std::size_t>(context) - 1));
      const auto from = text.train.begin() + begin;
      std::copy_n(from, context, x.begin() + w * context);
      std::copy_n(from + 1, context, y.begin() + w * context);
    }
    const ad::Tensor ids = ad::Tensor::of(std::span<const std::int64_t>(x), {windows, context});
    const ad::Tensor wanted = ad::Tensor::of(std::span<const std::int64_t>(y), {windows * context});
    optimiser.set_rate(rate * ad::nn::warm_up(step, 20) * ad::nn::cosine(step, steps));
    optimiser.zero_gradients();
    ad::cross_entropy(ad::reshape(decoder(ids), {windows * context, decoder.shape().characters}), wanted)
        .backward();
    (void)ad::nn::clip_gradients(decoder.parameters(), 1);
    optimiser.step();
  }
}

}  // namespace tare::models
