#include "ad/tensor/kernels/gemm_library.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <dlfcn.h>
#include <initializer_list>
#include <mutex>
#include <unistd.h>
#include <vector>

#include "ad/support/error.hpp"
#include "ad/tensor/kernels/kernels.hpp"

#ifdef TARE_AD_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace tare::ad::kernels {
namespace {

constexpr int row_major = 101, as_is = 111, transposed = 112;

template <class T>
using Cblas = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

struct Blas {
  Cblas<float> f32 = nullptr;
  Cblas<double> f64 = nullptr;
  std::string version;
  bool serves_many = true;
  explicit operator bool() const { return f32 != nullptr && f64 != nullptr; }
};

struct Place {
  std::initializer_list<const char*> folders;  ///< of Debian's; the first that has it counts
  const char* name;
  [[nodiscard]] std::string in(const char* folder) const {
    return std::string(TARE_AD_LIBRARY_DIR) + "/" + folder + "/" + name;
  }
};
constexpr auto openblas_folders = {"openblas-openmp", "openblas-serial"};
constexpr auto blis_folders = {"blis-serial"};
constexpr Place openblas_place{openblas_folders, "libopenblas.so.0"};
constexpr Place blis_place{blis_folders, "libblis.so.4"};

/// From Debian's folders, else from where the system looks.
void* open(const Place& place) {
  for (const char* folder : place.folders)
    if (void* handle = dlopen(place.in(folder).c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr)
      return handle;
  return dlopen(place.name, RTLD_NOW | RTLD_LOCAL);
}
bool is_there(const Place& place) {
  return std::any_of(place.folders.begin(), place.folders.end(),
                     [&](const char* folder) { return access(place.in(folder).c_str(), R_OK) == 0; });
}

template <class F>
F symbol(void* handle, const char* name) {
  return reinterpret_cast<F>(dlsym(handle, name));
}

Blas open_blas(const Place& place) {
  Blas blas;
  void* handle = open(place);
  if (handle == nullptr) return blas;
  blas.f32 = symbol<Cblas<float>>(handle, "cblas_sgemm");
  blas.f64 = symbol<Cblas<double>>(handle, "cblas_dgemm");
  // Builds with threads of their own are asked for one.
  if (auto* set = symbol<void (*)(int)>(handle, "openblas_set_num_threads"); set != nullptr) set(1);
  if (auto* set = symbol<void (*)(long)>(handle, "bli_thread_set_num_threads"); set != nullptr) set(1);
  if (auto* config = symbol<const char* (*)()>(handle, "openblas_get_config"); config != nullptr)
    blas.version = config();
  if (auto* version = symbol<const char* (*)()>(handle, "bli_info_get_version_str"); version != nullptr)
    blas.version = version();
  if (auto* kind = symbol<int (*)()>(handle, "openblas_get_parallel"); kind != nullptr)
    blas.serves_many = kind() != 0;
  auto* arch = symbol<int (*)()>(handle, "bli_arch_query_id");
  auto* arch_name = symbol<const char* (*)(int)>(handle, "bli_arch_string");
  if (arch != nullptr && arch_name != nullptr) blas.version += std::string(" ") + arch_name(arch());
  return blas;
}

const Blas& openblas() {
  static const Blas blas = open_blas(openblas_place);
  return blas;
}
const Blas& blis() {
  static const Blas blas = open_blas(blis_place);
  return blas;
}

template <class T>
Cblas<T> function_of(const Blas& blas) {
  if constexpr (sizeof(T) == 4) {
    return blas.f32;
  } else {
    return blas.f64;
  }
}

/// Of a library that serves one caller at a time, whatever the type of its numbers.
std::mutex one_caller;

template <class T>
void run_blas(const Blas& blas, const Product<T>& p) {
  std::unique_lock<std::mutex> turn;
  if (!blas.serves_many) turn = std::unique_lock(one_caller);
  const OneThread alone;
  const auto& s = p.shape;
  const auto number = [](std::int64_t value) { return static_cast<int>(value); };
  function_of<T>(blas)(row_major, s.a_transposed ? transposed : as_is, s.b_transposed ? transposed : as_is,
                       number(s.m), number(s.n), number(s.k), p.alpha, p.a, number(p.lda), p.b, number(p.ldb),
                       p.beta, p.c, number(p.ldc));
}

template <class T>
void run_plain(const Product<T>& p) {
  const auto& s = p.shape;
  const auto& loops = best().of<T>();
  for (std::int64_t i = 0; i < s.m; ++i) {
    T* row = p.c + i * p.ldc;
    if (p.beta == T(0)) std::fill_n(row, s.n, T(0));
    const T* a = p.a + (s.a_transposed ? i : i * p.lda);
    const auto step = s.a_transposed ? p.lda : 1;
    if (s.b_transposed) {
      for (std::int64_t j = 0; j < s.n; ++j) {
        T sum = 0;
        for (std::int64_t l = 0; l < s.k; ++l) sum += a[l * step] * p.b[j * p.ldb + l];
        row[j] += p.alpha * sum;
      }
    } else {
      for (std::int64_t l = 0; l < s.k; ++l)
        loops.add_scaled(row, p.b + l * p.ldb, p.alpha * a[l * step], s.n);
    }
  }
}

/// A vector behind the other operand: in place where it is dense.
template <class T>
const T* dense(const T* values, std::int64_t step, std::int64_t n) {
  if (step == 1 || n == 1) return values;
  thread_local std::vector<T> held;
  if (held.size() < static_cast<std::size_t>(n)) held.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) held[static_cast<std::size_t>(i)] = values[i * step];
  return held.data();
}

/// One row times a matrix, or a matrix times one column.
template <class T>
void run_vector(const Product<T>& p) {
  const auto& s = p.shape;
  const auto& loops = best().of<T>();
  const bool row = s.m == 1;
  const T* x =
      row ? dense(p.a, s.a_transposed ? p.lda : 1, s.k) : dense(p.b, s.b_transposed ? 1 : p.ldb, s.k);
  const T* matrix = row ? p.b : p.a;
  const auto stride = row ? p.ldb : p.lda, count = row ? s.n : s.m, step = row ? 1 : p.ldc;
  const bool along_rows = row ? !s.b_transposed : s.a_transposed;
  const auto part = [&](std::int64_t from, std::int64_t n, T* to, bool onto = false) {
    if (along_rows) {
      loops.row_times_matrix(x, matrix + from, to, s.k, n, stride, onto);
    } else {
      loops.matrix_times_column(matrix + from * stride, x, to, n, s.k, stride);
    }
  };
  if (p.alpha == T(1) && step == 1 && (p.beta == T(0) || (p.beta == T(1) && along_rows)))
    return part(0, count, p.c, p.beta == T(1));
  std::array<T, 256> some;
  const auto most = static_cast<std::int64_t>(some.size());
  for (std::int64_t from = 0; from < count; from += most) {
    const auto n = std::min(most, count - from);
    part(from, n, some.data());
    for (std::int64_t i = 0; i < n; ++i) {
      T& to = p.c[(from + i) * step];
      to = (p.beta == T(0) ? T(0) : to) + p.alpha * some[static_cast<std::size_t>(i)];
    }
  }
}

template <class T>
void run_any(GemmLibrary library, const Product<T>& p) {
  if (!computes(library, p.shape, sizeof(T) == 8) || std::max({p.lda, p.ldb, p.ldc}) > INT_MAX)
    return run_plain(p);
  switch (library) {
    case GemmLibrary::plain:
      return run_plain(p);
    case GemmLibrary::own:
      return run_vector(p);
    case GemmLibrary::openblas:
      return run_blas(openblas(), p);
    case GemmLibrary::blis:
      return run_blas(blis(), p);
    case GemmLibrary::onednn:
      break;
  }
#ifdef TARE_AD_ONEDNN
  if constexpr (sizeof(T) == 4) {
    const OneThread alone;
    const auto& s = p.shape;
    const auto status = dnnl_sgemm(s.a_transposed ? 'T' : 'N', s.b_transposed ? 'T' : 'N', s.m, s.n, s.k,
                                   p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc);
    if (status == dnnl_success) return;
    throw AdError("matmul: oneDNN refused a product (status " + std::to_string(status) + ")");
  }
#endif
}

struct OpenMp {
  int (*threads)() = symbol<int (*)()>(RTLD_DEFAULT, "omp_get_max_threads");
  void (*set)(int) = symbol<void (*)(int)>(RTLD_DEFAULT, "omp_set_num_threads");
};
const OpenMp& openmp() {
  static const OpenMp functions;
  return functions;
}

}  // namespace

