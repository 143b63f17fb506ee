#include "bench/model/breakdown_json.hpp"

#include "bench/model/json_parts.hpp"

namespace tare {
namespace {

Json op_json(const OpCost& op) {
  return {{"name", op.name},         {"kind", name_of(op.kind)},      {"shapes", op.shapes},
          {"start_ns", op.start_ns}, {"duration_ns", op.duration_ns}, {"flops", op.flops},
          {"bytes", op.bytes},       {"regime", name_of(op.regime)},  {"share_of_roof", op.share_of_roof},
          {"reason", op.reason}};
}

/// A number that is there, finite and not negative.
Result<double> amount(const Json& json, const char* name) {
  auto value = field<double>(json, name);
  if (value && !(*value >= 0 && std::isfinite(*value)))
    return fail(fmt::format("field '{}' is not a number from zero up", name));
  return value;
}

Result<MachineRoofs::Peak> peak_from(const Json& json) {
  return amount(json, "flops_per_s").transform([&](double flops) {
    return MachineRoofs::Peak{field_or(json, "threads", 1), flops};
  });
}

Result<MachineRoofs::Bandwidth> bandwidth_from(const Json& json) {
  return amount(json, "bytes_per_s").transform([&](double bytes) {
    return MachineRoofs::Bandwidth{field_or<std::string>(json, "level", ""), bytes,
                                   field_or(json, "threads", 1),
                                   field_or<std::uint64_t>(json, "holds_bytes", 0)};
  });
}

Result<OpCost> op_from(const Json& json) {
  OpCost op;
  auto name = field<std::string>(json, "name");
  if (!name) return std::move(name).error();
  op.name = std::move(*name);
  for (auto [key, member] : {std::pair{"start_ns", &op.start_ns}, std::pair{"duration_ns", &op.duration_ns},
                             std::pair{"flops", &op.flops}, std::pair{"bytes", &op.bytes},
                             std::pair{"share_of_roof", &op.share_of_roof}}) {
    auto value = amount(json, key);
    if (!value) return fail(fmt::format("operation '{}': {}", op.name, value.error().message));
    *member = *value;
  }
  auto kind = enum_from(field_or<std::string>(json, "kind", "other"), OpKind::other, "kind of operation");
  if (!kind) return std::move(kind).error();
  op.kind = *kind;
  auto regime = enum_from(field_or<std::string>(json, "regime", "overhead"), Regime::overhead, "regime");
  if (!regime) return std::move(regime).error();
  op.regime = *regime;
  op.shapes = field_or(json, "shapes", op.shapes);
  op.reason = field_or(json, "reason", op.reason);
  return op;
}

/// The same for a number that may be left out.
Result<double> amount_or_zero(const Json& json, const char* name) {
  return json.contains(name) ? amount(json, name) : Result<double>(0.0);
}

}  // namespace

Json to_json(const ModeBreakdown& mode) {
  Json ops = Json::array();
  for (const auto& op : mode.ops) ops.push_back(op_json(op));
  return {{"mode", mode.mode}, {"ops", ops}, {"wall_ns", mode.wall_ns}, {"overhead_ns", mode.overhead_ns}};
}

Result<ModeBreakdown> mode_from_json(const Json& json) {
  ModeBreakdown mode;
  auto name = field<std::string>(json, "mode");
  if (!name) return std::move(name).error();
  mode.mode = std::move(*name);
  auto read = read_list(json, "ops", mode.ops, op_from);
  if (!read) return std::move(read).error();
  for (auto [key, member] :
       {std::pair{"wall_ns", &mode.wall_ns}, std::pair{"overhead_ns", &mode.overhead_ns}}) {
    auto value = amount_or_zero(json, key);
    if (!value) return fail(fmt::format("mode '{}': {}", mode.mode, value.error().message));
    *member = *value;
  }
  return mode;
}

Json to_json(const MachineRoofs& roofs) {
  Json peaks = Json::array();
  for (const auto& p : roofs.peaks) peaks.push_back({{"threads", p.threads}, {"flops_per_s", p.flops_per_s}});
  Json bandwidths = Json::array();
  for (const auto& b : roofs.bandwidths) {
    bandwidths.push_back({{"level", b.level},
                          {"bytes_per_s", b.bytes_per_s},
                          {"threads", b.threads},
                          {"holds_bytes", b.holds_bytes}});
  }
  return {{"peaks", peaks}, {"bandwidths", bandwidths}, {"overhead_ns", roofs.overhead_ns}};
}

Result<MachineRoofs> roofs_from_json(const Json& json) {
  if (!json.is_object()) return fail("roofs are not an object");
  MachineRoofs roofs;
  roofs.overhead_ns = field_or(json, "overhead_ns", 0.0);
  auto read = read_list(json, "peaks", roofs.peaks, peak_from).and_then([&](Done) {
    return read_list(json, "bandwidths", roofs.bandwidths, bandwidth_from);
  });
  if (!read) return std::move(read).error();
  return roofs;
}

Json to_json(const Breakdown& b) {
  Json modes = Json::array();
  for (const auto& mode : b.modes) modes.push_back(to_json(mode));
  return {{"schema", 1},
          {"benchmark", b.benchmark},
          {"roofs", to_json(b.roofs)},
          {"modes", modes},
          {"predicted_gain", to_json(b.predicted_gain)},
          {"measured_gain", to_json(b.measured_gain)},
          {"advice", b.advice}};
}

Result<Breakdown> breakdown_from_json(const Json& json) {
  if (field_or(json, "schema", 0) != 1) return fail("not a breakdown: field 'schema' is not 1");
  Breakdown b;
  b.benchmark = field_or<std::string>(json, "benchmark", "");
  auto roofs = roofs_from_json(field_or<Json>(json, "roofs", Json::object()));
  if (!roofs) return fail("field 'roofs': " + roofs.error().message);
  b.roofs = std::move(*roofs);
  auto read = read_list(json, "modes", b.modes, mode_from_json).and_then([&](Done) {
    return read_list(json, "advice", b.advice, text_from);
  });
  if (!read) return std::move(read).error();
  auto predicted = number_from(json, "predicted_gain");
  if (!predicted) return std::move(predicted).error();
  b.predicted_gain = *predicted;
  auto measured = estimate_from(json, "measured_gain");
  if (!measured) return std::move(measured).error();
  b.measured_gain = std::move(*measured);
  return b;
}

}  // namespace tare
