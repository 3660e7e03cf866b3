#include "telemetry/exporter.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "telemetry/telemetry_testing.h"

namespace wright::telemetry {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{30'000};  // never reached where all is well

// A collector that answers as it is told.
class FakeCollector {
 public:
  std::vector<Result<HttpResponseHead>> answers;  // then 200
  SendRequest send() {
    return [this](HttpRequest request, const HttpTimeouts&,
                  const std::stop_token&) -> Result<HttpResponseHead> {
      const std::lock_guard lock(mutex_);
      spans_ += testing::at_path(request.body, {1, 2, 2}).size();
      batches_.push_back(testing::at_path(request.body, {1, 2, 2}).size());
      if (answers.empty()) return HttpResponseHead{.status = 200};
      auto answer = std::move(answers.front());
      answers.erase(answers.begin());
      return answer;
    };
  }
  std::vector<std::size_t> batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  std::mutex mutex_;
  std::size_t spans_ = 0;
  std::vector<std::size_t> batches_;
};

TelemetrySettings slow() {
  return {.url = "http://collector/v1/traces", .delay = std::chrono::hours(1)};
}

TEST(Exporter, sends_many_at_a_time) {
  FakeCollector collector;
  TelemetrySettings settings = slow();
  settings.most_at_once = 4;
  Exporter exporter(settings, collector.send());
  for (int i = 0; i < 10; ++i) exporter.add({.name = "x"});
  exporter.flush(kLong);
  EXPECT_EQ(collector.batches(), (std::vector<std::size_t>{4, 4, 2}));
  EXPECT_EQ(exporter.figures().sent, 10U);
  EXPECT_EQ(exporter.figures().lost, 0U);
}

TEST(Exporter, never_keeps_more_than_it_may_and_never_waits) {
  std::promise<void> is_free;
  const auto until = is_free.get_future().share();
  TelemetrySettings settings = slow();
  settings.most_waiting = 8;
  settings.most_at_once = 4;
  Exporter exporter(settings,
                    [until](const HttpRequest&, const HttpTimeouts&,
                            const std::stop_token&) -> Result<HttpResponseHead> {
                      until.wait();
                      return HttpResponseHead{.status = 200};
                    });
  for (int i = 0; i < 100; ++i) exporter.add({.name = "x"});
  EXPECT_LE(exporter.figures().waiting, 8U);
  EXPECT_GE(exporter.figures().lost, 100U - 8 - 4);
  is_free.set_value();
  exporter.flush(kLong);
  EXPECT_EQ(exporter.figures().sent + exporter.figures().lost, 100U);
  EXPECT_LE(exporter.figures().sent, 12U);
}

TEST(Exporter, keeps_no_more_bytes_than_it_may) {
  FakeCollector collector;
  Exporter exporter(slow(), collector.send());
  for (int i = 0; i < 40; ++i) {
    exporter.add({.attributes = {{"text", std::string(std::size_t{1} << 20, 'x')}}});
  }
  EXPECT_GE(exporter.figures().lost, 8U);
  exporter.flush(kLong);
  for (const std::size_t batch : collector.batches()) EXPECT_LE(batch, 4U);
}

TEST(Exporter, gives_up_what_a_collector_refuses) {
  FakeCollector collector;
  collector.answers = {HttpResponseHead{.status = 400}};
  Exporter exporter(slow(), collector.send());
  exporter.add({.name = "x"});
  exporter.flush(kLong);
  EXPECT_EQ(exporter.figures().lost, 1U);
  exporter.add({.name = "y"});
  exporter.flush(kLong);
  EXPECT_EQ(exporter.figures().sent, 1U);
}

TEST(Exporter, tries_again_what_may_be_taken_later) {
  FakeCollector collector;
  collector.answers = {HttpResponseHead{.status = 503, .headers = {{"Retry-After", "0"}}},
                       HttpResponseHead{.status = 200}};
  TelemetrySettings settings = slow();
  settings.most_at_once = 1;  // sent at once, without a flush
  Exporter exporter(settings, collector.send());
  exporter.add({.name = "x"});
  for (int i = 0; i < 30'000 && exporter.figures().sent == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(exporter.figures().sent, 1U);
  EXPECT_EQ(collector.batches().size(), 2U);
}

TEST(Exporter, tries_again_at_the_end_as_long_as_it_may) {
  FakeCollector collector;
  collector.answers = {HttpResponseHead{.status = 503}, HttpResponseHead{.status = 200}};
  Exporter exporter(slow(), collector.send());
  exporter.add({.name = "x"});
  exporter.flush(kLong);
  EXPECT_EQ(exporter.figures().sent, 1U);
}

TEST(Exporter, does_not_hold_up_the_end_for_a_collector_that_is_away) {
  FakeCollector collector;
  const Error away{ErrorCode::network, "connection refused", {}};
  collector.answers.assign(100, std::unexpected(away));
  Exporter exporter(slow(), collector.send());
  exporter.add({.name = "x"});
  exporter.flush(kLong);  // one attempt, and no pause
  EXPECT_EQ(collector.batches().size(), 1U);
  EXPECT_EQ(exporter.figures().lost, 1U);
}

}  // namespace
}  // namespace wright::telemetry
