// Attention of several heads, with a cache of keys and values for decoding, and the block around it.
#pragma once

#include "ad/nn/layers.hpp"

namespace tare::ad::nn {

/// Keys and values of the tokens seen so far, in memory set aside once.
struct KvCache {
  Tensor keys, values;  ///< [batch, heads, capacity, width of a head]
  std::int64_t length = 0;

  KvCache(std::int64_t batch, std::int64_t heads, std::int64_t capacity, std::int64_t width,
          DType dtype = DType::f32);
  [[nodiscard]] std::int64_t capacity() const { return keys.size(2); }
  /// k and v [batch, heads, tokens, width] behind those that are there.
  void append(const Tensor& k, const Tensor& v);
  /// Views of what is filled.
  [[nodiscard]] Tensor filled_keys() const { return slice(keys, 2, 0, length); }
  [[nodiscard]] Tensor filled_values() const { return slice(values, 2, 0, length); }
};

/// x [batch, tokens, width] to the same shape.
struct MultiHeadAttention {
  std::int64_t heads;
  Linear query, key, value, output;

  MultiHeadAttention(std::int64_t width, std::int64_t head_count, Generator& generator,
                     DType dtype = DType::f32);
  /// With a cache x holds the newest tokens only, which see all before them; nothing is recorded then.
  Tensor operator()(const Tensor& x, bool causal = true, KvCache* cache = nullptr) const;
  [[nodiscard]] KvCache make_cache(std::int64_t batch, std::int64_t capacity) const;
  [[nodiscard]] Parameters parameters() const;
};

/// x + attention(norm(x)), then that plus mlp(norm(that)).
struct TransformerBlock {
  LayerNorm attention_norm, mlp_norm;
  MultiHeadAttention attention;
  Mlp mlp;
  Dropout dropout;

  struct Options {
    double dropout = 0;
    std::uint64_t dropout_seed = 0;
    DType dtype = DType::f32;
  };
  TransformerBlock(std::int64_t width, std::int64_t heads, std::int64_t hidden, Generator& generator,
                   const Options& options);
  TransformerBlock(std::int64_t width, std::int64_t heads, std::int64_t hidden, Generator& generator)
      : TransformerBlock(width, heads, hidden, generator, {}) {}
  Tensor operator()(const Tensor& x, bool causal = true, KvCache* cache = nullptr);
  [[nodiscard]] Parameters parameters() const;
};

}  // namespace tare::ad::nn
