// Retry, circuit breaker, rate limit, cache and output limit, by clocks that the tests move.
#include <gtest/gtest.h>

#include "wright/interceptors.h"
#include "wright/testing.h"

namespace wright::intercept {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::call;

class Guards : public ::testing::Test {
 protected:
  MonotonicClock clock() {
    return [this] { return now_; };
  }

  // Fails `failures` times with `code`, then answers how often it was called.
  Tool flaky(Effect effect, int failures, ErrorCode code = ErrorCode::unavailable) {
    return tool("flaky", "",
                [this, failures, code]() -> Result<int> {
                  if (++calls_ <= failures) return fail(code, "not now");
                  return calls_;
                },
                {.effect = effect});
  }

  Result<Json> run(const Tool& tool, const Interceptor& guard, const std::string& arguments = "{}",
                   std::stop_token stop = {}) {
    Result<Json> seen;
    const std::vector<Interceptor> list{
        after([&](const Invocation&, const Context&, Result<ToolReply>& reply) {
          if (!reply) {
            seen = std::unexpected(reply.error());
          } else if (const Output* output = output_of(reply)) {
            seen = output->value;
          } else {
            seen = Json("waits");
          }
        }),
        guard};
    execute({&tool, 1}, list, call(tool.spec.name, arguments), Context{.stop = stop});
    return seen;
  }

  std::chrono::steady_clock::time_point now_{};
  int calls_ = 0;
};

// --- retry -------------------------------------------------------------------------------------

class Retries : public Guards {
 protected:
  RetryOptions options(double random = 1.0) {
    return {.pause = [this](std::chrono::nanoseconds time,
                            std::stop_token) { pauses_.push_back(time); },
            .random = [random] { return random; }};
  }
  std::vector<std::chrono::nanoseconds> pauses_;
};

TEST_F(Retries, what_reads_until_it_answers) {
  EXPECT_EQ(run(flaky(Effect::read, 2), retry(options())), Json(3));
  EXPECT_EQ(pauses_, (std::vector<std::chrono::nanoseconds>{milliseconds(100), milliseconds(200)}));
}

TEST_F(Retries, no_more_often_than_it_may) {
  EXPECT_EQ(run(flaky(Effect::idempotent, 9), retry(options())).error().message, "not now");
  EXPECT_EQ(calls_, 3);
}

TEST_F(Retries, never_what_writes) {
  EXPECT_FALSE(run(flaky(Effect::write, 1), retry(options())));
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(Retries, only_what_may_pass) {
  EXPECT_FALSE(run(flaky(Effect::read, 1, ErrorCode::not_found), retry(options())));
  EXPECT_EQ(calls_, 1);
  RetryOptions all = options();
  all.is_transient = [](const Error&) { return true; };
  EXPECT_TRUE(run(flaky(Effect::read, 2, ErrorCode::not_found), retry(all)));
}

TEST_F(Retries, with_pauses_that_grow_to_a_limit_and_are_jittered) {
  RetryOptions many = options(0.0);
  many.attempts = 5;
  many.longest_pause = milliseconds(300);
  run(flaky(Effect::read, 9), retry(many));
  EXPECT_EQ(pauses_, (std::vector<std::chrono::nanoseconds>{milliseconds(50), milliseconds(100),
                                                            milliseconds(150), milliseconds(150)}));
}

TEST_F(Retries, not_after_the_run_was_stopped) {
  std::stop_source stop;
  RetryOptions stopping = options();
  stopping.pause = [&](std::chrono::nanoseconds, std::stop_token) { stop.request_stop(); };
  EXPECT_FALSE(run(flaky(Effect::read, 2), retry(stopping), "{}", stop.get_token()));
  EXPECT_EQ(calls_, 1);
}

TEST_F(Retries, a_real_pause_ends_when_the_run_is_stopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(run(flaky(Effect::read, 2),
                   retry({.first_pause = seconds(600), .longest_pause = seconds(600)}), "{}",
                   stop.get_token()));
  EXPECT_EQ(calls_, 1);
}

// --- circuit breaker ---------------------------------------------------------------------------

TEST_F(Guards, circuit_opens_after_five_failures_and_tries_again_after_a_minute) {
  const Interceptor breaker = circuit_breaker({.clock = clock()});
  const Tool tool = flaky(Effect::write, 6, ErrorCode::tool_failed);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(tool, breaker).error().code, ErrorCode::tool_failed);
  now_ += seconds(59);
  const auto refused = run(tool, breaker);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message,
            "flaky failed 5 times in a row and is not called for now. Try again in 1 s, or try "
            "another way");
  EXPECT_EQ(calls_, 5);
  now_ += seconds(1);
  EXPECT_EQ(run(tool, breaker).error().code, ErrorCode::tool_failed) << "the trial fails";
  EXPECT_EQ(run(tool, breaker).error().code, ErrorCode::unavailable) << "and it opens again";
  EXPECT_EQ(calls_, 6);
  now_ += seconds(60);
  EXPECT_EQ(run(tool, breaker), Json(7));
  EXPECT_EQ(run(tool, breaker), Json(8));
}

