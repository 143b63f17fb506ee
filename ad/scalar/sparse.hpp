// Sparse Jacobians and Hessians by colouring: columns (or rows) that share no row (or column) are computed
// together and told apart by the pattern. Method: Curtis, Powell and Reid (1974), direct recovery with greedy
// colours.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/pattern.hpp"

namespace tare::ad {

/// Compressed rows: the entries of row i are [row_starts[i], row_starts[i + 1]).
template <class T>
struct SparseMatrix {
  std::size_t columns = 0;
  std::vector<std::size_t> row_starts;
  std::vector<std::uint32_t> column;
  std::vector<T> values;
  std::size_t colours = 0;  ///< directions it took

  explicit SparseMatrix(const Pattern& pattern) : columns(pattern.columns), row_starts{0} {
    for (const auto& row : pattern.rows) {
      column.insert(column.end(), row.begin(), row.end());
      row_starts.push_back(column.size());
    }
    values.resize(column.size());
  }
  [[nodiscard]] std::size_t rows() const { return row_starts.size() - 1; }
  /// 0 outside the pattern.
  [[nodiscard]] T operator()(std::size_t i, std::size_t j) const {
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(row_starts[i]);
    const auto end = column.begin() + static_cast<std::ptrdiff_t>(row_starts[i + 1]);
    const auto found = std::lower_bound(begin, end, j);
    return found != end && *found == j ? values[static_cast<std::size_t>(found - column.begin())] : T(0);
  }
};

namespace detail {

inline std::size_t colour_count(const std::vector<std::uint32_t>& colour) {
  return colour.empty() ? 0 : std::size_t{*std::max_element(colour.begin(), colour.end())} + 1;
}

/// Calls entry(position, row, column) for every stored entry.
template <class T, class F>
void each_entry(const SparseMatrix<T>& matrix, F entry) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t k = matrix.row_starts[i]; k < matrix.row_starts[i + 1]; ++k)
      entry(k, i, matrix.column[k]);
  }
}

template <class F>
void sparse_forward(F& f, std::span<const double> x, const std::vector<std::uint32_t>& colour,
                    SparseMatrix<double>& result) {
  using D = Dual<double, sweep_width>;
  std::vector<D> in(x.size());
  std::vector<D> out(result.rows());
  for (std::size_t from = 0; from < result.colours; from += sweep_width) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const bool seeded = colour[j] >= from && colour[j] < from + sweep_width;
      in[j] = seeded ? D::variable(x[j], colour[j] - from) : D(x[j]);
    }
    f(std::span<const D>(in), std::span<D>(out));
    each_entry(result, [&](std::size_t k, std::size_t i, std::size_t j) {
      if (colour[j] >= from && colour[j] < from + sweep_width)
        result.values[k] = out[i].tangent(colour[j] - from);
    });
  }
}

template <class F>
void sparse_reverse(F& f, std::span<const double> x, const std::vector<std::uint32_t>& colour,
                    SparseMatrix<double>& result) {
  Recorder<double> recorder;
  std::vector<Real<double>> in(x.size());
  std::vector<Real<double>> out(result.rows());
  const auto scope = recorder.record();
  recorder.inputs(x, in);
  f(std::span<const Real<double>>(in), std::span<Real<double>>(out));
  for (std::size_t from = 0; from < result.colours; from += sweep_width) {
    recorder.template backward_lanes<sweep_width>(
        out, [&](std::size_t i) { return colour[i] - from; }, Retain::yes);
    each_entry(result, [&](std::size_t k, std::size_t i, std::size_t j) {
      const std::size_t lane = colour[i] - from;
      if (lane < sweep_width)
        result.values[k] = recorder.template gradient_lanes<sweep_width>(in[j]).lane[lane];
    });
  }
}

}  // namespace detail

/// The Jacobian of f(in, out), only where it can differ from zero. Forward or reverse, whichever needs fewer
/// directions.
template <class F>
SparseMatrix<double> sparse_jacobian(F&& f, std::span<const double> x, std::size_t outputs,
                                     JacobianMode mode = JacobianMode::automatic) {
  const Pattern pattern = jacobian_pattern(f, x, outputs);
  const auto columns = colour_columns(pattern);
  const auto rows = colour_columns(pattern.transposed());
  SparseMatrix<double> result(pattern);
  const bool forward =
      mode == JacobianMode::forward ||
      (mode == JacobianMode::automatic && detail::colour_count(columns) <= detail::colour_count(rows));
  result.colours = detail::colour_count(forward ? columns : rows);
  if (forward) {
    detail::sparse_forward(f, x, columns, result);
  } else {
    detail::sparse_reverse(f, x, rows, result);
  }
  return result;
}

/// The Hessian of f(in), only where inputs interact.
template <class F>
SparseMatrix<double> sparse_hessian(F&& f, std::span<const double> x) {
  constexpr std::size_t width = 4;
  using D = Dual<double, width>;
  const Pattern pattern = hessian_pattern(f, x);
  const auto colour = colour_columns(pattern);
  SparseMatrix<double> result(pattern);
  result.colours = detail::colour_count(colour);
  Recorder<D> recorder;
  std::vector<Real<D>> in(x.size());
  for (std::size_t from = 0; from < result.colours; from += width) {
    const auto scope = recorder.record();
    for (std::size_t j = 0; j < x.size(); ++j) {
      const bool seeded = colour[j] >= from && colour[j] < from + width;
      in[j] = recorder.input(seeded ? D::variable(x[j], colour[j] - from) : D(x[j]));
    }
    const Real<D> y = f(std::span<const Real<D>>(in));
    if (!y.active()) return result;
    recorder.backward(y);
    detail::each_entry(result, [&](std::size_t k, std::size_t i, std::size_t j) {
      const std::size_t lane = colour[j] - from;
      if (lane < width) result.values[k] = recorder.gradient(in[i]).tangent(lane);
    });
  }
  return result;
}

}  // namespace tare::ad
