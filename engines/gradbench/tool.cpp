#include "engines/gradbench/tool.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "ad/ad.hpp"
#include "engines/gradbench/objectives.hpp"
#include "workloads/gmm.hpp"
#include "workloads/ode.hpp"

namespace tare::gradbench {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<double>;

/// One evaluation, ready to run as often as asked.
struct Job {
  std::function<void()> run;
  std::function<Json()> output;
};

/// The input is not what the module documents.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const Json& field(const Json& input, const char* name) {
  if (!input.is_object() || !input.contains(name))
    throw BadInput(std::string("input needs the field '") + name + "'");
  return input[name];
}

double number(const Json& json, const std::string& name) {
  if (!json.is_number()) throw BadInput("'" + name + "' must be a number");
  return json.get<double>();
}

std::size_t whole(const Json& input, const char* name, std::size_t least = 1) {
  const Json& json = field(input, name);
  if (!json.is_number_integer() || json.get<double>() < static_cast<double>(least) ||
      json.get<double>() > 1e9)
    throw BadInput(std::string("'") + name + "' must be a whole number of at least " + std::to_string(least));
  return json.get<std::size_t>();
}

Numbers numbers(const Json& json, const std::string& name) {
  if (!json.is_array()) throw BadInput("'" + name + "' must be a list of numbers");
  Numbers all;
  for (const auto& element : json) all.push_back(number(element, name));
  return all;
}

