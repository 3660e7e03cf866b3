#include "models/retry_policy.h"

#include <gtest/gtest.h>

namespace wright::models {
namespace {

using namespace std::chrono_literals;

Error error(ErrorCode code, Json detail = {}) {
  return {code, "it failed", std::move(detail)};
}

TEST(RetryPolicy, only_what_may_pass_is_tried_again) {
  for (const ErrorCode code :
       {ErrorCode::rate_limited, ErrorCode::overloaded, ErrorCode::unavailable, ErrorCode::network,
        ErrorCode::timeout, ErrorCode::answer_cut, ErrorCode::protocol}) {
    EXPECT_TRUE(wait_before_retry(error(code), {.failed = 1}, 0.5, {})) << to_string(code);
  }
  for (const ErrorCode code :
       {ErrorCode::authentication, ErrorCode::permission_denied, ErrorCode::not_found,
        ErrorCode::invalid_argument, ErrorCode::context_too_long, ErrorCode::content_filtered,
        ErrorCode::cancelled, ErrorCode::internal}) {
    EXPECT_FALSE(wait_before_retry(error(code), {.failed = 1}, 0.5, {})) << to_string(code);
  }
}

TEST(RetryPolicy, the_wait_doubles_up_to_its_limit_and_is_jittered_by_half) {
  const RetryOptions options{.retries = 100, .first_wait = 100ms, .longest_wait = 1'000ms};
  const auto wait = [&](int failed, double chance) {
    return *wait_before_retry(error(ErrorCode::network), {.failed = failed}, chance, options);
  };
  EXPECT_EQ(wait(1, 1), 100ms);
  EXPECT_EQ(wait(1, 0), 50ms);
  EXPECT_EQ(wait(2, 1), 200ms);
  EXPECT_EQ(wait(4, 1), 800ms);
  EXPECT_EQ(wait(5, 1), 1'000ms);
  EXPECT_EQ(wait(100, 0), 500ms);
}

TEST(RetryPolicy, waits_longer_for_a_vendor_without_room) {
  for (const ErrorCode code : {ErrorCode::overloaded, ErrorCode::rate_limited}) {
    std::chrono::milliseconds least{0};
    for (int failed = 1; failed <= RetryOptions{}.retries; ++failed) {
      least += *wait_before_retry(error(code), {.failed = failed}, 0, {});
    }
    EXPECT_GE(least, 14s) << to_string(code);
    EXPECT_LE(*wait_before_retry(error(code), {.failed = 30}, 1, {.retries = 30}),
              RetryOptions{}.longest_wait);
  }
}

TEST(RetryPolicy, does_not_try_again_what_is_final) {
  for (const ErrorCode code : {ErrorCode::protocol, ErrorCode::answer_cut, ErrorCode::overloaded}) {
    EXPECT_FALSE(is_passing(error(code, JsonObject{{"is_final", true}})));
    EXPECT_TRUE(is_passing(error(code, JsonObject{{"is_final", false}})));
    EXPECT_TRUE(is_passing(error(code, JsonObject{{"is_final", "yes"}})));
  }
}

TEST(RetryPolicy, gives_up_after_the_retries_and_at_the_deadline) {
  const RetryOptions options{.retries = 2, .deadline = 10'000ms};
  EXPECT_TRUE(wait_before_retry(error(ErrorCode::network), {.failed = 2}, 0, options));
  EXPECT_FALSE(wait_before_retry(error(ErrorCode::network), {.failed = 3}, 0, options));
  EXPECT_FALSE(wait_before_retry(error(ErrorCode::network), {1, 9'900ms}, 0, options));
}

TEST(RetryPolicy, waits_at_least_as_long_as_the_vendor_asks) {
  const Error asked = error(ErrorCode::rate_limited, JsonObject{{"retry_after_ms", 7000}});
  EXPECT_EQ(wait_before_retry(asked, {.failed = 1}, 0, {}), 7'000ms);
  const auto jittered = wait_before_retry(asked, {.failed = 1}, 1, {});
  EXPECT_GE(*jittered, 7'000ms);
  EXPECT_LE(*jittered, 7'250ms);
}

TEST(RetryPolicy, does_not_wait_for_a_vendor_that_asks_for_too_much) {
  const Error asked = error(ErrorCode::rate_limited, JsonObject{{"retry_after_ms", 7200000}});
  EXPECT_FALSE(wait_before_retry(asked, {.failed = 1}, 0, {}));
}

TEST(RetryPolicy, nonsense_in_the_detail_is_not_a_wait) {
  for (const Json& detail : {Json(), Json(JsonArray()), Json{{"retry_after_ms", "soon"}},
                             Json{{"retry_after_ms", -5}}, Json{{"retry_after_ms", nullptr}}}) {
    EXPECT_FALSE(asked_wait(error(ErrorCode::rate_limited, detail))) << detail;
  }
  EXPECT_EQ(asked_wait(error(ErrorCode::rate_limited, JsonObject{{"retry_after_ms", 1e300}})), 24h);
}

}  // namespace
}  // namespace wright::models
