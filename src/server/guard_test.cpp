// Who may use the server: tokens, and the guard before every route.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/sha256.h"
#include "core/temporary_folder_testing.h"
#include "server/guard.h"
#include "server/same_user.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

class TokenFile {
 public:
  std::filesystem::path path() const { return folder_ / "sub/tokens.json"; }

 private:
  const TemporaryFolder folder_;
};

TEST(ServerTokens, are_kept_as_hashes_in_a_private_file) {
  const TokenFile file;
  Tokens tokens(file.path());
  const auto token = tokens.add("ci", {Scope::read, Scope::answer}, 5);
  ASSERT_TRUE(token);
  std::ifstream stream(file.path());
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(text.find(*token), std::string::npos);
  EXPECT_NE(text.find(sha256_hex(*token)), std::string::npos);
  struct stat status {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const auto known = Tokens(file.path()).find(*token);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->name, "ci");
  EXPECT_TRUE(allows(known->scopes, Scope::answer));
  EXPECT_FALSE(allows(known->scopes, Scope::run));
  EXPECT_FALSE(tokens.add("ci", {Scope::read}, 5)) << "a name is one token's";
}

TEST(ServerTokens, are_refused_as_soon_as_another_process_has_removed_them) {
  const TokenFile file;
  Tokens serving(file.path());
  Tokens elsewhere(file.path());
  const auto token = elsewhere.add("ci", {Scope::admin}, 5);
  ASSERT_TRUE(token);
  EXPECT_TRUE(serving.find(*token));
  ASSERT_TRUE(elsewhere.remove("ci"));
  EXPECT_FALSE(serving.find(*token));
  EXPECT_FALSE(elsewhere.remove("ci"));
}

TEST(ServerTokens, are_all_refused_when_their_file_is_broken) {
  const TokenFile file;
  Tokens tokens(file.path());
  const auto token = tokens.add("ci", {Scope::admin}, 5);
  ASSERT_TRUE(token);
  std::ofstream(file.path()) << "[{\"name\":\"ci\"";
  EXPECT_FALSE(tokens.find(*token));
  EXPECT_FALSE(tokens.list());
}

TEST(ServerTokens, come_once_for_a_code) {
  const TokenFile file;
  Tokens tokens(file.path());
  const std::string code = tokens.make_code();
  EXPECT_FALSE(tokens.redeem("something else"));
  const auto token = tokens.redeem(code);
  ASSERT_TRUE(token);
  EXPECT_TRUE(tokens.find(*token));
  EXPECT_FALSE(tokens.redeem(code));
  EXPECT_FALSE(Tokens(file.path()).find(*token)) << "it is this process's alone";
}

http::Request from_machine(std::vector<HttpHeader> headers) {
  headers.push_back({"Host", "127.0.0.1:7411"});
  return {.method = "GET",
          .path = "/",
          .headers = std::move(headers),
          .peer = "127.0.0.1",
          .is_from_machine = true};
}

class GuardTest : public ::testing::Test {
 protected:
  Result<Caller> admit(const http::Request& request, Access access = Access::known) {
    return Guard({.hosts = hosts_of({"127.0.0.1:7411"}),
                  .is_same_user = [this](const http::Request&) { return is_same_user_; }},
                 tokens_)
        .admit(request, access);
  }
  const TokenFile file_;
  Tokens tokens_{file_.path()};
  bool is_same_user_ = true;
};

TEST(Hosts, are_named_without_the_port_where_that_goes_without_saying) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(hosts_of({"127.0.0.1:80"}),
            (Names{"127.0.0.1:80", "127.0.0.1", "localhost:80", "localhost"}));
  EXPECT_EQ(hosts_of({"[::1]:443"}), (Names{"[::1]:443", "[::1]", "localhost:443", "localhost"}));
  EXPECT_EQ(hosts_of({"10.0.0.7:443"}), (Names{"10.0.0.7:443", "10.0.0.7"}));
  EXPECT_EQ(hosts_of({"127.0.0.1:7411"}), (Names{"127.0.0.1:7411", "localhost:7411"}));
}

// A socket that systemd made lets everybody connect.
TEST(SameUser, is_whom_the_kernel_names_at_a_unix_socket) {
  http::Request request{.peer = "unix", .is_from_machine = true};
  EXPECT_FALSE(is_of_same_user(request)) << "not known";
  request.peer_user = [] { return std::optional<unsigned>(::geteuid()); };
  EXPECT_FALSE(is_of_same_user(request)) << "a command that a tool runs, for all that is known";
  bool is_free = true;
  request.peer_is_free = [&] { return is_free; };
  EXPECT_TRUE(is_of_same_user(request));
  is_free = false;
  EXPECT_FALSE(is_of_same_user(request)) << "it is confined";
  is_free = true;
  request.peer_user = [] { return std::optional<unsigned>(::geteuid() + 1); };
  EXPECT_FALSE(is_of_same_user(request));
}

TEST_F(GuardTest, trusts_programs_of_the_same_user_on_this_machine_alone) {
  EXPECT_TRUE(admit(from_machine({})));
  is_same_user_ = false;
  const auto other = admit(from_machine({}));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::authentication);
  is_same_user_ = true;
  auto from_elsewhere = from_machine({});
  from_elsewhere.is_from_machine = false;
  EXPECT_FALSE(admit(from_elsewhere));
}

