// Rows beside damaged ones, of lists that cannot be read at all where one row is damaged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/try.h"
#include "wright/store.h"

namespace wright::store {

// In the detail of an error about a row that cannot be read: its id.
inline constexpr std::string_view kDamagedRow = "row_id";

struct DamagedRow {
  std::int64_t id = 0;
  Error error = {};
};

template <class Row>
struct ReadableRows {
  std::vector<Row> rows = {};
  std::vector<DamagedRow> damaged = {};
};

// Nothing for one that is on no such page, as a server might say: there is no way around it.
inline std::optional<DamagedRow> damage_in(const Error& error, std::string_view id_key,
                                           const Page& page) {
  const Json* id = error.find(id_key);
  if (error.code != ErrorCode::storage || id == nullptr || !id->is_int64()) return std::nullopt;
  const bool is_there = (!page.after || id->get_int64() > *page.after) &&
                        (!page.before || id->get_int64() < *page.before);
  return is_there ? std::optional(DamagedRow{id->get_int64(), error}) : std::nullopt;
}

// Goes on behind what is damaged, and in front of it.
template <class Row>
Result<void> read_around(const Page& page, std::string_view id_key,
                         const std::function<Result<std::vector<Row>>(const Page&)>& read,
                         ReadableRows<Row>& found) {
  Page part = page;
  part.limit = page.limit - std::min(page.limit, found.rows.size());
  if (part.limit == 0) return {};
  auto rows = read(part);
  if (rows) {
    std::ranges::move(*rows, std::back_inserter(found.rows));
    return {};
  }
  auto damaged = damage_in(rows.error(), id_key, page);
  if (!damaged) return std::unexpected(std::move(rows).error());
  Page before = page;
  before.before = damaged->id;
  Page after = page;
  after.after = damaged->id;
  found.damaged.push_back(std::move(*damaged));
  const bool is_first = page.keep == Page::Keep::first;
  TRY(read_around(is_first ? before : after, id_key, read, found));
  return read_around(is_first ? after : before, id_key, read, found);
}

// `read` gives a page of the list, and fails with the id of a damaged row as `id_key`.
template <class Row>
Result<ReadableRows<Row>> readable_rows(
    const Page& page, std::string_view id_key,
    const std::function<Result<std::vector<Row>>(const Page&)>& read) {
  ReadableRows<Row> found;
  TRY(read_around(page, id_key, read, found));
  std::ranges::sort(found.rows, {}, &Row::id);
  std::ranges::sort(found.damaged, {}, &DamagedRow::id);
  return found;
}

}  // namespace wright::store
