#include "postgres/table_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.h"
#include "store/columns.h"

namespace wright::postgres {
namespace {

constexpr std::size_t kRowsAtOnce = 200;

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    names.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return names;
}

std::vector<CopiedTable> all_tables() {
  std::vector<CopiedTable> tables{
      {"agent_sessions", "id", split(store::kSessionColumns)},
      {"agent_messages", "id", split(store::kMessageColumns)},
      {"agent_tool_calls", "id", split(store::kCallColumns)},
      {"agent_waits", "id", split(store::kWaitColumns)},
      {"agent_events", "sequence", split(store::kEventColumns)},
      {"agent_records", "id", split(store::kRecordColumns)},
  };
  // No runner of the one is a runner of the other.
  std::erase(tables[0].columns, "runner_id");
  tables[2].columns.push_back("has_news");
  return tables;
}

std::size_t key_column(const CopiedTable& table) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, table.key) -
                                  table.columns.begin());
}

std::unexpected<Error> differs(const CopiedTable& table, std::string_view key) {
  return fail(ErrorCode::already_exists,
              fmt::format("{} {} of {} is not the same in both. Copy to a store that is empty, or "
                          "to one that the same copy has begun",
                          table.key, key, table.name));
}

// Compares all rows up to `until`, or all of both without it.
Result<std::int64_t> compare(TableStore& from, TableStore& to, const CopiedTable& table,
                             const std::optional<std::string>& until) {
  const std::size_t key = key_column(table);
  std::optional<std::string> after;
  std::int64_t count = 0;
  while (true) {
    const auto theirs = TRY(to.read(table, after, kRowsAtOnce));
    // While the copy is under way the source has more.
    auto ours =
        TRY(from.read(table, after, until ? std::max<std::size_t>(theirs.size(), 1) : kRowsAtOnce));
    if (until && theirs.empty()) return count;
    if (ours != theirs) {
      const std::size_t all = std::min(ours.size(), theirs.size());
      std::size_t i = 0;
      while (i < all && ours[i] == theirs[i]) ++i;
      const auto& row = i < ours.size() ? ours[i] : theirs[i];
      return differs(table, row[key].value_or(""));
    }
    if (ours.empty()) return count;
    count += static_cast<std::int64_t>(ours.size());
    after = ours.back()[key];
  }
}

// A number that was given once is never given again: somebody may still know it.
Result<void> copy_last_numbers(TableStore& from, TableStore& to) {
  for (const CopiedTable& table : copied_tables()) {
    if (!gives_numbers(table)) continue;
    const auto last = TRY(from.last_number(table));
    TRY(to.go_on_behind(table, last));
    const auto reached = TRY(to.last_number(table));
    if (reached >= last) continue;
    return fail(ErrorCode::storage,
                fmt::format("{} would give numbers again that were given before ({} to {})",
                            table.name, reached + 1, last));
  }
  return {};
}

}  // namespace

bool gives_numbers(const CopiedTable& table) {
  return table.key != "agent_name";
}

const std::vector<CopiedTable>& copied_tables() {
  static const std::vector<CopiedTable> tables = all_tables();
  return tables;
}

Result<std::vector<CopyProgress>> copy_tables(
    TableStore& from, TableStore& to, const std::function<void(const CopyProgress&)>& tell) {
  for (const CopiedTable& table : copied_tables()) {
    const auto last = TRY(to.last_key(table));
    if (last) {
      TRY(compare(from, to, table, last));
    }
  }
  TRY(to.mark(store::CopyState::unfinished));
  for (const CopiedTable& table : copied_tables()) {
    CopyProgress progress{table.name};
    auto after = TRY(to.last_key(table));
    while (true) {
      const auto rows = TRY(from.read(table, after, kRowsAtOnce));
      if (rows.empty()) break;
      TRY(to.write(table, rows));
      after = rows.back()[key_column(table)];
      progress.rows += static_cast<std::int64_t>(rows.size());
      if (tell) tell(progress);
    }
  }
  TRY(copy_last_numbers(from, to));
  std::vector<CopyProgress> all;
  for (const CopiedTable& table : copied_tables()) {
    const auto count = TRY(compare(from, to, table, std::nullopt));
    all.push_back({table.name, count});
  }
  TRY(to.mark(store::CopyState::finished));
  return all;
}

}  // namespace wright::postgres
