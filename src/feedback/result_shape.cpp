#include "feedback/result_shape.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kMostRecords = 5;  // looked at in one list
constexpr std::size_t kMostFields = 40;  // looked at in one record
constexpr std::size_t kDeepestResult = 4;
constexpr std::size_t kLongestParsed = 64 * 1024;

// Numbers about the result itself, not about what was found.
bool is_bookkeeping(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>({"limit",
                                                           "offset",
                                                           "total",
                                                           "total_files",
                                                           "total_matches",
                                                           "count",
                                                           "row_count",
                                                           "exit_code",
                                                           "duration_ms",
                                                           "execution_time_secs",
                                                           "score",
                                                           "id",
                                                           "line_number",
                                                           "match_start",
                                                           "match_end",
                                                           "page",
                                                           "files_searched",
                                                           "start",
                                                           "end",
                                                           "total_lines",
                                                           "next_offset",
                                                           "lines",
                                                           "line"});
  return name.starts_with('_') || is_one_of(name, kNames);
}

bool is_date_text(std::string_view text) {
  // 2026-03-01…
  constexpr std::size_t kDate = 10;
  if (text.size() < kDate || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U}) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

bool is_date_name(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"last_modified", "modified", "mtime", "date", "datetime", "created", "updated"});
  return name.ends_with("_at") || name.ends_with("_date") || is_one_of(name, kNames);
}

void add_name(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

class Inspection {
 public:
  ResultShape inspect(const Json& result) && {
    if (const JsonObject* object = result.if_object()) {
      look_at_envelope(*object);
    } else if (const JsonArray* list = result.if_array()) {
      note_list(*list);
    } else if (const JsonString* text = result.if_string()) {
      shape_.is_empty = text->empty();
      shape_.is_truncated = is_cut_text(*text);
    } else {
      shape_.is_empty = result.is_null();
    }
    // One list that is not empty is enough.
    if (lists_ > 0 && items_ == 0) shape_.is_empty = true;
    if (lists_ > 0) shape_.items = items_;
    // Next to a list or a document, numbers describe it; alone they are what was found.
    if (lists_ == 0 && !is_document_) {
      for (const auto& [name, value] : around_) note_field(name, *value);
    }
    return std::move(shape_);
  }

 private:
  void look_at_envelope(const JsonObject& object) {
    std::size_t seen = 0;
    bool has_more = false;
    for (const auto& [key, value] : object) {
      const std::string_view name = key;
      if (++seen > kMostFields) break;
      if (name.starts_with('_')) continue;
      has_more = true;
      if (name == "success") {
        shape_.says_failure |= value == Json(false);
      } else if (name == "exit_code") {
        shape_.says_failure |= value.is_int64() && value.get_int64() != 0;
      } else if (name == "content" || name == "stdout") {
        is_document_ = true;
        if (const JsonString* text = value.if_string()) shape_.is_truncated |= is_cut_text(*text);
      } else if (name == "timed_out") {
        shape_.says_failure |= value == Json(true);
      } else if (name == "truncated" || name == "is_truncated" || name == "has_more") {
        shape_.is_truncated |= value == Json(true);
      } else if (const JsonArray* list = value.if_array()) {
        note_list(*list);
      } else if (const JsonObject* inner = value.if_object()) {
        shape_.has_records = true;
        for (const auto& [inner_key, inner_value] : *inner) {
          if (around_.size() < kMostFields) around_.emplace_back(inner_key, &inner_value);
        }
      } else {
        if (const JsonString* text = value.if_string()) shape_.is_truncated |= is_cut_text(*text);
        around_.emplace_back(name, &value);
      }
    }
    if (!has_more) shape_.is_empty = true;
  }

  void note_list(const JsonArray& list) {
    ++lists_;
    items_ += list.size();
    for (std::size_t i = 0; i < std::min(list.size(), kMostRecords); ++i) {
      if (const JsonObject* record = list[i].if_object()) note_record(*record, 1);
    }
  }

  void note_record(const JsonObject& record, std::size_t depth) {
    shape_.has_records = true;
    std::size_t seen = 0;
    for (const auto& [key, value] : record) {
      if (++seen > kMostFields) break;
      if (const JsonObject* inner = value.if_object(); inner != nullptr && depth < kDeepestResult) {
        note_record(*inner, depth + 1);
      } else {
        note_field(key, value);
      }
    }
  }

  void note_field(std::string_view name, const Json& value) {
    if (is_date_name(name)) {
      add_name(shape_.date_fields, name);
    } else if (value.is_number()) {
      if (!is_bookkeeping(name)) add_name(shape_.number_fields, name);
    } else if (const JsonString* text = value.if_string()) {
      if (is_date_text(*text)) add_name(shape_.date_fields, name);
      shape_.is_truncated |= is_cut_text(*text);
    }
  }

  ResultShape shape_;
  std::vector<std::pair<std::string_view, const Json*>> around_;  // fields outside of lists
  bool is_document_ = false;
  std::size_t lists_ = 0;
  std::size_t items_ = 0;
};

}  // namespace

ResultShape shape_of(const Json& result) {
  return Inspection().inspect(result);
}

ResultShape shape_of_text(std::string_view content) {
  const bool may_be_json = content.starts_with('{') || content.starts_with('[');
  if (may_be_json && content.size() <= kLongestParsed) {
    if (const auto parsed = parse_json(content)) return shape_of(*parsed);
  }
  ResultShape shape;
  shape.is_empty = content.empty() || content == "null";
  shape.is_truncated = is_cut_text(content);
  return shape;
}

bool is_cut_text(std::string_view content) {
  return content.find("\n[Output cut: ") != std::string_view::npos ||
         content.find(" bytes are left out here. All of it is in ") != std::string_view::npos;
}

}  // namespace wright::feedback
