#include "ad/tensor/files.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::detail {

static_assert(std::endian::native == std::endian::little, "the formats are little endian");

namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int reason) {
  throw AdError(fmt::format("{} {}: {}", what, path.string(), std::strerror(reason)));
}

/// Closes what it opened.
class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : handle_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~File() {
    if (handle_ >= 0) ::close(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int handle() const { return handle_; }

 private:
  int handle_;
};

void write_all(const File& file, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const auto done = ::write(file.handle(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("cannot write", path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  if (::fsync(file.handle()) != 0) fail("cannot write", path, errno);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  const File file(path, O_RDONLY | O_NONBLOCK);
  if (file.handle() < 0) fail("cannot open", path, errno);
  struct stat about{};
  if (::fstat(file.handle(), &about) != 0) fail("cannot read", path, errno);
  if (!S_ISREG(about.st_mode))
    throw AdError(fmt::format("cannot read {}: it is not a regular file", path.string()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(about.st_size));
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto done = ::read(file.handle(), bytes.data() + at, bytes.size() - at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("cannot read", path, errno);
    if (done == 0) throw AdError(fmt::format("cannot read {}: it became shorter meanwhile", path.string()));
    at += static_cast<std::size_t>(done);
  }
  return bytes;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  static std::atomic<unsigned> made{0};
  auto beside = path;
  beside += fmt::format(".{}.{}.tmp", ::getpid(), made.fetch_add(1));
  try {
    {
      const File file(beside, O_WRONLY | O_CREAT | O_EXCL);
      if (file.handle() < 0) fail("cannot create", beside, errno);
      write_all(file, bytes, beside);
    }
    if (::rename(beside.c_str(), path.c_str()) != 0) fail("cannot replace", path, errno);
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
}

Tensor tensor_of_bytes(std::span<const std::byte> bytes, const Shape& shape, DType type) {
  Tensor tensor = Tensor::empty(shape, type);
  std::byte* to = tensor.body()->data;
  if (type == DType::boolean) {
    // Any other byte than 0 and 1 is no bool in C++.
    for (std::size_t i = 0; i < bytes.size(); ++i) to[i] = std::byte{bytes[i] != std::byte{0}};
  } else if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
  return tensor;
}

void append_values(std::vector<std::byte>& bytes, const Tensor& tensor) {
  const NoGrad quiet;
  const Tensor dense = contiguous(tensor);
  const auto* from = dense.body()->data;
  bytes.insert(bytes.end(), from, from + dense.body()->bytes());
}

}  // namespace tare::ad::detail