OneThread::OneThread() : before_(openmp().threads != nullptr ? openmp().threads() : 1) {
  if (before_ != 1) openmp().set(1);
}
OneThread::~OneThread() {
  if (before_ != 1) openmp().set(before_);
}

const char* name_of(GemmLibrary library) {
  switch (library) {
    case GemmLibrary::plain:
      return "plain";
    case GemmLibrary::own:
      return "own";
    case GemmLibrary::openblas:
      return "openblas";
    case GemmLibrary::blis:
      return "blis";
    case GemmLibrary::onednn:
      return "onednn";
  }
  return "";
}

bool is_installed(GemmLibrary library) {
  if (library == GemmLibrary::openblas) return is_there(openblas_place) || openblas();
  if (library == GemmLibrary::blis) return is_there(blis_place) || blis();
#ifdef TARE_AD_ONEDNN
  return true;
#else
  return library != GemmLibrary::onednn;
#endif
}

std::span<const GemmLibrary> gemm_libraries() {
  static const std::vector<GemmLibrary> found = [] {
    std::vector<GemmLibrary> list{GemmLibrary::plain, GemmLibrary::own};
    if (openblas()) list.push_back(GemmLibrary::openblas);
    if (blis()) list.push_back(GemmLibrary::blis);
#ifdef TARE_AD_ONEDNN
    list.push_back(GemmLibrary::onednn);
#endif
    return list;
  }();
  return found;
}

