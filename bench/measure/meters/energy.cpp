#include "bench/measure/meters/energy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>

#include "bench/measure/machine/files.hpp"
#include "bench/measure/meters/resources.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

std::optional<std::uint64_t> read_counter(const Descriptor& file) noexcept {
  std::array<char, 32> buffer;
  return to_number<std::uint64_t>(trim(file.read_at_start(buffer)));
}

std::string explain(const std::string& path, int error) {
  const bool forbidden = error == EACCES || error == EPERM;
  return fmt::format("{} cannot be read{}", path,
                     forbidden    ? ": run as root, or let root do: chmod a+r " + path
                     : error != 0 ? ": " + std::generic_category().message(error)
                                  : ": it holds no number");
}

}  // namespace

EnergyMeter EnergyMeter::open(std::optional<double> watts_per_core, const std::string& powercap) {
  if (watts_per_core && !(*watts_per_core > 0 && std::isfinite(*watts_per_core)))
    throw std::invalid_argument(
        fmt::format("EnergyMeter::open: watts per core must be positive, got {}", *watts_per_core));
  EnergyMeter meter;
  meter.watts_per_core_ = watts_per_core;
  std::string why = "this machine shows no RAPL package in " + powercap;
  std::vector<std::string> names;
  for (const auto& domain : entries(powercap)) {
    // The memory-mapped interface (intel-rapl-mmio) names the same packages a second time.
    const std::string name = read_line(domain / "name");
    if (!domain.filename().string().starts_with("intel-rapl") || !name.starts_with("package-") ||
        std::find(names.begin(), names.end(), name) != names.end())
      continue;
    const std::string path = (domain / "energy_uj").string();
    Package package;
    package.energy = Descriptor::open_to_read(path.c_str());
    if (package.energy.is_open()) errno = 0;
    if (!package.energy.is_open() || !read_counter(package.energy)) {
      why = explain(path, errno);
      meter.packages_.clear();
      break;
    }
    package.range_uj = read_number<std::uint64_t>(domain / "max_energy_range_uj").value_or(0);
    meter.packages_.push_back(std::move(package));
    names.push_back(name);
  }
  if (meter.measured())
    meter.origin_ = "measured";
  else if (watts_per_core)
    meter.origin_ = fmt::format("estimated (cpu time × {} W per core)", *watts_per_core);
  else
    meter.origin_ = fmt::format("unavailable ({})", why);
  return meter;
}

void EnergyMeter::start() noexcept {
  for (Package& package : packages_) package.before_uj = read_counter(package.energy);
  cpu_before_ns_ = process_cpu_ns();
}

std::optional<double> EnergyMeter::stop() noexcept {
  const std::int64_t cpu_ns = process_cpu_ns() - cpu_before_ns_;
  if (!measured()) {
    if (!watts_per_core_) return std::nullopt;
    return static_cast<double>(cpu_ns) * 1e-9 * *watts_per_core_;
  }
  double joules = 0;
  for (const Package& package : packages_) {
    const auto after = read_counter(package.energy);
    if (!package.before_uj || !after) return std::nullopt;
    const auto used = energy_between(*package.before_uj, *after, package.range_uj);
    if (!used) return std::nullopt;
    joules += static_cast<double>(*used) * 1e-6;
  }
  return joules;
}

std::optional<std::uint64_t> energy_between(std::uint64_t before, std::uint64_t after,
                                            std::uint64_t range) noexcept {
  if (after >= before) return after - before;
  if (range < before) return std::nullopt;
  return range - before + after;
}

}  // namespace tare
