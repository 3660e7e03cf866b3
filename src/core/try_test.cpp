#include "core/try.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "wright/error.h"

namespace wright {
namespace {

Result<std::string> text(bool works) {
  if (!works) return fail(ErrorCode::not_found, "There is no text");
  return "a text that is too long for the small buffer of a string";
}

Result<std::unique_ptr<int>> number(bool works) {
  if (!works) return fail(ErrorCode::not_found, "There is no number");
  return std::make_unique<int>(7);
}

Result<void> step(bool works) {
  if (!works) return fail(ErrorCode::cancelled, "Stopped");
  return {};
}

// Counts itself, so that a test sees what is destroyed.
struct Counted {
  explicit Counted(int& count) : count_(&count) { ++*count_; }
  Counted(const Counted& other) : count_(other.count_) { ++*count_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*count_; }

 private:
  int* count_;
};

Result<int> given(const Counted&, bool works) {
  if (!works) return fail(ErrorCode::not_found, "Nothing");
  return 1;
}

TEST(Try, gives_the_value_of_what_worked) {
  const auto length = []() -> Result<std::size_t> {
    const std::string found = TRY(text(true));
    TRY(step(true));
    return found.size();
  };
  EXPECT_EQ(length(), text(true)->size());
}

TEST(Try, returns_the_error_unchanged_and_goes_no_further) {
  bool went_on = false;
  const auto length = [&]() -> Result<std::size_t> {
    const std::string found = TRY(text(false));
    went_on = true;
    return found.size();
  };
  EXPECT_EQ(length().error(), text(false).error());
  const auto steps = [&]() -> Result<std::size_t> {
    TRY(step(false));
    went_on = true;
    return 0;
  };
  EXPECT_EQ(steps().error(), step(false).error());
  EXPECT_FALSE(went_on);
}

TEST(Try, moves_what_cannot_be_copied) {
  const auto twice = [](bool works) -> Result<int> {
    auto first = TRY(number(works));
    auto named = number(works);
    first = TRY(std::move(named));
    return *first * 2;
  };
  EXPECT_EQ(twice(true), 14);
  EXPECT_EQ(twice(false).error().message, "There is no number");
}

TEST(Try, leaves_a_named_result_as_it_is) {
  const auto twice = [](const Result<std::string>& named) -> Result<std::string> {
    const std::string found = TRY(named);
    return found + *named;
  };
  const auto named = text(true);
  EXPECT_EQ(twice(named), *named + *named);
  const auto failed = text(false);
  EXPECT_FALSE(twice(failed));
  EXPECT_EQ(failed.error().message, "There is no text");
}

TEST(Try, serves_as_initialiser_of_if_and_while_as_range_and_after_return) {
  const auto count = [](bool works) -> Result<int> {
    int left = 3;
    const auto next = [&]() -> Result<std::optional<int>> {
      if (!works && left == 1) return fail(ErrorCode::network, "Broken");
      if (left == 0) return std::nullopt;
      return left--;
    };
    int sum = 0;
    while (const auto value = TRY(next())) sum += *value;
    if (const auto found = TRY(text(true)); found.empty()) return 0;
    for (const char c : TRY(text(true))) sum += c == 'z' ? 1 : 0;
    const auto sum_of = [&]() -> Result<int> { return sum; };
    return TRY(sum_of());
  };
  EXPECT_EQ(count(true), 6);
  EXPECT_EQ(count(false).error().message, "Broken");
}

TEST(Try, returns_from_the_lambda_it_stands_in) {
  const auto outer = [](bool works) -> Result<int> {
    const auto inner = [&]() -> Result<int> {
      TRY(step(works));
      return 1;
    };
    return inner().value_or(2);
  };
  EXPECT_EQ(outer(true), 1);
  EXPECT_EQ(outer(false), 2);
}

TEST(Try, takes_every_expected_whose_error_fits) {
  const auto named = [](bool works) -> std::expected<int, std::string> {
    const auto plain = [&]() -> std::expected<int, const char*> {
      if (!works) return std::unexpected("no");
      return 4;
    };
    return TRY(plain());
  };
  EXPECT_EQ(named(true), 4);
  EXPECT_EQ(named(false).error(), "no");
}

TEST(Try, destroys_temporaries_and_locals_on_the_way_out) {
  int alive = 0;
  const auto leave = [&](bool works) -> Result<int> {
    const Counted local(alive);
    std::optional<int> kept;
    kept = TRY(given(Counted(alive), works));
    return *kept;
  };
  EXPECT_TRUE(leave(true));
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(leave(false));
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace wright
