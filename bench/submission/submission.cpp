#include "bench/submission/submission.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>

#include "bench/compare/normalised.hpp"
#include "bench/model/comparison_json.hpp"
#include "bench/model/json.hpp"
#include "bench/model/json_parts.hpp"
#include "bench/support/hash.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::string_view first_line = "tare submission 1\n";
constexpr std::size_t longest_header = first_line.size() + 24;
constexpr std::size_t trailer = sizeof(PublicKey) + sizeof(Signature);

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string_view text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Json to_json(const Figures& f) {
  Json normalised = Json::array();
  for (const auto& metric : f.normalised) normalised.push_back(tare::to_json(metric));
  return {{"baseline_ns", f.baseline_ns},
          {"optimised_ns", f.optimised_ns},
          {"baseline_accuracy", f.baseline_accuracy},
          {"optimised_accuracy", f.optimised_accuracy},
          {"baseline_bytes", f.baseline_bytes},
          {"optimised_bytes", f.optimised_bytes},
          {"normalised", normalised}};
}

Result<Figures> figures_from_json(const Json& json) {
  Figures f;
  for (auto [name, member] :
       {std::pair{"baseline_ns", &f.baseline_ns}, std::pair{"optimised_ns", &f.optimised_ns},
        std::pair{"baseline_accuracy", &f.baseline_accuracy},
        std::pair{"optimised_accuracy", &f.optimised_accuracy},
        std::pair{"baseline_bytes", &f.baseline_bytes}, std::pair{"optimised_bytes", &f.optimised_bytes}}) {
    auto value = field<double>(json, name);
    if (!value) return std::move(value).error();
    *member = *value;
  }
  if (auto read = read_list(json, "normalised", f.normalised, normalised_from_json); !read)
    return std::move(read).error();
  return f;
}

Json document_of(const Submission& s) {
  return {{"schema", 1},
          {"event", s.event},
          {"division", s.division},
          {"athlete", s.athlete},
          {"repository", s.repository},
          {"techniques", s.techniques},
          {"run", tare::to_json(s.run)},
          {"figures", to_json(s.figures)},
          {"model_name", s.model_name},
          {"model_hash", s.model_hash}};
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
         name.find_first_of("/\\") == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

Result<Submission> submission_from(const Json& json) {
  if (field_or(json, "schema", 0) != 1) return fail("field 'schema' is not 1");
  Submission s;
  for (auto [name, member] :
       {std::pair{"event", &s.event}, std::pair{"division", &s.division}, std::pair{"athlete", &s.athlete},
        std::pair{"model_name", &s.model_name}, std::pair{"model_hash", &s.model_hash}}) {
    auto value = field<std::string>(json, name);
    if (!value) return std::move(value).error();
    if (value->empty()) return fail(fmt::format("field '{}' is empty", name));
    *member = std::move(*value);
  }
  s.repository = field_or<std::string>(json, "repository", "");
  if (!is_plain_name(s.model_name))
    return fail(fmt::format("the model's name '{}' is no plain file name: it must not lead anywhere else",
                            printable(s.model_name)));
  if (auto read = read_list(json, "techniques", s.techniques, text_from); !read)
    return std::move(read).error();
  auto figures = field<Json>(json, "figures").and_then([](const Json& j) { return figures_from_json(j); });
  if (!figures) return std::move(figures).error();
  s.figures = std::move(*figures);
  auto run = field<Json>(json, "run").and_then([](const Json& j) { return run_from_json(j); });
  if (!run) return std::move(run).error();
  s.run = std::move(*run);
  if (s.run.results.size() != 2)
    return fail(
        fmt::format("{} results instead of two, the baseline and the optimised", s.run.results.size()));
  return s;
}

/// A length and the character that ends it, taken off the text.
std::optional<std::size_t> take_length(std::string_view& text, char end) {
  std::size_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool padded = text.size() > 1 && text[0] == '0' && text[1] != end;
  if (code != std::errc{} || stop == text.data() + text.size() || *stop != end || padded) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return value;
}

Refusal refuse(std::string check, std::string message) {
  return {std::move(check), std::move(message)};
}

}  // namespace

