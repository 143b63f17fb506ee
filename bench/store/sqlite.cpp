#include "bench/store/sqlite.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tare::sqlite {
namespace fs = std::filesystem;

struct Connection {
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  std::string path;
  std::chrono::milliseconds patience{};
  std::unique_ptr<sqlite3, Close> handle;
  int system_error = 0;  // errno of the last call: sqlite3_system_errno() misses failures inside a COMMIT
  // Declared after the handle: statements must go before the connection they belong to.
  std::map<std::string, std::vector<std::unique_ptr<sqlite3_stmt, Close>>, std::less<>> idle;
};

namespace {

constexpr const char* elsewhere = "or choose another store with --store";

bool disk_is_full(int code, int system_error) {
  if (code == SQLITE_FULL) return true;
  // A file size limit and a quota reach SQLite as plain input/output errors.
  return code == SQLITE_IOERR && (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG);
}

/// What the file system says against opening the path, when SQLite only says that it cannot.
Error cannot_open(const std::string& path, const char* reason) {
  std::error_code ignored;
  const auto folder = fs::path(path).parent_path();
  if (fs::is_directory(path, ignored)) {
    return fail(fmt::format("{} is a directory, not a results store; name a file, for example {}", path,
                            (fs::path(path) / "results.db").string()));
  }
  if (!fs::is_directory(folder, ignored)) {
    return fail(fmt::format("{} cannot be opened: there is no directory {}; create it {}", path,
                            folder.string(), elsewhere));
  }
  if (fs::exists(path, ignored) && access(path.c_str(), R_OK) != 0) {
    return fail(
        fmt::format("{} cannot be read: {}; ask its owner {}", path, std::strerror(errno), elsewhere));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    return fail(fmt::format("{} cannot be opened: its directory cannot be written ({}); make it writable {}",
                            path, std::strerror(errno), elsewhere));
  }
  return fail(fmt::format("{} cannot be opened: {}; check the path {}", path, reason, elsewhere));
}

Error error_of(const Connection& connection, int extended) {
  const int code = extended & 0xff;
  const char* reason = connection.handle ? sqlite3_errmsg(connection.handle.get()) : sqlite3_errstr(extended);
  const int system_error = connection.system_error;
  const auto& path = connection.path;
  if (disk_is_full(code, system_error)) {
    return fail(fmt::format(
        "{} cannot grow: the disk, the quota or the file size limit is full ({}); free some space {}; "
        "results stored before are kept",
        path, reason, elsewhere));
  }
  switch (code) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return fail(fmt::format("{}: file is not a tare store or is corrupt: {}; move it away {}", path, reason,
                              elsewhere));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(fmt::format("{} stayed locked by another process for {}; wait until that one ends {}", path,
                              connection.patience, elsewhere));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fail(
          fmt::format("{} is read-only: the file or its directory cannot be written; make it writable {}",
                      path, elsewhere));
    case SQLITE_CANTOPEN:
      return cannot_open(path, reason);
    case SQLITE_IOERR:
      return fail(fmt::format("{}: reading or writing failed: {} ({}); check the disk {}", path, reason,
                              system_error != 0 ? std::strerror(system_error) : "no further detail",
                              elsewhere));
    default:
      return fail(fmt::format("{}: the database answered: {} (code {})", path, reason, extended));
  }
}

/// SQLite answers some lock conflicts (recovery, change of journal) at once instead of waiting.
template <class Step>
int retry_while_busy(std::chrono::milliseconds patience, Step step) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const int code = step();
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() >= deadline) return code;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

int execute_code(Connection& connection, const char* sql) {
  errno = 0;
  const int code = sqlite3_exec(connection.handle.get(), sql, nullptr, nullptr, nullptr);
  connection.system_error = errno;
  return code;
}

/// The path as a URI that tells SQLite the file cannot change, so that it needs no lock and no side file.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

int open_code(Connection& connection, const std::string& name, int flags) {
  connection.idle.clear();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  connection.handle.reset(handle);
  if (code != SQLITE_OK) return code;
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(connection.patience.count()));
  // The first read: opening alone looks at nothing.
  return retry_while_busy(connection.patience,
                          [&] { return execute_code(connection, "SELECT COUNT(*) FROM sqlite_schema"); });
}

