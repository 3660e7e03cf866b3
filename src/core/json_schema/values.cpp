#include "core/json_schema/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <vector>

namespace wright::json_schema {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::partial_ordering compare(std::int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kTwoTo63) return std::partial_ordering::less;
  if (b < -kTwoTo63) return std::partial_ordering::greater;
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> b - static_cast<double>(whole);
}

std::partial_ordering compare(std::uint64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kTwoTo64) return std::partial_ordering::less;
  if (b < 0) return std::partial_ordering::greater;
  const auto whole = static_cast<std::uint64_t>(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> b - static_cast<double>(whole);
}

std::partial_ordering reversed(std::partial_ordering order) {
  return 0 <=> order;
}

__extension__ using Wide = unsigned __int128;

// A number as digits times a power of ten, without its sign.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal_of(double value) {
  // The shortest text that reads back as the same double.
  std::array<char, 40> buffer{};
  const auto written = fmt::format_to_n(buffer.data(), buffer.size(), "{}", std::abs(value));
  const std::string_view text(buffer.data(), written.size);
  Decimal decimal;
  bool is_fraction = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e'; ++i) {
    if (text[i] == '.') {
      is_fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<unsigned>(text[i] - '0');
    if (is_fraction) --decimal.exponent;
  }
  if (i < text.size()) {
    int power = 0;
    i += text[i + 1] == '+' ? 2U : 1U;
    std::from_chars(text.data() + i, text.data() + text.size(), power);
    decimal.exponent += power;
  }
  return decimal;
}

Decimal decimal_of(const Json& number) {
  Decimal decimal;
  if (number.is_int64()) {
    const std::int64_t value = number.get_int64();
    decimal.digits =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  } else if (number.is_uint64()) {
    decimal.digits = number.get_uint64();
  } else {
    decimal = decimal_of(number.get_double());
  }
  while (decimal.digits != 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
  return decimal;
}

bool equal_objects(const JsonObject& a, const JsonObject& b) {
  if (a.size() != b.size()) return false;
  return std::ranges::all_of(a, [&](const auto& member) {
    const Json* other = b.if_contains(member.key());
    return other != nullptr && equal(member.value(), *other);
  });
}

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9E3779B97F4A7C15ULL + (seed << 6) + (seed >> 2));
}

}  // namespace

std::partial_ordering compare_mixed_numbers(const Json& a, const Json& b) {
  if (a.is_double()) {
    if (b.is_double()) return a.get_double() <=> b.get_double();
    return reversed(compare_mixed_numbers(b, a));
  }
  if (b.is_double()) {
    return a.is_int64() ? compare(a.get_int64(), b.get_double())
                        : compare(a.get_uint64(), b.get_double());
  }
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() <=> b.get_uint64();
  if (a.is_uint64()) return reversed(compare_mixed_numbers(b, a));
  if (a.get_int64() < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a.get_int64()) <=> b.get_uint64();
}

bool equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), equal);
  if (a.is_object()) return equal_objects(a.get_object(), b.get_object());
  return a == b;
}

std::size_t hash_of(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return 1;
    case boost::json::kind::bool_: return value.get_bool() ? 2 : 3;
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      // Equal numbers of different kinds convert to the same double.
      return mix(4, std::hash<double>{}(value.to_number<double>()));
    case boost::json::kind::string:
      return mix(5, std::hash<std::string_view>{}(value.get_string()));
    case boost::json::kind::array: {
      std::size_t seed = 6;
      for (const Json& item : value.get_array()) seed = mix(seed, hash_of(item));
      return seed;
    }
    case boost::json::kind::object: {
      std::size_t sum = 7;  // the order of members must not matter
      for (const auto& member : value.get_object()) {
        sum += mix(std::hash<std::string_view>{}(member.key()), hash_of(member.value()));
      }
      return sum;
    }
  }
  return 0;
}

bool is_multiple_of(const Json& value, const Json& divisor) {
  if (value.is_int64() && divisor.is_int64()) {
    // The divisor is positive; the remainder of a negative value is zero or negative.
    return value.get_int64() % divisor.get_int64() == 0;
  }
  if (value.is_double() && !std::isfinite(value.get_double())) return false;
  const Decimal a = decimal_of(value);
  const Decimal b = decimal_of(divisor);
  if (a.digits == 0) return true;
  if (b.digits == 0) return false;
  if (a.exponent >= b.exponent) {
    // a.digits * 10^shift modulo b.digits
    Wide remainder = a.digits % b.digits;
    for (int shift = a.exponent - b.exponent; shift > 0 && remainder != 0; --shift) {
      remainder = remainder * 10 % b.digits;
    }
    return remainder == 0;
  }
  // a.digits must be a multiple of b.digits * 10^shift; it ends in no zero, so it never is.
  return false;
}

bool is_integer(const Json& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::isfinite(value.get_double()) &&
         value.get_double() == std::trunc(value.get_double());
}

bool has_duplicates(const JsonArray& array) {
  constexpr std::size_t kSmall = 8;
  if (array.size() <= kSmall) {
    for (std::size_t i = 1; i < array.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (equal(array[i], array[j])) return true;
      }
    }
    return false;
  }
  std::vector<std::pair<std::size_t, const Json*>> hashed;
  hashed.reserve(array.size());
  for (const Json& item : array) hashed.emplace_back(hash_of(item), &item);
  std::ranges::sort(hashed, {}, [](const auto& entry) { return entry.first; });
  for (std::size_t i = 1; i < hashed.size(); ++i) {
    for (std::size_t j = i; j > 0 && hashed[j - 1].first == hashed[i].first; --j) {
      if (equal(*hashed[i].second, *hashed[j - 1].second)) return true;
    }
  }
  return false;
}

bool is_deeper_than(const Json& value, int limit) {
  if (!value.is_structured()) return false;
  if (limit == 0) return true;
  if (const JsonArray* array = value.if_array()) {
    return std::ranges::any_of(*array,
                               [&](const Json& item) { return is_deeper_than(item, limit - 1); });
  }
  return std::ranges::any_of(value.get_object(), [&](const auto& member) {
    return is_deeper_than(member.value(), limit - 1);
  });
}

}  // namespace wright::json_schema
