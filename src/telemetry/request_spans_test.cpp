#include "telemetry/request_spans.h"

#include <gtest/gtest.h>

#include "core/hex.h"

namespace wright::telemetry {
namespace {

const TraceContext kCaller{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b"};
const TraceContext kCarrier{"00-11111111111111111111111111111111-2222222222222222-01", "c=d"};

class RequestSpansTest : public ::testing::Test {
 protected:
  void make(const TelemetrySettings& settings) {
    spans_ = std::make_unique<RequestSpans>(
        settings, [this](Span span) { told_.push_back(std::move(span)); });
  }
  void SetUp() override { make({}); }

  std::unique_ptr<RequestSpans> spans_;
  std::vector<Span> told_;
};

TEST_F(RequestSpansTest, stand_below_whoever_asked_and_know_who_carried_it) {
  auto span = spans_->begin({.name = "tools/call x",
                             .parent = kCaller,
                             .link = kCarrier,
                             .attributes = {{"mcp.method.name", "tools/call"}}});
  const TraceContext below = span->context();
  EXPECT_EQ(below.trace_id(), kCaller.trace_id());
  EXPECT_NE(below.span_id(), kCaller.span_id());
  EXPECT_EQ(below.state, "a=b");
  EXPECT_TRUE(told_.empty()) << "it is under way";
  span.reset();
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].kind, SpanKind::server);
  EXPECT_EQ(hex_of(told_[0].id), below.span_id());
  EXPECT_EQ(hex_of(told_[0].parent), kCaller.span_id());
  EXPECT_FALSE(told_[0].has_failed);
  EXPECT_LE(told_[0].began_ns, told_[0].ended_ns);
  ASSERT_EQ(told_[0].links.size(), 1U);
  EXPECT_EQ(hex_of(told_[0].links[0].id), kCarrier.span_id());
  EXPECT_EQ(told_[0].links[0].state, "c=d");
}

TEST_F(RequestSpansTest, are_not_linked_to_their_own_parent) {
  spans_->begin({.parent = kCaller, .link = kCaller});
  spans_->begin({.parent = kCaller});
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_TRUE(told_[0].links.empty());
  EXPECT_TRUE(told_[1].links.empty());
}

TEST_F(RequestSpansTest, begin_a_trace_where_nobody_has) {
  spans_->begin({.parent = {.parent = "nonsense\r\nX: y", .state = "a=b"}});
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].parent, SpanId{});
  EXPECT_NE(told_[0].trace, TraceId{});
  EXPECT_TRUE(told_[0].state.empty());
}

TEST_F(RequestSpansTest, tell_why_they_failed) {
  spans_->begin({.parent = kCaller})->fail("-32602", "no such tool");
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_TRUE(told_[0].has_failed);
  EXPECT_EQ(told_[0].error, "no such tool");
  ASSERT_EQ(told_[0].attributes.size(), 1U);
  EXPECT_EQ(told_[0].attributes[0].name, "error.type");
  EXPECT_EQ(std::get<std::string>(told_[0].attributes[0].value), "-32602");
}

TEST_F(RequestSpansTest, are_chosen_as_their_parents_are) {
  TraceContext unrecorded = kCaller;
  unrecorded.parent.back() = '0';
  EXPECT_TRUE(spans_->begin({.parent = unrecorded})->context().parent.ends_with("-00"));
  EXPECT_TRUE(told_.empty());
  make({.sampler = {.ratio = 0}});
  spans_->begin({});
  EXPECT_TRUE(told_.empty());
  spans_->begin({.parent = kCaller});
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace wright::telemetry
