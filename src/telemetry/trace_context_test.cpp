#include "core/hex.h"
#include "telemetry/trace_context.h"

#include <gtest/gtest.h>

namespace wright::telemetry {
namespace {

const std::string kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContextHeaders, are_read_and_written_alike) {
  const auto place = place_from({kParent, "congo=t61rcWkgMzE"});
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->is_sampled());
  EXPECT_EQ(hex_of(place->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(hex_of(place->span), "00f067aa0ba902b7");
  const TraceContext again = to_context(*place);
  EXPECT_EQ(again.parent, kParent);
  EXPECT_EQ(again.state, "congo=t61rcWkgMzE");
  EXPECT_EQ(again.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(again.span_id(), "00f067aa0ba902b7");
}

TEST(TraceContextHeaders, of_later_versions_are_read_as_far_as_they_are_known) {
  EXPECT_TRUE(place_from({"01" + kParent.substr(2) + "-more", ""}));
  EXPECT_FALSE(place_from({kParent + "-more", ""}));
  EXPECT_FALSE(place_from({"01" + kParent.substr(2) + "more", ""}));
}

TEST(TraceContextHeaders, that_are_none_are_refused) {
  for (const std::string& wrong : {
           std::string(),
           std::string("00"),
           "ff" + kParent.substr(2),
           "00-00000000000000000000000000000000-00f067aa0ba902b7-01" + std::string(),
           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01" + std::string(),
           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01" + std::string(),
           "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01" + std::string(),
           kParent.substr(0, 54),
           std::string(55, '-'),
           std::string(1'000, '\xff'),
       }) {
    EXPECT_FALSE(place_from({wrong, ""})) << wrong;
  }
}

TEST(TraceContextHeaders, leave_out_a_state_that_is_no_header) {
  EXPECT_EQ(place_from({kParent, "a=b\r\nX: y"})->state, "");
  EXPECT_EQ(place_from({kParent, std::string(10'000, 'a')})->state, "");
}

TEST(TraceContextHeaders, have_ids_that_differ) {
  IdSource ids;
  IdSource others;
  EXPECT_NE(ids.span(), ids.span());
  EXPECT_NE(ids.trace(), others.trace());
}

}  // namespace
}  // namespace wright::telemetry
