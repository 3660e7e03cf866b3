// What browsers are told of every file of the dashboard, and how large it may be.
#include "server/embedded.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

std::string header_of(const Answered& answered, std::string_view name) {
  const std::size_t at = answered.head.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos) return "";
  const std::size_t from = at + 2 + name.size() + 2;
  return answered.head.substr(from, answered.head.find("\r\n", from) - from);
}

TEST(Headers, of_the_dashboard_let_nothing_in_from_elsewhere) {
  ServedService served;
  ASSERT_FALSE(dashboard_files().empty());
  for (const EmbeddedFile& file : dashboard_files()) {
    const Answered answered = served.ask("GET", file.path);
    ASSERT_EQ(answered.status, 200) << file.path;
    EXPECT_EQ(header_of(answered, "Content-Security-Policy"),
              "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
              "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
              "require-trusted-types-for 'script'")
        << file.path;
    EXPECT_EQ(header_of(answered, "X-Content-Type-Options"), "nosniff") << file.path;
    EXPECT_EQ(header_of(answered, "Referrer-Policy"), "no-referrer") << file.path;
    EXPECT_EQ(header_of(answered, "Cross-Origin-Resource-Policy"), "same-origin") << file.path;
    EXPECT_EQ(header_of(answered, "Cross-Origin-Opener-Policy"), "same-origin") << file.path;
    EXPECT_EQ(header_of(answered, "Set-Cookie"), "") << file.path;
    EXPECT_EQ(answered.body, file.content) << file.path;
  }
}

TEST(Headers, of_answers_keep_browsers_from_guessing) {
  ServedService served;
  served.begin("hello");
  for (const char* path : {"/api/v1/sessions", "/api/v1/sessions/99", "/nothing", "/v1/models"}) {
    const Answered answered = served.ask("GET", path);
    EXPECT_EQ(header_of(answered, "X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(header_of(answered, "Referrer-Policy"), "no-referrer") << path;
  }
}

TEST(Dashboard, is_small) {
  std::size_t bytes = 0;
  for (const EmbeddedFile& file : dashboard_files()) bytes += file.content.size();
  EXPECT_GT(bytes, 10'000U);
  EXPECT_LT(bytes, 150U * 1024);
}

}  // namespace
}  // namespace wright::server
