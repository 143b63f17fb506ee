// Every workload, as a list of types, and the operations each does.
#pragma once

#include "workloads/brusselator.hpp"
#include "workloads/bundle.hpp"
#include "workloads/constants.hpp"
#include "workloads/determinant.hpp"
#include "workloads/expression.hpp"
#include "workloads/gmm.hpp"
#include "workloads/kmeans.hpp"
#include "workloads/lstm.hpp"
#include "workloads/mlp.hpp"
#include "workloads/ode.hpp"
#include "workloads/particle.hpp"
#include "workloads/tracking.hpp"

namespace tare::workloads {

template <Workload... W>
struct List {
  /// Calls f.template operator()<W>() for every workload.
  template <class F>
  static void each(F&& f) {
    (f.template operator()<W>(), ...);
  }
};

using All = List<Expression, Polynomial, Product, Shared, Constants, Variables, Transcendental, LogSumExp,
                 Determinant, Gmm, Bundle, Lstm, Tracking, Brusselator, Ode, Mlp, KMeans, Particle>;

}  // namespace tare::workloads
