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
  while (!text.empty()) {
    const std::size_t length = text.size() < 8 ? text.size() : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), length);
    sum = mixed(sum, word);
    text.remove_prefix(length);
  }
  return sum;
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

}  // namespace wright
