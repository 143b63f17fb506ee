// The one place that knows SQLite's C interface: connection, statement and transaction as owners, codes as
// Errors that say what to do next. Everything above it speaks plain SQL.
//
// Durability: WAL with synchronous=FULL. A commit that returned is in the log file and the log was synced, so
// it survives a kill of the process at any instant and, as far as the disk keeps what it says it synced, a
// loss of power. Where WAL is impossible (some network file systems) SQLite's rollback journal serves, with
// the same promise.
// One connection belongs to one thread, and must not be carried over a fork.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/support/result.hpp"

struct sqlite3_stmt;

namespace tare::sqlite {

enum class Access { read_only, read_write, create };

struct Connection;  // owns the handle and the statements kept for reuse

class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Values for the statement's parameters, in order. A failure is reported by the next step.
  template <class... Values>
  Statement& bind(const Values&... values) {
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  /// True: a row is there. False: no more rows.
  Result<bool> step();
  /// For a statement that gives no rows.
  Status run();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  /// NaN when the column is null, which is how SQLite stores a NaN.
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  /// Valid until the next step.
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  friend class Database;
  Statement(Connection& connection, std::string_view sql, sqlite3_stmt* handle);
  void bind_one(int index, std::int64_t value);
  void bind_one(int index, double value);
  void bind_one(int index, const std::optional<double>& value);
  void bind_one(int index, std::string_view value);
  void bind_one(int index, std::span<const std::byte> value);

  Connection* connection_;
  std::string sql_;
  sqlite3_stmt* handle_;
  int bind_code_ = 0;
};

class Database {
 public:
  /// How long to wait for another process's lock is `patience`. Nothing is read or written yet beyond what
  /// opening needs; a read-only file in a read-only directory is opened without locks.
  static Result<Database> open(const std::string& path, Access access, std::chrono::milliseconds patience);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// One or several statements without parameters or rows.
  Status execute(const std::string& sql);
  /// Statements are kept and used again: preparing the same text twice costs once.
  Result<Statement> prepare(std::string_view sql);
  /// The first column of the first row; an Error when there is none.
  Result<std::int64_t> integer(std::string_view sql);
  Result<std::string> text(std::string_view sql);
  [[nodiscard]] std::int64_t last_insert_id() const;
  [[nodiscard]] const std::string& path() const;

 private:
  friend class Transaction;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

/// A write transaction; rolled back unless committed. It takes the write lock at once, so that two writers
/// wait for each other here instead of failing in the middle.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  /// Durable when it returns without an Error.
  Status commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace tare::sqlite
