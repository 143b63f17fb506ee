#include "bench/model/pareto_json.hpp"

#include "bench/model/comparison_json.hpp"
#include "bench/model/json_parts.hpp"

namespace tare {
namespace {

Json point_json(const ParetoPoint& p) {
  Json values = Json::array();
  for (const auto& value : p.values) values.push_back(to_json(std::optional(value)));
  Json normalised = Json::array();
  for (const auto& metric : p.normalised) normalised.push_back(to_json(metric));
  return {{"name", p.name},         {"values", values},        {"allowed", p.allowed},
          {"violates", p.violates}, {"frontier", p.frontier},  {"dominated_by", p.dominated_by},
          {"ties", p.ties},         {"normalised", normalised}};
}

Result<ParetoMetric> pareto_metric_from(const Json& json) {
  auto name = field<std::string>(json, "name");
  if (!name) return std::move(name).error();
  auto better =
      enum_from(field_or<std::string>(json, "better", "less"), Better::more, "direction of a metric");
  if (!better) return std::move(better).error();
  return ParetoMetric{*name, field_or<std::string>(json, "unit", ""), *better};
}

Result<ParetoConstraint> constraint_from(const Json& json) {
  auto metric = field<std::string>(json, "metric");
  if (!metric) return std::move(metric).error();
  auto bound = field<double>(json, "bound");
  if (!bound) return std::move(bound).error();
  return ParetoConstraint{*metric, field_or(json, "at_least", true), *bound};
}

Result<Estimate> value_from(const Json& json) {
  auto estimate = estimate_from(Json{{"value", json}}, "value");
  if (!estimate) return std::move(estimate).error();
  if (!*estimate) return fail("a point without a value");
  return std::move(**estimate);
}

Result<ParetoPoint> point_from(const Json& json) {
  ParetoPoint p;
  auto name = field<std::string>(json, "name");
  if (!name) return std::move(name).error();
  p.name = std::move(*name);
  p.allowed = field_or(json, "allowed", true);
  p.frontier = field_or(json, "frontier", false);
  auto read =
      read_list(json, "values", p.values, value_from)
          .and_then([&](Done) { return read_list(json, "violates", p.violates, text_from); })
          .and_then([&](Done) { return read_list(json, "dominated_by", p.dominated_by, text_from); })
          .and_then([&](Done) { return read_list(json, "ties", p.ties, text_from); })
          .and_then([&](Done) { return read_list(json, "normalised", p.normalised, normalised_from_json); });
  if (!read) return std::move(read).error();
  return p;
}

Result<Recommendation> recommendation_from(const Json& json) {
  auto purpose = field<std::string>(json, "purpose");
  if (!purpose) return std::move(purpose).error();
  return Recommendation{*purpose, field_or<std::string>(json, "point", ""),
                        field_or<std::string>(json, "reason", ""),
                        field_or<std::string>(json, "figures", "")};
}

}  // namespace

std::string text_of(const ParetoConstraint& constraint) {
  return fmt::format("{}{}{:g}", constraint.metric, constraint.at_least ? ">=" : "<=", constraint.bound);
}

Json to_json(const ParetoFront& front) {
  Json metrics = Json::array(), constraints = Json::array(), points = Json::array(),
       recommendations = Json::array();
  for (const auto& m : front.metrics)
    metrics.push_back({{"name", m.name}, {"unit", m.unit}, {"better", name_of(m.better)}});
  for (const auto& c : front.constraints)
    constraints.push_back({{"metric", c.metric}, {"at_least", c.at_least}, {"bound", c.bound}});
  for (const auto& p : front.points) points.push_back(point_json(p));
  for (const auto& r : front.recommendations)
    recommendations.push_back(
        {{"purpose", r.purpose}, {"point", r.point}, {"reason", r.reason}, {"figures", r.figures}});
  return {{"schema", 1},
          {"metrics", metrics},
          {"constraints", constraints},
          {"points", points},
          {"recommendations", recommendations},
          {"left_out", front.left_out},
          {"base", front.base}};
}

Result<ParetoFront> pareto_from_json(const Json& json) {
  if (field_or(json, "schema", 0) != 1) return fail("not a Pareto front: field 'schema' is not 1");
  ParetoFront front;
  auto read =
      read_list(json, "metrics", front.metrics, pareto_metric_from)
          .and_then([&](Done) { return read_list(json, "constraints", front.constraints, constraint_from); })
          .and_then([&](Done) { return read_list(json, "points", front.points, point_from); })
          .and_then([&](Done) {
            return read_list(json, "recommendations", front.recommendations, recommendation_from);
          })
          .and_then([&](Done) { return read_list(json, "left_out", front.left_out, text_from); });
  if (!read) return std::move(read).error();
  front.base = field_or<std::string>(json, "base", "");
  for (const auto& point : front.points) {
    if (point.values.size() != front.metrics.size())
      return fail(fmt::format("point '{}' has {} values for {} metrics", point.name, point.values.size(),
                              front.metrics.size()));
  }
  return front;
}

}  // namespace tare