Result<Figures> figures_of(const BenchmarkResult& baseline, const BenchmarkResult& optimised) {
  Figures f;
  for (auto [result, ns, accuracy, bytes] :
       {std::tuple{&baseline, &f.baseline_ns, &f.baseline_accuracy, &f.baseline_bytes},
        std::tuple{&optimised, &f.optimised_ns, &f.optimised_accuracy, &f.optimised_bytes}}) {
    for (auto [name, to] :
         {std::pair{"time", ns}, std::pair{"accuracy", accuracy}, std::pair{"model_bytes", bytes}}) {
      const auto* metric = result->metric(name);
      if (metric == nullptr || !metric->available() || !metric->summary.time)
        return fail(fmt::format("{} has no {}", printable(result->id.full()), name));
      *to = metric->summary.time->point;
    }
  }
  f.normalised = normalised_against(baseline, optimised);
  return f;
}

std::vector<std::byte> pack(const Submission& submission, const SigningKey& key) {
  const auto document = to_text(document_of(submission));
  const auto header = fmt::format("{}{} {}\n", first_line, document.size(), submission.model.size());
  std::vector<std::byte> all;
  const auto append = [&](std::span<const std::byte> part) {
    all.insert(all.end(), part.begin(), part.end());
  };
  append(bytes_of(header));
  append(bytes_of(document));
  append(submission.model);
  const auto signature = key.sign(all);
  append(key.public_key());
  append(signature);
  return all;
}

Result<Submission, Refusal> unpack(std::span<const std::byte> bytes) {
  auto rest = text_in(bytes.first(std::min(bytes.size(), longest_header)));
  if (!rest.starts_with(first_line))
    return refuse("format", "this is no submission: it does not begin with 'tare submission 1'");
  rest.remove_prefix(first_line.size());
  const auto document_length = take_length(rest, ' ');
  const auto model_length = document_length ? take_length(rest, '\n') : std::nullopt;
  if (!model_length) return refuse("format", "the second line does not hold the two lengths");
  if (*document_length > longest_document || *model_length > longest_model)
    return refuse("size", fmt::format("{} of document and {} of model; {} and {} are the most",
                                      format_bytes(static_cast<double>(*document_length)),
                                      format_bytes(static_cast<double>(*model_length)),
                                      format_bytes(longest_document), format_bytes(longest_model)));
  const auto header = static_cast<std::size_t>(rest.data() - text_in(bytes).data());
  const auto whole = header + *document_length + *model_length;
  if (bytes.size() != whole + trailer)
    return refuse("format", fmt::format("{} bytes long, although its lengths add up to {}", bytes.size(),
                                        whole + trailer));
  PublicKey key;
  Signature signature;
  std::memcpy(key.data(), bytes.data() + whole, key.size());
  std::memcpy(signature.data(), bytes.data() + whole + key.size(), signature.size());
  if (!verifies(key, signature, bytes.first(whole)))
    return refuse("signature", "the signature does not fit: something was changed after signing");
  auto submission =
      parse_json(text_in(bytes.subspan(header, *document_length))).and_then([](const Json& json) {
        return submission_from(json);
      });
  if (!submission) return refuse("schema", submission.error().message);
  const auto model = bytes.subspan(header + *document_length, *model_length);
  submission->model.assign(model.begin(), model.end());
  submission->signer = text_of(key);
  return std::move(*submission);
}

Result<Submission, Refusal> read_submission(const std::string& path) {
  constexpr auto most = longest_header + longest_document + longest_model + trailer;
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem) return refuse("format", fmt::format("{} cannot be read: {}", path, problem.message()));
  if (size > most)
    return refuse("size", fmt::format("{} is {} long; a submission has at most {}", path,
                                      format_bytes(static_cast<double>(size)),
                                      format_bytes(static_cast<double>(most))));
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) return refuse("format", fmt::format("{} cannot be read", path));
  return unpack(bytes);
}

}  // namespace tare
