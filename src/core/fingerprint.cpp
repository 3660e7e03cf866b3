#include "core/fingerprint.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <bit>
#include <cstring>

namespace wright {
namespace {

constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * kFactor;
  return sum ^ (sum >> 32);
}

std::uint64_t with_text(std::uint64_t sum, std::string_view text) {
  sum = mixed(sum, text.size());
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    sum = mixed(sum, word);
  }
  if (text.empty()) return sum;
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  return mixed(sum, word);
}

std::uint64_t with_part(std::uint64_t sum, const Text& part) {
  sum = mixed(with_text(sum, part.text), static_cast<std::uint64_t>(part.phase));
  for (const Citation& citation : part.citations) {
    for (const std::string* text :
         {&citation.url, &citation.title, &citation.quote, &citation.opaque}) {
      sum = with_text(sum, *text);
    }
  }
  return mixed(sum, part.citations.size());
}
std::uint64_t with_part(std::uint64_t sum, const Reasoning& part) {
  return with_text(with_text(sum, part.text), part.opaque);
}
std::uint64_t with_part(std::uint64_t sum, const Image& part) {
  return with_text(with_text(sum, part.media_type), part.base64);
}
std::uint64_t with_part(std::uint64_t sum, const ToolCall& part) {
  return with_text(with_text(with_text(sum, part.id), part.name), part.arguments);
}
std::uint64_t with_part(std::uint64_t sum, const Notice& part) {
  return with_text(mixed(sum, static_cast<std::uint64_t>(part.kind)), part.text);
}
std::uint64_t with_part(std::uint64_t sum, const ToolResult& part) {
  sum = with_text(with_text(with_text(sum, part.call_id), part.name), part.content);
  sum = mixed(mixed(sum, part.is_error ? 1 : 0), part.fingerprint);
  for (const Image& image : part.images) sum = with_part(sum, image);
  sum = mixed(sum, part.images.size());
  for (const Notice& told : part.notices) sum = with_part(sum, told);
  return mixed(sum, part.notices.size());
}

std::uint64_t with_value(std::uint64_t sum, const Json& value) {
  sum = mixed(sum, static_cast<std::uint64_t>(value.kind()));
  switch (value.kind()) {
    case boost::json::kind::null: return sum;
    case boost::json::kind::bool_: return mixed(sum, value.get_bool() ? 1 : 0);
    case boost::json::kind::int64: return mixed(sum, static_cast<std::uint64_t>(value.get_int64()));
    case boost::json::kind::uint64: return mixed(sum, value.get_uint64());
    case boost::json::kind::double_:
      return mixed(sum, std::bit_cast<std::uint64_t>(value.get_double()));
    case boost::json::kind::string: return with_text(sum, value.get_string());
    case boost::json::kind::array:
      for (const Json& item : value.get_array()) sum = with_value(sum, item);
      return mixed(sum, value.get_array().size());
    case boost::json::kind::object:
      for (const auto& member : value.get_object()) {
        sum = with_value(with_text(sum, member.key()), member.value());
      }
      return mixed(sum, value.get_object().size());
  }
  return sum;
}

std::uint64_t not_zero(std::uint64_t sum) {
  return sum == 0 ? 1 : sum;
}

}  // namespace

std::uint64_t fingerprint_of(std::string_view text) {
  return not_zero(with_text(kFactor, text));
}

std::uint64_t fingerprint_of(const Json& value) {
  return not_zero(with_value(kFactor, value));
}

std::uint64_t fingerprint_of(const Message& message) {
  std::uint64_t sum = mixed(kFactor, static_cast<std::uint64_t>(message.role));
  for (const Part& part : message.parts) {
    sum = mixed(sum, part.index());
    sum = std::visit([&](const auto& one) { return with_part(sum, one); }, part);
  }
  return not_zero(mixed(sum, message.parts.size()));
}

std::uint64_t joined(std::uint64_t sum, std::uint64_t last) {
  return mixed(sum, last);
}

}  // namespace wright
