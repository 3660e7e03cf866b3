#include "mcp/authorization.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::mcp {
namespace {

constexpr std::string_view kServerUrl = "https://example.com/a/mcp";

TEST(McpAuthorization, AChallengeIsReadHoweverItIsWritten) {
  const auto challenge = challenge_in(
      R"(Basic realm="x", Bearer Scope="a b", error=insufficient_scope, error_description="say \"scope=c\"",)"
      R"( resource_metadata="https://example.com/p?q=1")");
  EXPECT_EQ(challenge.scope, "a b");
  EXPECT_EQ(challenge.error, "insufficient_scope");
  EXPECT_EQ(challenge.resource_metadata, "https://example.com/p?q=1");
  for (const std::string_view broken :
       {"", "=", "scope", "scope=", "scope=\"", "\"=\"", "scope=\"\\"}) {
    EXPECT_EQ(challenge_in(broken).error, "") << broken;
  }
}

TEST(McpAuthorization, SecretsGoByTlsOrStayOnThisMachine) {
  EXPECT_TRUE(is_safe_address("https://as.example.com/x", kServerUrl));
  EXPECT_FALSE(is_safe_address("http://as.example.com/x", kServerUrl));
  EXPECT_FALSE(is_safe_address("http://127.0.0.1:80/x", kServerUrl));  // of a server elsewhere
  EXPECT_TRUE(is_safe_address("http://127.0.0.1:80/x", "http://localhost:3000/mcp"));
  EXPECT_FALSE(is_safe_address("https://user@as.example.com/x", kServerUrl));
  EXPECT_FALSE(is_safe_address("file:///etc/passwd", kServerUrl));
  EXPECT_FALSE(is_safe_address("", kServerUrl));
  for (const char* here : {"http://localhost", "http://LOCALHOST:1", "http://127.1.2.3:80/x",
                           "http://[::1]", "http://[::1]:80/x"}) {
    EXPECT_TRUE(is_safe_address(here, "http://127.0.0.1:3000/mcp")) << here;
    EXPECT_TRUE(is_safe_address("http://127.0.0.1:80/x", here)) << here;
  }
  for (const char* elsewhere :
       {"http://127.example.com", "http://127.0.0.1.example.com:80/x", "http://127.1",
        "http://127.", "http://localhost.example.com", "http://[::1].example.com", "http://[::11]",
        "http://127.0.0.1:80:example.com", "http://128.0.0.1"}) {
    EXPECT_FALSE(is_safe_address(elsewhere, "http://127.0.0.1:3000/mcp")) << elsewhere;
    EXPECT_FALSE(is_safe_address("http://127.0.0.1:80/x", elsewhere)) << elsewhere;
  }
}

TEST(McpAuthorization, DescriptionsAreLookedForWhereTheyMayBe) {
  EXPECT_EQ(
      resource_metadata_addresses(kServerUrl),
      (std::vector<std::string>{"https://example.com/.well-known/oauth-protected-resource/a/mcp",
                                "https://example.com/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(
      authorization_server_addresses("https://as.example.com/t1"),
      (std::vector<std::string>{"https://as.example.com/.well-known/oauth-authorization-server/t1",
                                "https://as.example.com/.well-known/openid-configuration/t1",
                                "https://as.example.com/t1/.well-known/openid-configuration"}));
  EXPECT_EQ(authorization_server_addresses("https://as.example.com").size(), 2U);
}

TEST(McpAuthorization, AResourceIsTheServerOrWhatItLiesIn) {
  const auto read = [](std::string_view resource) {
    return protected_resource_from(
        Json(JsonObject{{"resource", resource},
                        {"authorization_servers", JsonArray{"https://as.example.com"}}}),
        kServerUrl);
  };
  for (const std::string_view own :
       {"https://example.com/a/mcp", "https://EXAMPLE.com/a/", "https://example.com"}) {
    EXPECT_TRUE(read(own)) << own;
  }
  for (const std::string_view foreign :
       {"https://evil.example.com/a/mcp", "https://example.com/b", "https://example.com/a/m",
        "http://example.com/a/mcp", ""}) {
    EXPECT_FALSE(read(foreign)) << foreign;
  }
  EXPECT_FALSE(protected_resource_from(Json("x"), kServerUrl));
  EXPECT_FALSE(protected_resource_from(Json(JsonObject{{"resource", kServerUrl}}), kServerUrl));
}

Json description(std::string_view issuer, std::string_view method = "S256") {
  return JsonObject{{"issuer", issuer},
                    {"authorization_endpoint", "https://as.example.com/authorize?a=b"},
                    {"token_endpoint", "https://as.example.com/token"},
                    {"authorization_response_iss_parameter_supported", true},
                    {"code_challenge_methods_supported", JsonArray{method}}};
}

TEST(McpAuthorization, AnAuthorizationServerIsTheOneThatWasNamedAndPromisesProofs) {
  const std::string issuer = "https://as.example.com";
  EXPECT_TRUE(authorization_server_from(description(issuer), issuer));
  EXPECT_FALSE(authorization_server_from(description(issuer + "/"), issuer));
  EXPECT_FALSE(authorization_server_from(description(issuer, "plain"), issuer));
  Json unsafe = description(issuer);
  unsafe.get_object()["token_endpoint"] = "http://as.example.com/token";
  EXPECT_FALSE(authorization_server_from(unsafe, issuer));
  unsafe = description(issuer);
  unsafe.get_object()["registration_endpoint"] = "http://127.0.0.1/register";
  EXPECT_FALSE(authorization_server_from(unsafe, issuer));
}

TEST(McpAuthorization, OnlyTheAnswerToThisRequestOfThisServerHasACode) {
  const auto server =
      authorization_server_from(description("https://as.example.com"), "https://as.example.com")
          .value();
  const AuthorizationRequest request{.redirect_uri = "http://127.0.0.1:1/callback", .state = "s1"};
  const std::string iss = "&iss=https%3A%2F%2Fas.example.com";
  EXPECT_EQ(code_in("code=a%2Bb&state=s1" + iss, server, request).value(), "a+b");
  EXPECT_FALSE(code_in("code=a&state=s2" + iss, server, request));
  EXPECT_FALSE(code_in("code=a" + iss, server, request));
  EXPECT_FALSE(code_in("code=a&state=s1", server, request));  // it would have named itself
  EXPECT_FALSE(code_in("code=a&state=s1" + iss + "%2F", server, request));
  EXPECT_FALSE(code_in("state=s1" + iss, server, request));
  const auto refused = code_in("error=access_denied&state=s1" + iss, server, request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("access_denied"), std::string::npos);
}

TEST(McpAuthorization, RequestsSayWhatTheyAreForAndWhoAsks) {
  // The example of RFC 7636, appendix B.
  std::string bytes;
  for (const int byte :
       {116, 24,  223, 180, 151, 153, 224, 37,  79, 250, 96, 125, 216, 173, 187, 186,
        22,  212, 37,  77,  105, 214, 191, 240, 91, 88,  5,  88,  83,  132, 141, 121}) {
    bytes += static_cast<char>(byte);
  }
  const Proof proof = proof_from(bytes);
  EXPECT_EQ(proof.verifier, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  EXPECT_EQ(proof.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");

  const auto server =
      authorization_server_from(description("https://as.example.com"), "https://as.example.com")
          .value();
  const std::string address = authorization_address(server, {.id = "me & you"},
                                                    {.redirect_uri = "http://127.0.0.1:1/callback",
                                                     .state = "s",
                                                     .resource = std::string(kServerUrl),
                                                     .proof = proof});
  EXPECT_TRUE(address.starts_with("https://as.example.com/authorize?a=b&response_type=code&"));
  EXPECT_NE(address.find("client_id=me%20%26%20you"), std::string::npos);
  EXPECT_NE(address.find("resource=https%3A%2F%2Fexample.com%2Fa%2Fmcp"), std::string::npos);
  EXPECT_EQ(address.find("scope="), std::string::npos);

  EXPECT_EQ(token_request(server, {.id = "i"}, {}).body, "client_id=i");
  EXPECT_EQ(token_request(server, {.id = "i", .secret = "s"}, {}).authorization, "Basic aTpz");
  EXPECT_EQ(token_request(server, {"i", "s", "client_secret_post"}, {}).body,
            "client_id=i&client_secret=s");
}

TEST(McpAuthorization, ScopesOnlyGrow) {
  const ProtectedResource resource{.scopes = {"all"}};
  EXPECT_EQ(scopes_to_ask_for("b", "a b", resource, {}), "a b");
  EXPECT_EQ(scopes_to_ask_for("", "", resource, {}), "all");
  EXPECT_EQ(scopes_to_ask_for("", "", {}, {.scopes = {"offline_access"}}), "");
  EXPECT_EQ(scopes_to_ask_for("b", "", {}, {.scopes = {"offline_access"}}), "b offline_access");
}

TEST(McpAuthorization, ATokenIsOneThatCanBeSent) {
  const auto read = [](std::string_view token, std::string_view type) {
    return grant_from(Json(JsonObject{{"access_token", token}, {"token_type", type}}), "a");
  };
  EXPECT_EQ(read("t", "bearer").value().scope, "a");
  EXPECT_FALSE(read("t\r\nX: y", "Bearer"));
  EXPECT_FALSE(read("", "Bearer"));
  EXPECT_FALSE(read("t", "DPoP"));
  EXPECT_FALSE(grant_from(Json(JsonArray{}), ""));
}

}  // namespace
}  // namespace wright::mcp
