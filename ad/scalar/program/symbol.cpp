#include "ad/scalar/program/symbol.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ad/scalar/options.hpp"

namespace tare::ad {
namespace {

thread_local ProgramRecorder* active = nullptr;

/// Lowering gives every operation a few instructions, numbered in 32 bits.
constexpr std::size_t most_nodes = std::size_t{1} << 28U;

}  // namespace

ProgramRecorder::ProgramRecorder(std::span<const double> at) : tag_(detail::fresh_tag()) {
  if (active != nullptr) {
    detail::throw_error("record_program",
                        "a program is already being recorded on this thread; record one "
                        "after the other");
  }
  tag_ += tag_ == 0 ? 1 : 0;
  program_.inputs = at.size();
  program_.nodes.resize(at.size());
  inputs_.reserve(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    program_.nodes[i].a = static_cast<std::uint32_t>(i);
    inputs_.push_back(Symbol(at[i], static_cast<std::uint32_t>(i), tag_));
  }
  active = this;
}

ProgramRecorder::~ProgramRecorder() {
  if (active == this) active = nullptr;
}

Program ProgramRecorder::finish(std::span<const Symbol> outputs) {
  for (const Symbol& y : outputs) program_.outputs.push_back(place("record_program", y));
  active = nullptr;
  return std::move(program_);
}

ProgramRecorder& ProgramRecorder::owner(std::string_view operation, const Symbol& a, const Symbol& b) {
  const Symbol& known = a.constant() ? b : a;
  if (active == nullptr || active->tag_ != known.tag_) {
    detail::throw_stale(operation, known.node_, known.tag_, active == nullptr ? 0 : active->tag_);
  }
  return *active;
}

std::uint32_t ProgramRecorder::place(std::string_view operation, const Symbol& x) {
  if (!x.constant()) {
    if (x.tag_ != tag_) detail::throw_stale(operation, x.node_, x.tag_, tag_);
    return x.node_;
  }
  program_.constants.push_back(x.value_);
  return push({OpCode::Constant, static_cast<std::uint32_t>(program_.constants.size() - 1)});
}

std::uint32_t ProgramRecorder::push(const Node& node) {
  if (program_.nodes.size() >= most_nodes) detail::throw_limit("record_program", most_nodes * sizeof(Node));
  program_.nodes.push_back(node);
  return static_cast<std::uint32_t>(program_.nodes.size() - 1);
}

Symbol ProgramRecorder::append(OpCode code, double value, const Symbol& a, const Symbol& b) {
  if (a.constant() && b.constant()) return Symbol(value);
  ProgramRecorder& self = owner(name_of(code), a, b);
  const std::uint32_t left = self.place(name_of(code), a);
  const std::uint32_t right = &a == &b ? left : self.place(name_of(code), b);
  return {value, self.push({code, left, right}), self.tag_};
}

Symbol ProgramRecorder::power(const Symbol& x, int exponent) {
  const double y = ops::PowInt{exponent}.value(x.value_);
  if (x.constant()) return Symbol(y);
  ProgramRecorder& self = owner("powi", x, x);
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<std::int32_t>(exponent));
  return {y, self.push({OpCode::PowInt, x.node_, bits}), self.tag_};
}

Symbol ProgramRecorder::logsumexp(std::span<const Symbol> x) {
  const double y =
      ops::LogSumExp{}.parts<double>(x.size(), [&](std::size_t i) { return x[i].value_; }).value();
  const auto known = std::find_if(x.begin(), x.end(), [](const Symbol& each) { return !each.constant(); });
  if (known == x.end()) return Symbol(y);
  ProgramRecorder& self = owner("logsumexp", *known, *known);
  std::vector<std::uint32_t> places;
  places.reserve(x.size());
  for (const Symbol& each : x) places.push_back(self.place("logsumexp", each));
  auto& arguments = self.program_.arguments;
  const auto first = static_cast<std::uint32_t>(arguments.size());
  arguments.insert(arguments.end(), places.begin(), places.end());
  return {y, self.push({OpCode::LogSumExp, first, static_cast<std::uint32_t>(x.size())}), self.tag_};
}

Symbol ProgramRecorder::step(OpCode code, const Symbol& x) {
  const auto value = [&] {
    if (code == OpCode::Floor) return std::floor(x.value_);
    if (code == OpCode::Ceil) return std::ceil(x.value_);
    if (code == OpCode::Trunc) return std::trunc(x.value_);
    return code == OpCode::StopGradient ? x.value_ : std::round(x.value_);
  }();
  return append(code, value, x, x);
}

Symbol ProgramRecorder::custom(ScalarCustomOp op, const Symbol& a, const Symbol& b) {
  const double value = op.value(a.value_, b.value_);
  if (a.constant() && b.constant()) return Symbol(value);
  ProgramRecorder& self = owner(op.name, a, b);
  const std::uint32_t left = self.place(op.name, a);
  const std::uint32_t right = op.arity == 1 ? left : self.place(op.name, b);
  self.program_.customs.push_back(std::move(op));
  const auto at = static_cast<std::uint32_t>(self.program_.customs.size() - 1);
  return {value, self.push({OpCode::Custom, left, right, at}), self.tag_};
}

bool ProgramRecorder::compare(Comparison comparison, const Symbol& a, const Symbol& b) {
  const bool outcome = detail::outcome_of(comparison, a.value_, b.value_);
  if (a.constant() && b.constant()) return outcome;
  ProgramRecorder& self = owner("comparison", a, b);
  const std::uint32_t left = self.place("comparison", a);
  const std::uint32_t right = &a == &b ? left : self.place("comparison", b);
  const auto position = static_cast<std::uint32_t>(self.program_.nodes.size() - self.program_.inputs -
                                                   self.program_.constants.size());
  self.program_.guards.push_back({comparison, outcome, left, right, position});
  return outcome;
}

}  // namespace tare::ad
