// Asks the tool for one gradient at a time and takes the whole exchange as its time: the suite's clock does
// not believe what a tool tells of itself, so writing and reading JSON counts. Only the workloads that
// GradBench knows in the same form are offered.
#include "engines/gradbench/client.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/offering.hpp"

namespace tare::engines {
namespace {

using Json = nlohmann::json;
constexpr const char* variable = "TARE_GRADBENCH_TOOL";

/// A shell command that reads messages and writes responses, ended with this object.
class Tool {
 public:
  Tool() {
    int to[2];
    int from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw problem("cannot make a pipe");
    process_ = ::fork();
    if (process_ < 0) throw problem("cannot start it");
    if (process_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      ::execl("/bin/sh", "sh", "-c", command_.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = ::fdopen(from[0], "r");
    out_ = to[1];
    (void)ask({{"kind", "start"}, {"eval", "tare"}});
  }
  ~Tool() {
    ::close(out_);
    if (in_ != nullptr) std::fclose(in_);
    ::free(line_);
    ::waitpid(process_, nullptr, 0);
  }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  Json ask(Json message) {
    message["id"] = ++id_;
    const std::string text = message.dump() + "\n";
    for (std::size_t done = 0; done < text.size();) {
      // A tool that died must not take the worker with it: the failure is the answer.
      const auto sent = write_quietly(text.data() + done, text.size() - done);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) throw problem("it does not read any more");
      done += static_cast<std::size_t>(sent);
    }
    const auto length = ::getline(&line_, &capacity_, in_);
    if (length < 0) throw problem("it ended");
    Json response = Json::parse(line_, line_ + length, nullptr, false);
    if (!response.is_object() || response.value("id", Json()) != Json(id_))
      throw problem("its answer is no response to the message");
    if (!response.value("success", true))
      throw problem("it says: " + response.value("error", std::string("no success")));
    return response;
  }

 private:
  [[nodiscard]] std::runtime_error problem(const std::string& what) const {
    return std::runtime_error("GradBench tool '" + command_ + "': " + what);
  }
  static std::string chosen_command() {
    const char* const command = std::getenv(variable);
    return command == nullptr ? "" : command;
  }
  ssize_t write_quietly(const char* data, std::size_t size) const {
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    const auto sent = ::write(out_, data, size);
    ::signal(SIGPIPE, before);
    return sent;
  }

  std::string command_ = chosen_command();
  pid_t process_ = -1;
  std::FILE* in_ = nullptr;
  int out_ = -1;
  int id_ = -1;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

Json matrix(const double* values, std::size_t rows, std::size_t width) {
  Json all = Json::array();
  for (std::size_t i = 0; i < rows; ++i)
    all.push_back(std::vector<double>(values + i * width, values + (i + 1) * width));
  return all;
}

// How each workload is put into a message, and how its gradient is read back.
Json input_of(const workloads::LogSumExp& w, const double* x) {
  return {{"x", std::vector<double>(x, x + w.inputs())}};
}
Json input_of(const workloads::Ode& w, const double* x) {
  return {{"x", std::vector<double>(x, x + w.inputs())}, {"s", w.steps}};
}
Json input_of(const workloads::Gmm& w, const double* x) {
  const double* const mu = x + w.k;
  return {{"d", w.d},
          {"k", w.k},
          {"n", w.n},
          {"gamma", w.wishart_gamma},
          {"m", w.wishart_m},
          {"x", matrix(w.x.data(), w.n, w.d)},
          {"alpha", std::vector<double>(x, mu)},
          {"mu", matrix(mu, w.k, w.d)},
          {"q", matrix(mu + w.k * w.d, w.k, w.d)},
          {"l", matrix(mu + 2 * w.k * w.d, w.k, w.triangle())}};
}
void flatten(const Json& json, std::vector<double>& into) {
  if (json.is_array()) {
    for (const auto& element : json) flatten(element, into);
  } else {
    into.push_back(json.get<double>());
  }
}
template <class W>
std::vector<double> gradient_from(const W&, const Json& output) {
  std::vector<double> all;
  flatten(output, all);
  return all;
}
std::vector<double> gradient_from(const workloads::Gmm&, const Json& output) {
  std::vector<double> all;
  for (const char* part : {"alpha", "mu", "q", "l"}) flatten(output.at(part), all);
  return all;
}

template <class W>
struct Names;
template <>
struct Names<workloads::LogSumExp> {
  static constexpr const char *module = "lse", *gradient = "gradient";
};
template <>
struct Names<workloads::Ode> {
  static constexpr const char *module = "ode", *gradient = "gradient";
};
template <>
struct Names<workloads::Gmm> {
  static constexpr const char *module = "gmm", *gradient = "jacobian";
};

template <class W>
class OnTool {
 public:
  explicit OnTool(const W& workload) : workload_(workload), scratch_(workload.scratch()) {
    (void)tool_.ask({{"kind", "define"}, {"module", Names<W>::module}});
  }
  double gradient(const double* x, double* g) {
    const Json response = tool_.ask({{"kind", "evaluate"},
                                     {"module", Names<W>::module},
                                     {"function", Names<W>::gradient},
                                     {"input", input_of(workload_, x)}});
    const auto all = gradient_from(workload_, response.at("output"));
    if (all.size() != workload_.inputs())
      throw std::runtime_error("the tool's gradient has the wrong length");
    std::copy(all.begin(), all.end(), g);
    return workload_.value(x, scratch_.data());  // the protocol gives no value with a gradient
  }

 private:
  const W& workload_;
  std::vector<double> scratch_;
  Tool tool_;
};

using Known = workloads::List<workloads::LogSumExp, workloads::Ode, workloads::Gmm>;

}  // namespace

Engine gradbench_tool() {
  Engine engine{.name = "gradbench", .label = "a GradBench tool, JSON included"};
  if (std::getenv(variable) == nullptr) {
    engine.absent = std::string("absent: set ") + variable + " to a tool's command";
    return engine;
  }
  return offering<OnTool, Known>(std::move(engine));
}

}  // namespace tare::engines
