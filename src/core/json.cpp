// Parsing with limits, and a serialiser whose numbers look as people expect.
#include "wright/json.h"

#include <fmt/format.h>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>

#include <algorithm>
#include <cmath>

#include "core/json_escape.h"
#include "core/json_storage.h"
#include "core/text_buffer.h"

namespace wright {
namespace {

constexpr std::size_t kScratchBytes = 2048;  // on the stack: enough for most arguments of calls

class Writer {
 public:
  Writer(TextBuffer& out, std::size_t indent) : out_(out), indent_(indent) {}

  void write(const Json& value) {
    switch (value.kind()) {
      case boost::json::kind::null: out_.put("null"); break;
      case boost::json::kind::bool_: out_.put(value.get_bool() ? "true" : "false"); break;
      case boost::json::kind::int64: out_.put_number(value.get_int64()); break;
      case boost::json::kind::uint64: out_.put_number(value.get_uint64()); break;
      case boost::json::kind::double_: out_.put_number(value.get_double()); break;
      case boost::json::kind::string: write_string(value.get_string()); break;
      case boost::json::kind::array: write_array(value.get_array()); break;
      case boost::json::kind::object: write_object(value.get_object()); break;
    }
  }

 private:
  void write_string(std::string_view text) { out_.put_quoted(text, EscapeDelete::no); }

  void write_array(const JsonArray& array) {
    out_.put('[');
    ++depth_;
    bool is_first = true;
    for (const Json& item : array) {
      separate(is_first);
      write(item);
    }
    close(']', is_first);
  }

  void write_object(const JsonObject& object) {
    out_.put('{');
    ++depth_;
    bool is_first = true;
    for (const auto& [key, item] : object) {
      separate(is_first);
      write_string(key);
      out_.put(':');
      if (indent_ > 0) out_.put(' ');
      write(item);
    }
    close('}', is_first);
  }

  void separate(bool& is_first) {
    if (!is_first) out_.put(',');
    is_first = false;
    new_line();
  }

  void close(char bracket, bool is_empty) {
    --depth_;
    if (!is_empty) new_line();
    out_.put(bracket);
  }

  void new_line() {
    if (indent_ == 0) return;
    out_.put('\n');
    out_.put(indent_ * depth_, ' ');
  }

  TextBuffer& out_;
  std::size_t indent_;
  std::size_t depth_ = 0;
};

// Whether all numbers in it are; as deep as the parser goes.
bool is_finite(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::double_: return std::isfinite(value.get_double());
    case boost::json::kind::array: return std::ranges::all_of(value.get_array(), is_finite);
    case boost::json::kind::object:
      return std::ranges::all_of(value.get_object(),
                                 [](const auto& member) { return is_finite(member.value()); });
    default: return true;
  }
}

std::string written(const Json& value, std::size_t indent) {
  TextBuffer out;
  Writer(out, indent).write(value);
  return std::string(out.text());
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  return parse_json(text, {});
}

Result<Json> parse_json(std::string_view text, boost::json::storage_ptr storage) {
  if (!is_valid_utf8(text)) return fail(ErrorCode::invalid_json, "The text is not valid UTF-8");
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  unsigned char scratch[kScratchBytes];
  boost::json::parser parser({}, options, scratch, sizeof(scratch));
  parser.reset(std::move(storage));
  boost::json::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size()) error = boost::json::error::extra_data;
  if (error) {
    return fail(ErrorCode::invalid_json,
                fmt::format("Invalid JSON at byte {}: {}", read, error.message()));
  }
  Json value = parser.release();
  // JSON has no infinity: nobody could be told what was meant, and it would be written as null.
  if (!is_finite(value)) {
    return fail(ErrorCode::invalid_json, "Invalid JSON: a number is too large for a double");
  }
  return value;
}

bool is_json_object(std::string_view text) {
  unsigned char scratch[kScratchBytes];
  boost::json::monotonic_resource memory(scratch, sizeof(scratch));
  const auto parsed = parse_json(text, &memory);
  return parsed && parsed->is_object();
}

void append_text(std::string& out, const Json& value) {
  TextBuffer text;
  Writer(text, 0).write(value);
  out += text.text();
}

std::string to_text(const Json& value) {
  return written(value, 0);
}

std::string to_pretty_text(const Json& value) {
  return written(value, 2);
}

}  // namespace wright
