// The file of tokens when others may write it, or a newer version did; and what is said twice.
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "core/temporary_folder_testing.h"
#include "server/service_testing.h"
#include "server/tokens.h"

namespace wright::server {
namespace {

class KeptTokens {
 public:
  std::filesystem::path path() const { return folder_ / "tokens.json"; }

 private:
  const TemporaryFolder folder_;
};

TEST(ServerTokens, are_all_refused_when_others_may_write_their_file) {
  const KeptTokens file;
  Tokens tokens(file.path());
  const auto token = tokens.add("ci", {Scope::admin}, 5);
  ASSERT_TRUE(tokens.find(*token));
  ASSERT_EQ(::chmod(file.path().c_str(), 0666), 0);
  EXPECT_FALSE(tokens.find(*token)) << "also by a server that has read it before";
  EXPECT_FALSE(tokens.list());
  EXPECT_FALSE(tokens.add("another", {Scope::read}, 5)) << "which would make it private again";
  ASSERT_EQ(::chmod(file.path().c_str(), 0644), 0);
  EXPECT_TRUE(tokens.find(*token));
}

TEST(ServerTokens, have_plain_names) {
  const KeptTokens file;
  Tokens tokens(file.path());
  for (const char* name : {"", "a\xff", "a\nb", "\x1b[2J"}) {
    const auto added = tokens.add(name, {Scope::read}, 5);
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().code, ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(tokens.list()->empty());
}

TEST(ServerTokens, of_a_newer_version_are_kept_though_not_accepted) {
  const KeptTokens file;
  Tokens tokens(file.path());
  ASSERT_TRUE(tokens.add("ci", {Scope::read}, 5));
  std::ofstream(file.path()) << R"([{"name":"future","scopes":["paint"],"sha256":"00"}])";
  EXPECT_TRUE(tokens.list()->empty());
  EXPECT_FALSE(tokens.add("future", {Scope::read}, 5)) << "a name is one token's";
  ASSERT_TRUE(tokens.add("now", {Scope::read}, 5));
  std::stringstream kept;
  kept << std::ifstream(file.path()).rdbuf();
  EXPECT_NE(kept.str().find("paint"), std::string::npos) << kept.str();
  EXPECT_TRUE(tokens.remove("future"));
  EXPECT_FALSE(tokens.remove("future"));
}

TEST(ServerGuard, refuses_what_two_readers_would_read_differently) {
  ServedService served;
  for (const char* twice : {"Origin: \r\nOrigin: http://evil.example\r\n",
                            "Sec-Fetch-Site: none\r\nsec-fetch-site: cross-site\r\n",
                            "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"}) {
    EXPECT_EQ(served.ask("GET", "/api/v1/sessions", {}, twice).status, 400) << twice;
  }
}

}  // namespace
}  // namespace wright::server