bool computes(GemmLibrary library, const GemmShape& shape, bool f64) {
  const bool whole = std::max({shape.m, shape.n, shape.k}) <= INT_MAX;
  switch (library) {
    case GemmLibrary::plain:
      return true;
    case GemmLibrary::own:
      return shape.m == 1 || shape.n == 1;
    case GemmLibrary::openblas:
      return whole && openblas();
    case GemmLibrary::blis:
      return whole && blis();
    case GemmLibrary::onednn:
      break;
  }
#ifdef TARE_AD_ONEDNN
  return !f64;
#else
  return f64 && !f64;
#endif
}

bool serves_many(GemmLibrary library) {
  return library != GemmLibrary::openblas || openblas().serves_many;
}

void run(GemmLibrary library, const Product<float>& product) {
  run_any(library, product);
}
void run(GemmLibrary library, const Product<double>& product) {
  run_any(library, product);
}

std::string library_versions() {
  std::string text =
      std::string("loops ") + best().name + "; openblas " + openblas().version + "; blis " + blis().version;
#ifdef TARE_AD_ONEDNN
  const auto* version = dnnl_version();
  text += "; onednn " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
          std::to_string(version->patch);
#endif
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

#ifdef TARE_AD_ONEDNN
bool run_u8i8(const GemmShape& s, const std::uint8_t* a, std::int64_t lda, const std::int8_t* b,
              std::int64_t ldb, std::int32_t* c, std::int64_t ldc, bool add) {
  const OneThread alone;
  const std::int32_t nothing = 0;
  return dnnl_gemm_u8s8s32(s.a_transposed ? 'T' : 'N', s.b_transposed ? 'T' : 'N', 'F', s.m, s.n, s.k, 1.0F,
                           a, lda, 0, b, ldb, 0, add ? 1.0F : 0.0F, c, ldc, &nothing) == dnnl_success;
}
bool u8i8_saturates() {
  // Only VNNI adds four products at 32 bits; before it, pairs were added at 16.
  static const bool saturates = [] {
    const auto isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
    const auto has = [isa](unsigned asked) { return (isa & asked) == asked; };
    return !has(dnnl_cpu_isa_avx512_core_vnni) && !has(dnnl_cpu_isa_avx2_vnni);
  }();
  return saturates;
}
#else
bool run_u8i8(const GemmShape&, const std::uint8_t*, std::int64_t, const std::int8_t*, std::int64_t,
              std::int32_t*, std::int64_t, bool) {
  return false;
}
bool u8i8_saturates() {
  return false;
}
#endif

}  // namespace tare::ad::kernels
