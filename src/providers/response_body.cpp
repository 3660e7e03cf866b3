#include "providers/response_body.h"

#include <boost/json/stream_parser.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace wright::providers {
namespace {

constexpr std::uint64_t repeated(std::uint64_t byte) {
  return byte * 0x0101010101010101U;
}

// The first bit of every byte that is 0; above the first such byte it may be wrong.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - repeated(1)) & ~word & repeated(0x80);
}

// The place of the next quotation mark or backslash, or the end.
std::size_t end_of_plain(std::string_view bytes, std::size_t at) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      const std::uint64_t found =
          zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\'));
      if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
  }
  while (at < bytes.size() && bytes[at] != '"' && bytes[at] != '\\') ++at;
  return at;
}

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

std::size_t DocumentEnd::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !is_reached()) {
    if (!is_in_string_) {
      const char c = bytes[at++];
      if (c == '"') {
        is_in_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
        has_begun_ = true;
      } else if ((c == '}' || c == ']') && depth_ > 0) {
        --depth_;
      }
    } else if (std::exchange(is_escaped_, false)) {
      ++at;
    } else {
      at = end_of_plain(bytes, at);
      if (at == bytes.size()) break;
      is_escaped_ = bytes[at] == '\\';
      is_in_string_ = is_escaped_;
      ++at;
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

// As much of the document as there is.
Result<std::string_view> ResponseBody::document_with(std::string_view bytes) {
  bytes = bytes.substr(0, document_end_.feed(bytes));
  if (document_.size() + bytes.size() > kLargestAnswer) {
    return fail(ErrorCode::protocol, "The server sent a document that is larger than any answer");
  }
  if (document_.empty() && document_end_.is_reached()) return bytes;
  document_ += bytes;
  return document_;
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
