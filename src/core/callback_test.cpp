#include "core/callback.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace wright {
namespace {

static_assert(sizeof(Callback<void()>) == 64);
static_assert(!std::is_copy_constructible_v<Callback<void()>>);
static_assert(std::is_nothrow_move_constructible_v<Callback<void()>>);

// Counts how many of it are alive.
struct Captured {
  explicit Captured(int& alive) : alive_(&alive) { ++alive; }
  Captured(const Captured& other) : alive_(other.alive_) { ++*alive_; }
  Captured(Captured&& other) noexcept : alive_(other.alive_) { ++*alive_; }
  Captured& operator=(const Captured&) = delete;
  Captured& operator=(Captured&&) = delete;
  ~Captured() { --*alive_; }
  int* alive_;
};

TEST(Callback, is_called_with_what_is_given) {
  Callback<std::string(std::unique_ptr<int>, const std::string&)> together =
      [](std::unique_ptr<int> number, const std::string& text) {
        return text + std::to_string(*number);
      };
  EXPECT_EQ(together(std::make_unique<int>(7), "number "), "number 7");
  int sum = 0;
  Callback<void(int)> add = [&](int more) { return sum += more; };
  add(3);
  add(4);
  EXPECT_EQ(sum, 7) << "what it returns is not wanted";
}

TEST(Callback, keeps_what_it_has_captured_once_wherever_it_goes) {
  int alive = 0;
  const auto try_with = [&](auto load) {
    Callback<int()> first = [counted = Captured(alive), load] {
      return static_cast<int>(load.size());
    };
    EXPECT_EQ(alive, 1);
    Callback<int()> second = std::move(first);
    EXPECT_FALSE(first);  // NOLINT: what was moved from is empty
    EXPECT_EQ(alive, 1);
    first = std::move(second);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(first(), static_cast<int>(load.size()));
    second = [counted = Captured(alive)] { return 0; };
    EXPECT_EQ(alive, 2);
    second = std::move(first);
    EXPECT_EQ(alive, 1);
    second = {};
    EXPECT_EQ(alive, 0);
  };
  try_with(std::array<char, 1>{});
  try_with(std::array<char, 48>{});
  try_with(std::array<char, 49>{});  // too large to lie inside
  try_with(std::array<char, 500>{});
}

TEST(Callback, may_be_empty) {
  EXPECT_FALSE(Callback<void()>());
  EXPECT_FALSE(Callback<void()>(std::function<void()>()));
  EXPECT_FALSE(Callback<void()>(static_cast<void (*)()>(nullptr)));
  Callback<void()> empty;
  EXPECT_THROW(empty(), std::bad_function_call);
  EXPECT_TRUE(Callback<void()>(std::function<void()>([] {})));
}

TEST(Callback, may_be_replaced_by_what_it_lets_go) {
  Callback<void()> callback;
  int ends = 0;
  struct AtEnd {
    Callback<void()>* callback;
    int* ends;
    AtEnd(Callback<void()>* of, int* count) : callback(of), ends(count) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() {
      ++*ends;
      EXPECT_TRUE(*callback) << "it has its new one already";
    }
  };
  callback = [at_end = std::make_shared<AtEnd>(&callback, &ends)] {};
  callback = [] {};
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace wright
