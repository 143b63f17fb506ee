#include "ad/tensor/ops/family.hpp"

namespace tare::ad {
namespace {

detail::Table make_table() {
  detail::Table table{};
  detail::add_pointwise_rows(table);
  detail::add_select_rows(table);
  detail::add_view_rows(table);
  detail::add_join_rows(table);
  detail::add_source_rows(table);
  detail::add_reduction_rows(table);
  detail::add_softmax_rows(table);
  detail::add_norm_rows(table);
  detail::add_matmul_rows(table);
  detail::add_convolution_rows(table);
  detail::add_pool_rows(table);
  detail::add_index_rows(table);
  detail::add_attention_rows(table);
  detail::add_custom_rows(table);
  return table;
}

}  // namespace

const OpRow& row_of(Op op) {
  static const detail::Table table = make_table();
  return table[static_cast<std::size_t>(op)];
}

}  // namespace tare::ad
