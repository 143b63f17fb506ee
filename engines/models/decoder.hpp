// A small transformer that writes text character by character, with or without a cache of keys and values.
#pragma once

#include <optional>

#include "ad/nn/transformer.hpp"
#include "ad/tensor/files.hpp"
#include "workloads/tasks/task.hpp"

namespace tare::models {

struct DecoderShape {
  std::int64_t characters = 28, context = 160, width = 64, heads = 4, blocks = 2;
};

class Decoder {
 public:
  Decoder(const DecoderShape& shape, ad::Generator& generator);

  /// Scores of the next character after each of ids [batch, tokens], [batch, tokens, characters]; `start` is
  /// the place of the first.
  ad::Tensor operator()(const ad::Tensor& ids, std::int64_t start = 0,
                        std::vector<ad::nn::KvCache>* caches = nullptr);
  [[nodiscard]] std::vector<ad::nn::KvCache> make_caches(std::int64_t batch) const;
  [[nodiscard]] ad::nn::Parameters parameters() const;
  [[nodiscard]] const DecoderShape& shape() const { return shape_; }

 private:
  DecoderShape shape_;
  ad::nn::Embedding characters_, places_;
  std::vector<ad::nn::TransformerBlock> blocks_;
  ad::nn::LayerNorm norm_;
  ad::nn::Linear head_;
};

/// The likeliest continuation of each prompt [batch, tokens] by `count` characters, [batch, count]. Without a
/// cache everything before is computed again for each character.
ad::Tensor write(Decoder& decoder, const ad::Tensor& prompt, std::int64_t count, bool cached);

/// How many of the characters of a text it would have guessed, each from those before it in windows of the
/// context's length; with a cache one character at a time.
std::int64_t guessed(Decoder& decoder, std::span<const std::int64_t> text, bool cached);

/// Floating operations of write().
double flops_of_writing(const DecoderShape& shape, std::int64_t batch, std::int64_t prompt,
                        std::int64_t count, bool cached);

void fit(Decoder& decoder, const workloads::Text& text, int steps, double rate, std::uint64_t seed);

}  // namespace tare::models
