#include "ad/nn/transformer.hpp"

#include <fmt/format.h>

namespace tare::ad::nn {

KvCache::KvCache(std::int64_t batch, std::int64_t heads, std::int64_t capacity, std::int64_t width,
                 DType dtype)
    : keys(Tensor::zeros({batch, heads, capacity, width}, dtype)),
      values(Tensor::zeros({batch, heads, capacity, width}, dtype)) {}

void KvCache::append(const Tensor& k, const Tensor& v) {
  const auto tokens = k.size(2);
  if (length + tokens > capacity()) {
    throw AdError(
        fmt::format("KvCache: {} tokens after {} do not fit the capacity of {}: make a larger cache", tokens,
                    length, capacity()));
  }
  slice(keys, 2, length, length + tokens).copy_(k);
  slice(values, 2, length, length + tokens).copy_(v);
  length += tokens;
}

MultiHeadAttention::MultiHeadAttention(std::int64_t width, std::int64_t head_count, Generator& generator,
                                       DType dtype)
    : heads(head_count),
      query(width, width, generator, {.dtype = dtype}),
      key(width, width, generator, {.dtype = dtype}),
      value(width, width, generator, {.dtype = dtype}),
      output(width, width, generator, {.dtype = dtype}) {
  if (heads < 1 || width % heads != 0)
    throw AdError(
        fmt::format("MultiHeadAttention: a width of {} is not a multiple of {} heads", width, heads));
}

KvCache MultiHeadAttention::make_cache(std::int64_t batch, std::int64_t capacity) const {
  return {batch, heads, capacity, query.weight.size(1) / heads, query.weight.dtype()};
}

Tensor MultiHeadAttention::operator()(const Tensor& x, bool causal, KvCache* cache) const {
  if (x.rank() != 3)
    throw AdError(
        fmt::format("MultiHeadAttention: shape {}: [batch, tokens, width] is needed", text_of(x.shape())));
  if (cache != nullptr && (!causal || detail::mode.grad)) {
    throw AdError(
        "MultiHeadAttention: a cache serves causal decoding without gradients: use NoGrad, or leave it out");
  }
  const auto batch = x.size(0), tokens = x.size(1), width = query.weight.size(1);
  const auto by_head = [&](const Tensor& t) {
    return permute(reshape(t, {batch, tokens, heads, width / heads}), {0, 2, 1, 3});
  };
  const Tensor q = by_head(query(x));
  Tensor k = by_head(key(x)), v = by_head(value(x));
  if (cache != nullptr) {
    cache->append(k, v);
    k = cache->filled_keys();
    v = cache->filled_values();
  }
  const Tensor mixed = permute(ad::attention(q, k, v, causal), {0, 2, 1, 3});
  return output(reshape(mixed, {batch, tokens, width}));
}

Parameters MultiHeadAttention::parameters() const {
  Parameters all;
  add_part(all, "query", query.parameters());
  add_part(all, "key", key.parameters());
  add_part(all, "value", value.parameters());
  add_part(all, "output", output.parameters());
  return all;
}

TransformerBlock::TransformerBlock(std::int64_t width, std::int64_t heads, std::int64_t hidden,
                                   Generator& generator, const Options& options)
    : attention_norm(width, options.dtype),
      mlp_norm(width, options.dtype),
      attention(width, heads, generator, options.dtype),
      mlp({width, hidden, width}, generator, gelu, options.dtype),
      dropout(options.dropout, options.dropout_seed) {}

Tensor TransformerBlock::operator()(const Tensor& x, bool causal, KvCache* cache) {
  const Tensor mixed = x + dropout(attention(attention_norm(x), causal, cache));
  return mixed + dropout(mlp(mlp_norm(mixed)));
}

Parameters TransformerBlock::parameters() const {
  Parameters all;
  add_part(all, "attention_norm", attention_norm.parameters());
  add_part(all, "attention", attention.parameters());
  add_part(all, "mlp_norm", mlp_norm.parameters());
  add_part(all, "mlp", mlp.parameters());
  return all;
}

}  // namespace tare::ad::nn