TEST_F(Guards, circuit_lets_only_one_call_try) {
  const Interceptor breaker = circuit_breaker({.threshold = 1, .clock = clock()});
  run(flaky(Effect::write, 1), breaker);
  now_ += seconds(60);
  Result<Json> inner;
  const Tool nested = tool("flaky", "", [&] {
    inner = run(flaky(Effect::write, 0), breaker);
    return true;
  });
  EXPECT_EQ(run(nested, breaker), Json(true));
  EXPECT_EQ(inner.error().code, ErrorCode::unavailable);
}

TEST_F(Guards, circuit_does_not_count_what_is_not_the_tools_fault) {
  const Interceptor breaker = circuit_breaker({.threshold = 1, .clock = clock()});
  for (const ErrorCode code :
       {ErrorCode::invalid_argument, ErrorCode::cancelled, ErrorCode::not_found}) {
    calls_ = 0;
    EXPECT_EQ(run(flaky(Effect::write, 1, code), breaker).error().code, code);
  }
  const Tool asking = tool("flaky", "", [] { return Waiting{.shown = "Sure?"}; });
  EXPECT_EQ(run(asking, breaker), Json("waits"));
  EXPECT_TRUE(run(flaky(Effect::write, 0), breaker));
}

TEST_F(Guards, circuit_is_each_tools_own_and_a_success_closes_it) {
  const Interceptor breaker = circuit_breaker({.threshold = 2, .clock = clock()});
  const Tool tool = flaky(Effect::write, 1);
  run(tool, breaker);
  EXPECT_TRUE(run(tool, breaker));
  calls_ = 0;
  run(tool, breaker);
  EXPECT_TRUE(run(tool, breaker)) << "one failure after a success is the first";
  calls_ = 0;
  const Tool bad = flaky(Effect::write, 99);
  run(bad, breaker);
  run(bad, breaker);
  EXPECT_TRUE(run(wright::tool("other", "", [] { return 1; }), breaker));
  EXPECT_FALSE(run(bad, breaker));
}

// --- rate limit --------------------------------------------------------------------------------

TEST_F(Guards, rate_limit_lets_a_burst_through_then_so_many_a_second) {
  const Interceptor limit = rate_limit({.calls_per_second = 2, .burst = 3, .clock = clock()});
  const Tool tool = flaky(Effect::read, 0);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(tool, limit));
  EXPECT_EQ(run(tool, limit).error().message, "Too many calls of flaky. Try again in 0.5 s");
  EXPECT_EQ(run(tool, limit).error().code, ErrorCode::unavailable);
  EXPECT_TRUE(run(tool.as("other"), limit)) << "of each tool its own";
  now_ += milliseconds(500);
  EXPECT_TRUE(run(tool, limit));
  EXPECT_FALSE(run(tool, limit));
  now_ += seconds(3600);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(tool, limit));
  EXPECT_FALSE(run(tool, limit)) << "an hour earns no more than the burst";
}

TEST_F(Guards, rate_limit_may_wait_instead) {
  std::vector<double> waited;
  const Interceptor limit =
      rate_limit({.calls_per_second = 1,
                  .burst = 1,
                  .when_exceeded = RateLimitOptions::WhenExceeded::wait,
                  .clock = clock(),
                  .pause = [&](std::chrono::nanoseconds time, std::stop_token) {
                    waited.push_back(std::chrono::duration<double>(time).count());
                  }});
  const Tool tool = flaky(Effect::read, 0);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(tool, limit));
  EXPECT_EQ(waited, (std::vector<double>{1, 2})) << "those who wait queue up";
}

// --- cache -------------------------------------------------------------------------------------

TEST_F(Guards, cache_answers_the_same_question_once) {
  const Interceptor cached = cache();
  const Tool reading =
      *tool({.name = "r", .options = {.effect = Effect::read}},
            [this](const Json&, const Context&) -> Result<Json> { return ++calls_; });
  EXPECT_EQ(run(reading, cached, R"({"a":1,"b":[2]})"), Json(1));
  EXPECT_EQ(run(reading, cached, R"({"b":[2], "a":1.0})"), Json(1)) << "in whatever order";
  EXPECT_EQ(run(reading, cached, R"({"a":1,"b":[3]})"), Json(2));
  EXPECT_EQ(run(reading.as("other"), cached, R"({"a":1,"b":[2]})"), Json(3));
}

TEST_F(Guards, cache_is_for_tools_that_only_read_and_for_successes) {
  const Interceptor cached = cache();
  for (const Effect effect : {Effect::write, Effect::idempotent}) {
    const Tool tool = flaky(effect, 0);
    const auto first = run(tool, cached);
    EXPECT_NE(first, run(tool, cached));
  }
  calls_ = 0;
  const Tool failing = flaky(Effect::read, 1);
  EXPECT_FALSE(run(failing, cached));
  EXPECT_TRUE(run(failing, cached)) << "a failure is not remembered";
}