/// A matrix of known size as one list, row after row.
Numbers rows(const Json& input, const char* name, std::size_t count, std::size_t width) {
  const Json& json = field(input, name);
  if (!json.is_array() || json.size() != count)
    throw BadInput(std::string("'") + name + "' must have " + std::to_string(count) + " rows");
  Numbers all;
  for (const auto& row : json) {
    const auto values = numbers(row, name);
    if (values.size() != width)
      throw BadInput(std::string("a row of '") + name + "' must have " + std::to_string(width) + " numbers");
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

Json as_rows(const double* values, std::size_t count, std::size_t width) {
  Json all = Json::array();
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(Numbers(values + i * width, values + (i + 1) * width));
  return all;
}

void allow(double operations, const Allowance& allowance) {
  if (operations > allowance.operations) throw BadInput("this input is too large for one evaluation here");
}

/// f has `T value<T>(const T* x, T* scratch)` and scratch().
template <class F>
Job value_job(F f, Numbers x) {
  struct State {
    F f;
    Numbers x, scratch;
    double y = 0;
  };
  auto state = std::make_shared<State>(State{std::move(f), std::move(x), {}});
  state->scratch.resize(state->f.scratch());
  return {[state] { state->y = state->f.value(state->x.data(), state->scratch.data()); },
          [state] { return Json(state->y); }};
}

template <class F>
Job gradient_job(F f, Numbers x, const std::function<Json(const Numbers&)>& shape = {}) {
  struct State {
    F f;
    Numbers x, g{};
    ad::Recorder<double> recorder{};
    std::vector<ad::Real<double>> inputs{}, scratch{};
  };
  auto state = std::make_shared<State>(std::move(f), std::move(x));
  state->g.resize(state->x.size());
  state->inputs.resize(state->x.size());
  state->scratch.resize(state->f.scratch());
  return {[state] {
            const auto scope = state->recorder.record();
            state->recorder.inputs(state->x, state->inputs);
            const ad::Real<double> y = state->f.value(state->inputs.data(), state->scratch.data());
            if (!y.active()) {
              std::fill(state->g.begin(), state->g.end(), 0.0);
              return;
            }
            state->recorder.backward(y);
            state->recorder.gradients(state->inputs, state->g);
          },
          [state, shape] { return shape ? shape(state->g) : Json(state->g); }};
}

Job hello(const std::string& function, const Json& input, const Allowance&) {
  const Numbers x{number(input, "input")};
  if (function == "square") return value_job(Square{}, x);
  return gradient_job(Square{}, x, [](const Numbers& g) { return Json(g[0]); });
}

Job lse(const std::string& function, const Json& input, const Allowance& allowance) {
  auto x = numbers(field(input, "x"), "x");
  if (x.empty()) throw BadInput("'x' is empty");
  allow(4 * static_cast<double>(x.size()), allowance);
  const workloads::LogSumExp f(x.size(), 0);
  return function == "primal" ? value_job(f, std::move(x)) : gradient_job(f, std::move(x));
}

Job det(const std::string& function, const Json& input, const Allowance& allowance) {
  const auto n = whole(input, "ell");
  auto a = numbers(field(input, "A"), "A");
  if (n > 100'000 || a.size() != n * n) throw BadInput("'A' must have ell × ell numbers");
  allow(static_cast<double>(n * n) * static_cast<double>(n), allowance);
  return function == "primal" ? value_job(Det{n}, std::move(a)) : gradient_job(Det{n}, std::move(a));
}

Job llsq(const std::string& function, const Json& input, const Allowance& allowance) {
  const auto n = whole(input, "n", 2);
  auto x = numbers(field(input, "x"), "x");
  if (x.empty()) throw BadInput("'x' is empty");
  allow(4 * static_cast<double>(n) * static_cast<double>(x.size()), allowance);
  const LeastSquares f{n, x.size()};
  return function == "primal" ? value_job(f, std::move(x)) : gradient_job(f, std::move(x));
}

Job ode(const std::string& function, const Json& input, const Allowance& allowance) {
  const auto steps = whole(input, "s");
  auto x = numbers(field(input, "x"), "x");
  if (x.empty()) throw BadInput("'x' is empty");
  allow(20 * static_cast<double>(steps) * static_cast<double>(x.size()), allowance);
  const auto f = workloads::Ode::with(x.size(), steps);
  if (function == "gradient") return gradient_job(f, std::move(x));
  auto state = std::make_shared<Numbers>(f.scratch());
  auto at = std::make_shared<Numbers>(std::move(x));
  return {
      [f, at, state] { f.integrate(at->data(), state->data()); },
      [at, state] { return Json(Numbers(state->begin(), state->begin() + static_cast<long>(at->size()))); }};
}

Job gmm(const std::string& function, const Json& input, const Allowance& allowance) {
  const auto d = whole(input, "d");
  const auto k = whole(input, "k");
  const auto n = whole(input, "n");
  const auto m = whole(input, "m", 0);
  const double gamma = number(field(input, "gamma"), "gamma");
  if (!(gamma > 0) || m > 1000) throw BadInput("'gamma' must be positive and 'm' at most 1000");
  allow(static_cast<double>(n) * static_cast<double>(k) * static_cast<double>(d) * static_cast<double>(d),
        allowance);
  const auto triangle = d * (d - 1) / 2;
  auto x = numbers(field(input, "alpha"), "alpha");
  if (x.size() != k) throw BadInput("'alpha' must have k numbers");
  for (const auto& [name, width] : {std::pair{"mu", d}, std::pair{"q", d}, std::pair{"l", triangle}}) {
    const auto part = rows(input, name, k, width);
    x.insert(x.end(), part.begin(), part.end());
  }
  const workloads::Gmm f(d, k, rows(input, "x", n, d), gamma, static_cast<int>(m));
  if (function == "objective") return value_job(f, std::move(x));
  return gradient_job(f, std::move(x), [d, k, triangle](const Numbers& g) {
    const double* const mu = g.data() + k;
    return Json{{"alpha", Numbers(g.data(), mu)},
                {"mu", as_rows(mu, k, d)},
                {"q", as_rows(mu + k * d, k, d)},
                {"l", as_rows(mu + 2 * k * d, k, triangle)}};
  });
}

struct Module {
  const char* name;
  std::vector<std::string> functions;
  Job (*prepare)(const std::string& function, const Json& input, const Allowance& allowance);
};

const std::vector<Module>& known() {
  static const std::vector<Module> all{
      {"hello", {"square", "double"}, hello}, {"lse", {"primal", "gradient"}, lse},
      {"det", {"primal", "gradient"}, det},   {"llsq", {"primal", "gradient"}, llsq},
      {"ode", {"primal", "gradient"}, ode},   {"gmm", {"objective", "jacobian"}, gmm}};
  return all;
}

std::string text_of(const Json& message, const char* name) {
  return message.contains(name) && message[name].is_string() ? message[name].get<std::string>() : "";
}

const Module* module_of(const Json& message) {
  const auto name = text_of(message, "module");
  for (const auto& module : known()) {
    if (name == module.name) return &module;
  }
  return nullptr;
}

std::int64_t nanoseconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begun)
      .count();
}

Json evaluated(const Json& message, const Allowance& allowance) {
  const Module* const module = module_of(message);
  if (module == nullptr) throw BadInput("unknown module '" + text_of(message, "module") + "'");
  const auto function = text_of(message, "function");
  if (std::find(module->functions.begin(), module->functions.end(), function) == module->functions.end())
    throw BadInput(std::string("module '") + module->name + "' has no function '" + function + "'");
  if (!message.contains("input")) throw BadInput("the message has no input");
  const Json& input = message["input"];
  const auto asked = [&](const char* name, double otherwise, double most) {
    if (!input.is_object() || !input.contains(name)) return otherwise;
    const double value = number(input[name], name);
    if (!(value >= 0) || value > most) throw BadInput(std::string("'") + name + "' is out of range");
    return value;
  };
  const double min_runs = std::max(1.0, asked("min_runs", 1, allowance.runs));
  const double min_ns = 1e9 * asked("min_seconds", 0, allowance.seconds);

  const auto begun = std::chrono::steady_clock::now();
  const Job job = module->prepare(function, input, allowance);
  Json timings = Json::array({{{"name", "prepare"}, {"nanoseconds", nanoseconds_since(begun)}}});
  double total = 0;
  for (double runs = 0; runs < min_runs || (total < min_ns && runs < allowance.runs); ++runs) {
    const auto start = std::chrono::steady_clock::now();
    job.run();
    const auto took = nanoseconds_since(start);
    timings.push_back({{"name", "evaluate"}, {"nanoseconds", took}});
    total += static_cast<double>(took);
  }
  return {{"success", true}, {"output", job.output()}, {"timings", timings}};
}

Json answered(const Json& message, const Allowance& allowance) {
  const auto kind = text_of(message, "kind");
  if (kind == "start") return {{"tool", "tare"}};
  if (kind == "define") {
    if (module_of(message) != nullptr) return {{"success", true}};
    return {{"success", false}, {"error", "unknown module '" + text_of(message, "module") + "'"}};
  }
  if (kind != "evaluate") return Json::object();
  try {
    return evaluated(message, allowance);
  } catch (const std::exception& problem) {
    return {{"success", false}, {"error", problem.what()}};
  }
}

}  // namespace

std::string answer(std::string_view line, const Allowance& allowance) {
  const Json message = Json::parse(line, nullptr, false);
  Json response;
  if (message.is_discarded() || !message.is_object()) {
    response = {{"success", false}, {"error", "a line must be one JSON object"}};
  } else if (!message.contains("id") || !message["id"].is_number_integer()) {
    response = {{"success", false}, {"error", "a message needs a whole number 'id'"}};
  } else {
    response = answered(message, allowance);
    response["id"] = message["id"];
  }
  // Text that came in may not be UTF-8, and numbers that came out may not be finite: those become null.
  return response.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const std::vector<std::string>& modules() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& module : known()) all.emplace_back(module.name);
    return all;
  }();
  return names;
}

}  // namespace tare::gradbench
