#include "providers/response_body.h"

#include <boost/json/stream_parser.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace wright::providers {
namespace {

// Whether a stream of events may begin so: with a comment, or a field as far as it goes.
bool begins_like_a_field(std::string_view text) {
  if (text.starts_with(':')) return true;
  const std::size_t end = text.find_first_of(":\r\n");
  const std::string_view name = text.substr(0, end);
  constexpr std::array<std::string_view, 4> kFields{"data", "event", "id", "retry"};
  return std::ranges::any_of(kFields, [&](std::string_view field) {
    return end == std::string_view::npos ? field.starts_with(name) : field == name;
  });
}

bool is_beginning_of_json(std::string_view text) {
  boost::json::parse_options lenient;
  lenient.max_depth = 256;
  lenient.allow_invalid_utf8 = true;
  boost::json::stream_parser parser(boost::json::storage_ptr(), lenient);
  boost::json::error_code error;
  parser.write_some(text.data(), text.size(), error);
  return !error;
}

}  // namespace

// Where scanning continues after the string that begins at `at`: past its closing quote, or at the
// end.
std::size_t DocumentEnd::pass_string(std::string_view bytes, std::size_t at) {
  if (std::exchange(is_escaped_, false)) ++at;
  while (at < bytes.size()) {
    const std::size_t quote = std::min(bytes.find('"', at), bytes.size());
    std::size_t escape = bytes.substr(0, quote).find('\\', at);
    while (escape != std::string_view::npos) {
      at = escape + 2;
      escape = at <= quote ? bytes.substr(0, quote).find('\\', at) : std::string_view::npos;
    }
    if (at > quote) {  // the quote was escaped, or the last byte escapes the next
      is_escaped_ = at > bytes.size();
      continue;
    }
    is_in_string_ = quote == bytes.size();
    return std::min(quote + 1, bytes.size());
  }
  return bytes.size();
}

std::size_t DocumentEnd::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !is_reached()) {
    if (is_in_string_) {
      at = pass_string(bytes, at);
      continue;
    }
    const char c = bytes[at++];
    if (c == '"') {
      is_in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
      has_begun_ = true;
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      --depth_;
    }
  }
  return at;
}

// Returns the bytes that belong to the body, without leading white space and byte order mark.
std::string_view ResponseBody::recognise(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos) return {};
  bytes.remove_prefix(first);
  switch (bytes.front()) {
    case '{':
    case '[': kind_ = Kind::document; break;
    case '<': kind_ = Kind::page; break;
    default: kind_ = Kind::events; break;
  }
  return bytes;
}

Result<void> ResponseBody::keep(std::string_view bytes) {
  bytes = bytes.substr(0, document_end_.feed(bytes));
  if (document_.size() + bytes.size() > kLargestAnswer) {
    return fail(ErrorCode::protocol, "The server sent a document that is larger than any answer");
  }
  document_ += bytes;
  return {};
}

std::string_view ResponseBody::strange_kind() const {
  switch (kind_) {
    case Kind::unknown: return {};
    case Kind::page: return "a web page";
    case Kind::events: return begins_like_a_field(beginning_) ? "" : "plain text";
    case Kind::document: break;
  }
  // What is whole was read, and complained about, as a whole.
  if (document_end_.is_reached()) return {};
  return is_beginning_of_json(document_) ? "" : kBrokenJson;
}

}  // namespace wright::providers
