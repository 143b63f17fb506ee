// Bytes kept under the hash of their content, and those that belong to a run.
#include <algorithm>
#include <fmt/format.h>

#include "bench/model/breakdown_json.hpp"
#include "bench/store/store.hpp"
#include "bench/support/hash.hpp"

namespace tare {

Result<std::string> Store::put_in_transaction(std::span<const std::byte> bytes) {
  auto hash = hash_bytes(bytes);
  auto stored =
      database_.prepare("INSERT INTO artifact (hash, bytes) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING")
          .and_then([&](auto&& s) { return s.bind(hash, bytes).run(); });
  if (!stored) return std::move(stored).error();
  return hash;
}

Result<std::string> Store::put_artifact(std::span<const std::byte> bytes) {
  auto transaction = sqlite::Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  auto hash = put_in_transaction(bytes);
  if (!hash) return hash;
  return transaction->commit().transform([&](Done) { return *hash; });
}

Result<std::vector<std::byte>> Store::get_artifact(const std::string& hash) {
  auto rows = database_.prepare("SELECT bytes FROM artifact WHERE hash = ?");
  if (!rows) return std::move(rows).error();
  auto row = rows->bind(hash).step();
  if (!row) return std::move(row).error();
  if (!*row) return fail(fmt::format("there is no artifact {} in {}", hash, path()));
  const auto bytes = rows->blob(0);
  if (hash_bytes(bytes) != hash) {
    return fail(
        fmt::format("{}: artifact {} is damaged: its bytes have another hash; make it again from its source",
                    path(), hash));
  }
  return std::vector(bytes.begin(), bytes.end());
}

Status Store::add_breakdown(std::int64_t run, const Breakdown& breakdown) {
  auto transaction = sqlite::Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  const auto text = to_text(to_json(breakdown));
  auto hash = put_in_transaction(std::as_bytes(std::span(text)));
  if (!hash) return std::move(hash).error();
  auto added =
      database_
          .prepare(
              "INSERT INTO run_artifact (run, kind, position, hash) SELECT id, 'breakdown', "
              "(SELECT COUNT(*) FROM run_artifact WHERE run = id AND kind = 'breakdown'), ? FROM run "
              "WHERE id = ?")
          .and_then([&](auto&& s) { return s.bind(*hash, run).run(); });
  if (!added) return added;
  auto count = database_.integer("SELECT changes()");
  if (!count) return std::move(count).error();
  if (*count == 0)
    return fail(fmt::format("there is no run {} in {}; name one that it holds, or last", run, path()));
  return transaction->commit();
}

Result<std::vector<Breakdown>> Store::breakdowns(std::int64_t run) {
  auto rows = database_.prepare(
      "SELECT hash FROM run_artifact WHERE run = ? AND kind = 'breakdown' ORDER BY position");
  if (!rows) return std::move(rows).error();
  rows->bind(run);
  std::vector<Breakdown> all;
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) return all;
    auto breakdown = get_artifact(rows->text(0))
                         .and_then([](const std::vector<std::byte>& bytes) {
                           return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
                         })
                         .and_then([](const Json& json) { return breakdown_from_json(json); });
    if (!breakdown)
      return fail(fmt::format("{}: a breakdown of run {} cannot be read: {}", path(), run,
                              breakdown.error().message));
    std::erase_if(all, [&](const Breakdown& b) { return b.benchmark == breakdown->benchmark; });
    all.push_back(std::move(*breakdown));
  }
}

}  // namespace tare