int open_to_read(Connection& connection) {
  const int code = open_code(connection, connection.path, SQLITE_OPEN_READONLY);
  const bool no_side_files = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
  std::error_code none;
  const auto log_bytes = fs::file_size(connection.path + "-wal", none);
  const bool log_is_empty = static_cast<bool>(none) || log_bytes == 0;
  if (!no_side_files || !log_is_empty || access(connection.path.c_str(), R_OK) != 0) return code;
  // A store in a directory that cannot be written, closed properly: nobody can be writing it from here.
  return open_code(connection, immutable_uri(connection.path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

int open_to_write(Connection& connection, Access wanted) {
  const int create = wanted == Access::create ? SQLITE_OPEN_CREATE : 0;
  const int code = open_code(connection, connection.path, SQLITE_OPEN_READWRITE | create);
  if (code != SQLITE_OK) return code;
  if (sqlite3_db_readonly(connection.handle.get(), "main") == 1) return SQLITE_READONLY;
  // Pages of 8 KiB, where a new file still lets us choose: a history is spread over half as many.
  const int journal = retry_while_busy(connection.patience, [&] {
    return execute_code(connection, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL");
  });
  if (journal != SQLITE_OK) return journal;
  return execute_code(connection, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

}  // namespace

Statement::Statement(Connection& connection, std::string_view sql, sqlite3_stmt* handle)
    : connection_(&connection), sql_(sql), handle_(handle) {}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      sql_(std::move(other.sql_)),
      handle_(std::exchange(other.handle_, nullptr)),
      bind_code_(other.bind_code_) {}

Statement::~Statement() {
  if (handle_ == nullptr) return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  connection_->idle[sql_].emplace_back(handle_);
}

void Statement::bind_one(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(handle_, index, value); code != SQLITE_OK) bind_code_ = code;
}

void Statement::bind_one(int index, double value) {
  if (const int code = sqlite3_bind_double(handle_, index, value); code != SQLITE_OK) bind_code_ = code;
}

void Statement::bind_one(int index, const std::optional<double>& value) {
  const int code = value ? sqlite3_bind_double(handle_, index, *value) : sqlite3_bind_null(handle_, index);
  if (code != SQLITE_OK) bind_code_ = code;
}

void Statement::bind_one(int index, std::string_view value) {
  // A null pointer would bind NULL instead of an empty text.
  const char* data = value.data() != nullptr ? value.data() : "";
  const int code = sqlite3_bind_text64(handle_, index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_code_ = code;
}

void Statement::bind_one(int index, std::span<const std::byte> value) {
  const int code = value.empty()
                       ? sqlite3_bind_zeroblob(handle_, index, 0)
                       : sqlite3_bind_blob64(handle_, index, value.data(), value.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) bind_code_ = code;
}

Result<bool> Statement::step() {
  if (bind_code_ != SQLITE_OK) return error_of(*connection_, bind_code_);
  errno = 0;
  const int code = sqlite3_step(handle_);
  connection_->system_error = errno;
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error_of(*connection_, code);
}

Status Statement::run() {
  return step().transform([](bool) { return Done{}; });
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  return optional_real(column).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> Statement::optional_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const auto* data = sqlite3_column_text(handle_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return data == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return data == nullptr ? std::span<const std::byte>() : std::span(data, size);
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::string& path, Access access, std::chrono::milliseconds patience) {
  auto connection = std::make_unique<Connection>();
  // Absolute, so that no name means something special to SQLite and a later chdir changes nothing.
  std::error_code problem;
  connection->path = fs::absolute(path, problem).string();
  connection->patience = patience;
  if (path.empty() || problem) return fail("the results store has no path; name a file with --store");
  if (fs::is_directory(connection->path, problem)) return cannot_open(connection->path, "");
  const int code =
      access == Access::read_only ? open_to_read(*connection) : open_to_write(*connection, access);
  if (code != SQLITE_OK) return error_of(*connection, code);
  return Database(std::move(connection));
}

Status Database::execute(const std::string& sql) {
  if (const int code = execute_code(*connection_, sql.c_str()); code != SQLITE_OK) {
    return error_of(*connection_, code);
  }
  return ok();
}

Result<Statement> Database::prepare(std::string_view sql) {
  if (const auto found = connection_->idle.find(sql);
      found != connection_->idle.end() && !found->second.empty()) {
    auto* handle = found->second.back().release();
    found->second.pop_back();
    return Statement(*connection_, sql, handle);
  }
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(connection_->handle.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) return error_of(*connection_, code);
  return Statement(*connection_, sql, handle);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  return prepare(sql).and_then([&](Statement&& statement) -> Result<std::int64_t> {
    auto row = statement.step();
    if (!row) return std::move(row).error();
    if (!*row) return fail(fmt::format("{}: '{}' gave no row", path(), sql));
    return statement.integer(0);
  });
}

Result<std::string> Database::text(std::string_view sql) {
  return prepare(sql).and_then([&](Statement&& statement) -> Result<std::string> {
    auto row = statement.step();
    if (!row) return std::move(row).error();
    if (!*row) return fail(fmt::format("{}: '{}' gave no row", path(), sql));
    return statement.text(0);
  });
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(connection_->handle.get());
}

const std::string& Database::path() const {
  return connection_->path;
}

Result<Transaction> Transaction::begin(Database& database) {
  auto& connection = *database.connection_;
  const int code =
      retry_while_busy(connection.patience, [&] { return execute_code(connection, "BEGIN IMMEDIATE"); });
  if (code != SQLITE_OK) return error_of(connection, code);
  return Transaction(connection);
}

Transaction::~Transaction() {
  // After a full disk SQLite may have rolled back already.
  if (connection_ != nullptr && sqlite3_get_autocommit(connection_->handle.get()) == 0) {
    execute_code(*connection_, "ROLLBACK");
  }
}

Status Transaction::commit() {
  const int code =
      retry_while_busy(connection_->patience, [&] { return execute_code(*connection_, "COMMIT"); });
  if (code != SQLITE_OK) return error_of(*connection_, code);
  connection_ = nullptr;
  return ok();
}

}  // namespace tare::sqlite