// A proxy of the same user sends what anybody on the internet has sent to it.
TEST_F(GuardTest, trusts_nobody_who_comes_through_a_proxy) {
  for (const char* name : {"X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Host",
                           "X-Forwarded-Proto", "CF-Connecting-IP"}) {
    EXPECT_FALSE(admit(from_machine({{name, "203.0.113.9"}}))) << name;
  }
  const auto admit_by = [&](const char* host) {
    http::Request request = from_machine({});
    request.headers.back().value = host;
    return Guard({.hosts = {"wright.example.com", "localhost.example.com", "127.0.0.1.example.com",
                            "127.0.0.1", "localhost:8080", "[::1]:7"},
                  .is_same_user = [](const http::Request&) { return true; }},
                 tokens_)
        .admit(request, Access::known);
  };
  EXPECT_FALSE(admit_by("wright.example.com")) << "the name that others know it by";
  EXPECT_FALSE(admit_by("localhost.example.com"));
  EXPECT_FALSE(admit_by("127.0.0.1.example.com"));
  EXPECT_TRUE(admit_by("127.0.0.1"));
  EXPECT_TRUE(admit_by("LOCALHOST:8080"));
  EXPECT_TRUE(admit_by("[::1]:7"));
}

TEST_F(GuardTest, refuses_a_header_that_is_there_twice) {
  for (const char* name : {"Origin", "Sec-Fetch-Site", "Authorization"}) {
    EXPECT_FALSE(admit(from_machine({{name, ""}, {name, "http://evil.example"}}))) << name;
  }
}

TEST_F(GuardTest, knows_its_names_whatever_their_case) {
  const std::string token = tokens_.add("ci", {Scope::read}, 5).value_or("");
  http::Request request = from_machine({{"Authorization", "Bearer " + token}});
  request.headers.back().value = "wright.EXAMPLE.com";
  EXPECT_TRUE(Guard({.hosts = {"Wright.Example.com"}}, tokens_).admit(request, Access::known));
}

TEST_F(GuardTest, refuses_every_host_but_its_own) {
  for (const char* host : {"evil.example:7411", "127.0.0.1", "127.0.0.1:74110",
                           "127.0.0.1:7411.evil.example", "localhost:80", "0.0.0.0:7411", ""}) {
    http::Request request = from_machine({});
    request.headers.back().value = host;
    for (const Access access : {Access::known, Access::anybody}) {
      const auto refused = admit(request, access);
      ASSERT_FALSE(refused) << host;
      EXPECT_EQ(refused.error().code, ErrorCode::permission_denied);
    }
  }
  http::Request request = from_machine({});
  request.headers.back().value = "LOCALHOST:7411";
  EXPECT_TRUE(admit(request));
}

TEST_F(GuardTest, lets_no_page_of_another_site_in_whatever_it_knows) {
  const std::string token = *tokens_.add("browser", {Scope::admin}, 1);
  const HttpHeader bearer{"Authorization", "Bearer " + token};
  EXPECT_FALSE(admit(from_machine({bearer, {"Origin", "http://evil.example"}})));
  EXPECT_FALSE(admit(from_machine({bearer, {"Origin", "null"}})));
  EXPECT_FALSE(admit(from_machine({bearer, {"Origin", "http://127.0.0.1:7412"}})));
  EXPECT_FALSE(admit(from_machine({bearer, {"Sec-Fetch-Site", "cross-site"}})));
  EXPECT_FALSE(admit(from_machine({bearer, {"Sec-Fetch-Site", "same-site"}})));
  EXPECT_TRUE(admit(from_machine(
      {bearer, {"Origin", "http://127.0.0.1:7411"}, {"Sec-Fetch-Site", "same-origin"}})));
  http::Request typed = from_machine({bearer, {"Sec-Fetch-Site", "none"}});
  EXPECT_TRUE(admit(typed));
  typed.method = "POST";
  EXPECT_FALSE(admit(typed));
}

TEST_F(GuardTest, wants_a_token_of_pages_even_on_this_machine) {
  const auto refused = admit(from_machine({{"Sec-Fetch-Site", "same-origin"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::authentication);
}

TEST_F(GuardTest, takes_any_key_of_vendors_programs_where_none_is_needed) {
  EXPECT_TRUE(admit(from_machine({{"Authorization", "Bearer sk-anything"}})));
  EXPECT_TRUE(admit(from_machine({{"x-api-key", "anything"}})));
  EXPECT_FALSE(admit(from_machine({{"Authorization", "Bearer wright_0000"}})))
      << "what looks like a token of ours must be one";
}

TEST(ServerGuard, stands_before_every_route) {
  ServedService served;
  const std::string token = *served.tokens().add("reader", {Scope::read}, 1);
  const std::string bearer = "Authorization: Bearer " + token + "\r\n";
  for (const Route& route : served.service().routes()) {
    std::string path = route.pattern;
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
      path.replace(at, path.find('}') - at + 1, "1");
    }
    http::RawPeer rebound(served.http());
    // Probes may call it as they like; a page that makes a name point here may not.
    const std::string from = route.access == Access::probe ? "Origin: http://evil.example\r\n" : "";
    rebound.write(ServedService::request_text(route.method, path, "", from, "evil.example"));
    EXPECT_EQ(ServedService::answered_from(rebound.read_all()).status, 403) << path;
    if (route.access != Access::known) continue;
    const std::string page = "Sec-Fetch-Site: same-origin\r\n";
    EXPECT_EQ(served.ask(route.method, path, "", page).status, 401) << path;
    if (route.scope == Scope::read) continue;
    EXPECT_EQ(served.ask(route.method, path, "", bearer).status, 403) << path;
  }
  EXPECT_EQ(served.ask("GET", "/nothing", "", "Sec-Fetch-Site: same-origin\r\n").status, 401);
  EXPECT_EQ(served.ask("GET", "/nothing").status, 404);
  EXPECT_EQ(served.ask("PATCH", "/api/v1/sessions").status, 405);
}

}  // namespace
}  // namespace wright::server
