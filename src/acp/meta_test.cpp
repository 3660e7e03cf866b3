#include "acp/meta.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

namespace wright::acp {
namespace {

TEST(AcpMeta, says_where_a_request_stands_in_a_trace) {
  const JsonObject params{
      {"sessionId", "s"},
      {"_meta", JsonObject{{"traceparent", "00-1-2-01"}, {"tracestate", "a=b"}, {"x", 1}}}};
  EXPECT_EQ(trace_in(params).parent, "00-1-2-01");
  EXPECT_EQ(trace_in(params).state, "a=b");
}

TEST(AcpMeta, that_is_none_is_left_alone) {
  for (const Json& meta : {Json(nullptr), Json(7), Json("text"), Json(JsonObject{}),
                           Json(JsonObject{{"traceparent", 7}}),
                           Json(JsonObject{{"traceparent", std::string(600, 'a')}})}) {
    EXPECT_FALSE(trace_in({{"_meta", meta}}).is_set());
  }
  EXPECT_FALSE(trace_in({}).is_set());
}

TEST(AcpMeta, is_given_to_requests_of_ours_where_there_is_a_trace) {
  JsonObject params{{"path", "/a"}};
  add_trace(params, {});
  EXPECT_FALSE(params.contains("_meta"));
  add_trace(params, {"00-1-2-01", ""});
  EXPECT_EQ(params.at("_meta"), Json(JsonObject{{"traceparent", "00-1-2-01"}}));
}

}  // namespace
}  // namespace wright::acp
