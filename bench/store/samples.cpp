#include "bench/store/samples.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tare {
namespace {

constexpr std::uint64_t version = 1;
enum Form : std::uint8_t { raw = 0, whole = 1 };
constexpr double largest_whole = 9007199254740992.0;  // 2^53: beyond it a double skips whole numbers
constexpr std::size_t interference_fields = 7;
constexpr std::uint64_t max32 = std::numeric_limits<std::uint32_t>::max();

bool is_whole(double value) {
  // Negative zero has no whole-number form that keeps its sign.
  return std::abs(value) <= largest_whole && std::trunc(value) == value &&
         !(value == 0 && std::signbit(value));
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

std::array<std::uint64_t, interference_fields> fields_of(const Interference& i) {
  return {i.voluntary_switches,
          i.involuntary_switches,
          i.migrations,
          i.minor_faults,
          i.major_faults,
          i.wait_ns,
          i.steal_ns};
}

class Writer {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<std::uint8_t>(bits >> shift));
  }
  template <class Get>
  void runs(std::span<const Sample> samples, Get get) {
    for (std::size_t i = 0; i < samples.size();) {
      std::size_t end = i + 1;
      while (end < samples.size() && get(samples[end]) == get(samples[i])) ++end;
      number(get(samples[i]));
      number(end - i);
      i = end;
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads stop at the first fault, which is kept: after it every read gives 0, and the caller looks once.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (at_ == bytes_.size()) return fault("they end too early"), 0;
    return std::to_integer<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t number(std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t part = byte();
      if (shift == 63 && part > 1) break;
      value |= (part & 0x7f) << shift;
      if (part < 0x80) {
        if (value > largest) return fault("a number is too large"), 0;
        return value;
      }
    }
    return fault("a number is too long"), 0;
  }
  double real() {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 8) bits |= static_cast<std::uint64_t>(byte()) << shift;
    return std::bit_cast<double>(bits);
  }
  template <class Set>
  void runs(std::vector<Sample>& samples, std::uint64_t largest, Set set) {
    for (std::size_t i = 0; i < samples.size();) {
      const auto value = number(largest);
      const auto length = number();
      if (length == 0 || length > samples.size() - i) return fault("a run has an impossible length");
      for (const auto end = i + length; i < end; ++i) set(samples[i], value);
    }
  }
  void fault(const char* what) {
    if (!fault_) fault_ = what;
    at_ = bytes_.size();
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] const char* fault() const { return fault_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  const char* fault_ = nullptr;
};

void read_totals(Reader& in, Form form, std::vector<Sample>& samples) {
  std::uint64_t total = 0;  // unsigned: hostile differences may overflow, and must do so harmlessly
  for (auto& sample : samples) {
    if (form == raw) {
      sample.total = in.real();
      continue;
    }
    total += static_cast<std::uint64_t>(unzigzag(in.number()));
    sample.total = static_cast<double>(static_cast<std::int64_t>(total));
    if (std::abs(sample.total) > largest_whole) return in.fault("a total is too large");
    if (in.fault() != nullptr) return;
  }
}

void read_interference(Reader& in, std::vector<Sample>& samples) {
  std::size_t next = 0;
  for (auto count = in.number(samples.size()); count > 0 && in.fault() == nullptr; --count) {
    const auto gap = in.number();
    if (gap >= samples.size() - next) return in.fault("interference lies beyond the last sample");
    next += gap;
    const auto mask = in.byte();
    if (mask == 0 || mask >= 1 << interference_fields) return in.fault("an unknown kind of interference");
    std::array<std::uint64_t, interference_fields> f{};
    for (std::size_t k = 0; k < f.size(); ++k) {
      if ((mask >> k & 1) != 0) f[k] = k < 5 ? in.number(max32) : in.number();
    }
    const auto narrow = [&](std::size_t k) { return static_cast<std::uint32_t>(f[k]); };
    samples[next++].interference = {narrow(0), narrow(1), narrow(2), narrow(3), narrow(4), f[5], f[6]};
  }
}

}  // namespace

std::vector<std::byte> encode_samples(std::span<const Sample> samples) {
  bool all_whole = true;
  std::size_t disturbed = 0;
  for (const auto& sample : samples) {
    all_whole = all_whole && is_whole(sample.total);
    disturbed += sample.interference != Interference{} ? 1 : 0;
  }
  Writer out;
  out.byte(version);
  out.byte(all_whole ? whole : raw);
  out.number(samples.size());
  std::int64_t before = 0;
  for (const auto& sample : samples) {
    if (!all_whole) {
      out.real(sample.total);
      continue;
    }
    const auto total = static_cast<std::int64_t>(sample.total);
    out.number(zigzag(total - before));
    before = total;
  }
  out.runs(samples, [](const Sample& s) { return s.process; });
  out.runs(samples, [](const Sample& s) { return s.iterations; });
  out.number(disturbed);
  std::size_t next = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].interference == Interference{}) continue;
    out.number(i - next);
    next = i + 1;
    const auto fields = fields_of(samples[i].interference);
    std::uint8_t mask = 0;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (fields[k] != 0) mask = static_cast<std::uint8_t>(mask | 1u << k);
    }
    out.byte(mask);
    for (const auto value : fields) {
      if (value != 0) out.number(value);
    }
  }
  return out.take();
}

Result<std::vector<Sample>> decode_samples(std::span<const std::byte> bytes) {
  Reader in(bytes);
  const auto found = in.byte();
  if (in.fault() == nullptr && found != version) {
    return fail(
        fmt::format("samples are in version {} of their encoding, this tare reads version {}; update tare",
                    found, version));
  }
  const auto form = in.byte();
  const auto n = in.number();
  if (form > whole) in.fault("the form of the totals is unknown");
  if (n > in.left() / (form == raw ? 8 : 1)) in.fault("they end too early");
  std::vector<Sample> samples;
  if (in.fault() == nullptr) {
    samples.resize(n);
    read_totals(in, static_cast<Form>(form), samples);
    in.runs(samples, max32,
            [](Sample& s, std::uint64_t value) { s.process = static_cast<std::uint32_t>(value); });
    in.runs(samples, std::numeric_limits<std::uint64_t>::max(),
            [](Sample& s, std::uint64_t value) { s.iterations = value; });
    read_interference(in, samples);
    if (in.left() != 0) in.fault("bytes are left over");
  }
  if (in.fault() != nullptr) return fail(fmt::format("samples are corrupt: {}", in.fault()));
  return samples;
}

}  // namespace tare