TEST_F(Guards, cache_forgets_the_least_recently_used_and_the_old) {
  const Interceptor cached =
      cache({.max_entries = 2, .max_age = milliseconds(1000), .clock = clock()});
  const Tool reading =
      *tool({.name = "r", .options = {.effect = Effect::read}},
            [this](const Json&, const Context&) -> Result<Json> { return ++calls_; });
  const auto ask = [&](int n) { return *run(reading, cached, to_text(JsonObject{{"n", n}})); };
  EXPECT_EQ(ask(1), Json(1));
  EXPECT_EQ(ask(2), Json(2));
  EXPECT_EQ(ask(1), Json(1));
  EXPECT_EQ(ask(3), Json(3)) << "2 goes";
  EXPECT_EQ(ask(1), Json(1));
  EXPECT_EQ(ask(2), Json(4));
  now_ += milliseconds(1000);
  EXPECT_EQ(ask(2), Json(5));
}

// --- output limit ------------------------------------------------------------------------------

Tool returning(Json value) {
  return *wright::tool(
      ToolSpec{.name = "t"},
      [value = std::move(value)](const Json&, const Context&) { return Result<Json>(value); });
}

Json limited_to(std::size_t bytes, const Json& value) {
  const Tool tool = returning(value);
  const std::vector<Interceptor> list{output_limit(bytes)};
  return execute({&tool, 1}, list, call("t"), {}).response;
}

TEST(OutputLimit, leaves_what_is_short_enough) {
  for (const Json& value : {Json("x"), Json(5), Json{{"a", "b"}}}) {
    EXPECT_EQ(limited_to(20, value), value);
  }
}

TEST(OutputLimit, cuts_texts_between_characters) {
  const Json cut = limited_to(5, Json("éééé"));
  EXPECT_EQ(cut, Json("éé\n[Output cut: the first 4 of 8 bytes]"));
}

TEST(OutputLimit, cuts_the_long_strings_of_an_object_and_keeps_its_shape) {
  const Json cut =
      limited_to(1000, Json{{"path", "a.txt"}, {"content", std::string(5000, 'x')}, {"lines", 7}});
  EXPECT_EQ(cut.at("path"), Json("a.txt"));
  EXPECT_EQ(cut.at("lines"), Json(7));
  EXPECT_NE(cut.at("content").as_string().find("[Output cut"), JsonString::npos);
  EXPECT_LE(to_text(cut).size(), 1050U);
  EXPECT_GE(to_text(cut).size(), 900U);
}

TEST(OutputLimit, keeps_all_of_what_it_cuts_where_there_is_a_place) {
  std::vector<std::string> files;
  const Context keeping{.spill = [&](std::string_view text) -> Result<std::string> {
    files.emplace_back(text);
    return "/kept/" + std::to_string(files.size());
  }};
  const auto limited_to_1000 = [&](const Json& value) {
    const Tool tool = returning(value);
    const std::vector<Interceptor> list{output_limit(1000)};
    return execute({&tool, 1}, list, call("t"), keeping).response;
  };
  EXPECT_EQ(limited_to_1000(Json("short")), Json("short"));
  EXPECT_TRUE(files.empty());

  const std::string text = "begin" + std::string(5000, 'x') + "end";
  const Json cut_text = limited_to_1000(Json(text));
  EXPECT_TRUE(cut_text.as_string().starts_with("begin"));
  EXPECT_TRUE(cut_text.as_string().ends_with("end"));
  EXPECT_NE(cut_text.as_string().find("/kept/1"), JsonString::npos);
  EXPECT_EQ(files.at(0), text);

  const Json object{{"path", "a.txt"}, {"content", text}};
  const Json cut_object = limited_to_1000(object);
  EXPECT_EQ(cut_object.at("path"), Json("a.txt"));
  EXPECT_EQ(cut_object.at("full_output_file"), Json("/kept/2"));
  EXPECT_LE(to_text(cut_object).size(), 1050U);
  EXPECT_EQ(parse_json(files.at(1)), object);

  const Json numbers(JsonArray(2000, Json(7)));
  const Json cut_numbers = limited_to_1000(numbers);
  EXPECT_NE(cut_numbers.as_string().find("/kept/3"), JsonString::npos);
  EXPECT_EQ(parse_json(files.at(2)), numbers);
}

TEST(OutputLimit, only_cuts_where_the_disk_is_full) {
  const Context failing{.spill = [](std::string_view) -> Result<std::string> {
    return fail(ErrorCode::storage, "no space");
  }};
  const Tool tool = returning(Json(std::string(5000, 'x')));
  const std::vector<Interceptor> list{output_limit(1000)};
  const ToolOutcome outcome = execute({&tool, 1}, list, call("t"), failing);
  EXPECT_FALSE(outcome.result.is_error);
  EXPECT_TRUE(outcome.response.as_string().ends_with("[Output cut: the first 1000 of 5000 bytes]"));
}

TEST(OutputLimit, cuts_the_text_of_what_has_no_long_strings) {
  JsonArray many;
  for (int i = 0; i < 1000; ++i) many.emplace_back(i);
  const Json cut = limited_to(100, many);
  ASSERT_TRUE(cut.is_string());
  EXPECT_EQ(cut.as_string().find("[0,1,2"), 0U);
}

}  // namespace
}  // namespace wright::intercept
