#include "core/enum_names.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace wright {
namespace {

enum class Season : std::uint8_t { spring, summer, autumn };
WRIGHT_ENUM(Season, spring, summer, autumn)

enum class Shortened : std::uint8_t { first, second, left_out };
WRIGHT_ENUM(Shortened, first, second)

enum class Shuffled : std::uint8_t { first, second };
WRIGHT_ENUM(Shuffled, second, first)

struct Outer {
  enum class Kind { plain, other };
};
WRIGHT_ENUM(Outer::Kind, plain, other)

TEST(EnumNames, lead_from_value_to_name_and_back) {
  EXPECT_EQ(enum_name(Season::autumn), "autumn");
  EXPECT_EQ(enum_named<Season>("summer"), Season::summer);
  EXPECT_EQ(enum_name(Outer::Kind::other), "other");
  EXPECT_EQ(enum_named<Outer::Kind>("plain"), Outer::Kind::plain);
}

TEST(EnumNames, know_nothing_else) {
  EXPECT_EQ(enum_named<Season>("winter"), std::nullopt);
  EXPECT_EQ(enum_named<Season>(""), std::nullopt);
  EXPECT_EQ(enum_name(static_cast<Season>(3)), "invalid");
}

TEST(EnumNames, are_listed_for_a_sentence) {
  EXPECT_EQ(enum_names<Season>(), "spring, summer or autumn");
  EXPECT_EQ(enum_names<Outer::Kind>(), "plain or other");
}

TEST(EnumNames, of_an_incomplete_or_shuffled_description_are_refused_by_the_compiler) {
  static_assert(is_described_completely<Season>());
  static_assert(is_described_completely<Outer::Kind>());
  static_assert(!is_described_completely<Shortened>());
  static_assert(!is_described_completely<Shuffled>());
}

}  // namespace
}  // namespace wright
