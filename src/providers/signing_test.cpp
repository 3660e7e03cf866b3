// Signatures against the vectors that AWS and the IETF publish.
#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "core/base64.h"
#include "core/percent.h"
#include "providers/aws_profile.h"
#include "providers/codec_testing.h"
#include "providers/digest.h"
#include "providers/google_credentials.h"
#include "providers/printed_credential.h"
#include "providers/sigv4.h"

namespace wright::providers {
namespace {

constexpr Moment moment(std::int64_t seconds) {
  return Moment(std::chrono::seconds(seconds));
}

const std::string kSessionToken =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwA"
    "eMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8p"
    "hUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT"
    "38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabI"
    "Qwj2ICCR/oLxBA==";

struct Vector {
  std::string name;
  std::string method;
  std::string url;
  std::vector<HttpHeader> headers;
  std::string body;
  std::string session_token;
  std::string signed_headers;
  std::string signature;
};

// AWS's test suite for Signature Version 4; the headers that the signer adds itself are left out.
std::vector<Vector> aws_suite() {
  return {
      {"get-header-key-duplicate",
       "GET",
       "https://example.amazonaws.com/",
       {{"my-header1", "value2,value2,value1"}},
       "",
       "",
       "host;my-header1;x-amz-date",
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
      {"get-header-value-multiline",
       "GET",
       "https://example.amazonaws.com/",
       {{"my-header1", "value1,value2,value3"}},
       "",
       "",
       "host;my-header1;x-amz-date",
       "ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790"},
      {"get-header-value-order",
       "GET",
       "https://example.amazonaws.com/",
       {{"my-header1", "value4,value1,value3,value2"}},
       "",
       "",
       "host;my-header1;x-amz-date",
       "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
      {"get-header-value-trim",
       "GET",
       "https://example.amazonaws.com/",
       {{"my-header1", "value1"}, {"my-header2", "\"a   b   c\""}},
       "",
       "",
       "host;my-header1;my-header2;x-amz-date",
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"get-unreserved",
       "GET",
       "https://example.amazonaws.com/"
       "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
       {},
       "",
       "",
       "host;x-amz-date",
       "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
      {"get-utf8",
       "GET",
       "https://example.amazonaws.com/\xE1\x88\xB4",
       {},
       "",
       "",
       "host;x-amz-date",
       "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
      {"get-vanilla",
       "GET",
       "https://example.amazonaws.com/",
       {},
       "",
       "",
       "host;x-amz-date",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"get-vanilla-empty-query-key",
       "GET",
       "https://example.amazonaws.com/?Param1=value1",
       {},
       "",
       "",
       "host;x-amz-date",
       "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
      {"get-vanilla-query",
       "GET",
       "https://example.amazonaws.com/",
       {},
       "",
       "",
       "host;x-amz-date",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"get-vanilla-query-order-key-case",
       "GET",
       "https://example.amazonaws.com/?Param2=value2&Param1=value1",
       {},
       "",
       "",
       "host;x-amz-date",
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"get-vanilla-query-unreserved",
       "GET",
       "https://example.amazonaws.com/"
       "?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~"
       "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
       {},
       "",
       "",
       "host;x-amz-date",
       "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
      {"get-vanilla-utf8-query",
       "GET",
       "https://example.amazonaws.com/?%E1%88%B4=bar",
       {},
       "",
       "",
       "host;x-amz-date",
       "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
      {"post-header-key-case",
       "POST",
       "https://example.amazonaws.com/",
       {},
       "",
       "",
       "host;x-amz-date",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"post-header-key-sort",
       "POST",
       "https://example.amazonaws.com/",
       {{"my-header1", "value1"}},
       "",
       "",
       "host;my-header1;x-amz-date",
       "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
      {"post-header-value-case",
       "POST",
       "https://example.amazonaws.com/",
       {{"my-header1", "VALUE1"}},
       "",
       "",
       "host;my-header1;x-amz-date",
       "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
      {"post-sts-header-after",
       "POST",
       "https://example.amazonaws.com/",
       {},
       "",
       "",
       "host;x-amz-date",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"post-sts-header-before",
       "POST",
       "https://example.amazonaws.com/",
       {},
       "",
       kSessionToken,
       "host;x-amz-date;x-amz-security-token",
       "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
      {"post-vanilla",
       "POST",
       "https://example.amazonaws.com/",
       {},
       "",
       "",
       "host;x-amz-date",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"post-vanilla-empty-query-value",
       "POST",
       "https://example.amazonaws.com/?Param1=value1",
       {},
       "",
       "",
       "host;x-amz-date",
       "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
      {"post-vanilla-query",
       "POST",
       "https://example.amazonaws.com/?Param1=value1",
       {},
       "",
       "",
       "host;x-amz-date",
       "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
      {"post-vanilla-query-nonunreserved",
       "POST",
       "https://example.amazonaws.com/"
       "?%40%23%24%25%5E=&%2B=%2F%2C%3F%3E%3C%60%22%3B%3A%5C%7C%5D%5B%7B%7D",
       {},
       "",
       "",
       "host;x-amz-date",
       "66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e"},
      {"post-vanilla-query-space",
       "POST",
       "https://example.amazonaws.com/?p=",
       {},
       "",
       "",
       "host;x-amz-date",
       "e71688addb58a26418614085fb730ba3faa623b461c17f48f2fbdb9361b94a9b"},
      {"post-x-www-form-urlencoded",
       "POST",
       "https://example.amazonaws.com/",
       {{"content-type", "application/x-www-form-urlencoded"}},
       "Param1=value1",
       "",
       "content-type;host;x-amz-date",
       "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
      {"post-x-www-form-urlencoded-parameters",
       "POST",
       "https://example.amazonaws.com/",
       {{"content-type", "application/x-www-form-urlencoded; charset=utf8"}},
       "Param1=value1",
       "",
       "content-type;host;x-amz-date",
       "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
  };
}

TEST(SigV4, signs_as_the_suite_of_aws_says) {
  const Moment time = *moment_from_iso("2015-08-30T12:36:00Z");
  for (const Vector& vector : aws_suite()) {
    const AwsKeys keys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                       vector.session_token};
    const HttpRequest request = signed_for_aws({.url = vector.url,
                                                .headers = vector.headers,
                                                .body = vector.body,
                                                .method = vector.method},
                                               keys, {"us-east-1", "service"}, time);
    EXPECT_EQ(find_header(request.headers, "authorization"),
              "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
              "SignedHeaders=" +
                  vector.signed_headers + ", Signature=" + vector.signature)
        << vector.name << "\n"
        << canonical_request(request);
  }
}

// Made with AWS's own signer for JavaScript: the colon of the model's name is encoded twice.
TEST(SigV4, signs_the_path_of_a_model_as_it_is_sent) {
  const HttpRequest request = signed_for_aws(
      {.url = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/"
              "eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
       .headers = {{"content-type", "application/json"}},
       .body = "{\"messages\":[]}"},
      {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "AQoDYXdzEPT//example=="},
      {"eu-central-1", "bedrock"}, *moment_from_iso("2026-11-16T12:00:00Z"));
  EXPECT_TRUE(find_header(request.headers, "authorization")
                  .ends_with("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
                             "Signature="
                             "c40c7b5af55e602addf5f531e11b26c70a217e6643c5613464e61d827ef071fb"));
}

TEST(SigV4, a_second_signature_replaces_the_first_and_secrets_are_marked) {
  const AwsKeys keys{"AKIDEXAMPLE", "secret", "token"};
  const HttpRequest once =
      signed_for_aws({.url = "https://a.example"}, keys, {"us-east-1", "s"}, moment(1'000));
  const HttpRequest twice = signed_for_aws(once, keys, {"us-east-1", "s"}, moment(1'000));
  EXPECT_EQ(once.headers, twice.headers);
  for (const HttpHeader& header : once.headers) {
    EXPECT_EQ(header.is_secret, header.name != "x-amz-date") << header.name;
  }
}

// The key of RFC 7515, appendix A.2.
constexpr std::string_view kRfcKey = R"(-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
03k2+ZQwVK0JKSHuLFkuQ3U=
-----END PRIVATE KEY-----
)";
constexpr std::string_view kRfcInput =
    "eyJhbGciOiJSUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlf"
    "Q";
constexpr std::string_view kRfcSignature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7"
    "AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4"
    "BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K"
    "0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqv"
    "hJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB"
    "p0igcN_IoypGlUPQGe77Rw";

TEST(Jwt, is_signed_as_rfc_7515_says) {
  const auto signature = rs256(kRfcKey, kRfcInput);
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(base64url_of(*signature), kRfcSignature);
  EXPECT_EQ(from_base64url(kRfcSignature), *signature);
  const std::string_view payload = kRfcInput.substr(kRfcInput.find('.') + 1);
  EXPECT_EQ(from_base64url(payload),
            "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}");
}

TEST(Jwt, a_key_that_is_none_is_refused) {
  for (const std::string_view key : {"", "not a key",
                                     "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END "
                                     "PRIVATE KEY-----\n"}) {
    EXPECT_FALSE(rs256(key, "x"));
  }
}

GoogleCredentials service_account() {
  return {.token_url = "https://oauth2.googleapis.com/token",
          .email = "robot@example.iam.gserviceaccount.com",
          .private_key = std::string(kRfcKey),
          .private_key_id = "key-1"};
}

// RFC 7523: the assertion is a JWT whose claims say who asks for what, for how long.
TEST(Google, a_service_account_asks_for_a_token_with_a_signed_assertion) {
  const auto request = google_token_request(service_account(), moment(1'700'000'000));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->url, "https://oauth2.googleapis.com/token");
  const std::string_view begin =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
  ASSERT_TRUE(request->body.starts_with(begin)) << request->body;
  const std::string jwt = request->body.substr(begin.size());
  const std::size_t dot = jwt.find('.');
  const std::size_t end = jwt.rfind('.');
  EXPECT_EQ(*from_base64url(std::string_view(jwt).substr(0, dot)),
            R"({"alg":"RS256","typ":"JWT","kid":"key-1"})");
  EXPECT_EQ(*from_base64url(std::string_view(jwt).substr(dot + 1, end - dot - 1)),
            R"({"iss":"robot@example.iam.gserviceaccount.com",)"
            R"("scope":"https://www.googleapis.com/auth/cloud-platform",)"
            R"("aud":"https://oauth2.googleapis.com/token","iat":1700000000,"exp":1700003600})");
  EXPECT_EQ(jwt.substr(end + 1), base64url_of(*rs256(kRfcKey, jwt.substr(0, end))));
}

TEST(Google, a_user_asks_with_the_refresh_token) {
  const auto credentials = google_credentials_from(
      R"({"type":"authorized_user","client_id":"id&1","client_secret":"s","refresh_token":"1//r",)"
      R"("quota_project_id":"p-1"})");
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->project, "p-1");
  const auto request = google_token_request(*credentials, moment(0));
  EXPECT_EQ(request->body,
            "grant_type=refresh_token&client_id=id%261&client_secret=s&refresh_token=1%2F%2Fr");
}

TEST(Google, other_files_are_refused_with_what_to_do) {
  const auto external = google_credentials_from(R"({"type":"external_account"})");
  ASSERT_FALSE(external);
  EXPECT_TRUE(external.error().message.contains("print-access-token"));
  for (
      const std::string_view text :
      {"", "[]", "{}", "{\"type\":\"service_account\"}", "\xFF\xFE",
       R"({"type":"service_account","client_email":"a","private_key":"b","token_uri":"http://evil"})"}) {
    EXPECT_FALSE(google_credentials_from(text)) << text;
  }
  GoogleCredentials broken = service_account();
  broken.private_key = "nonsense";
  const auto request = google_token_request(broken, moment(0));
  ASSERT_FALSE(request);
  EXPECT_TRUE(request.error().message.contains("make a new key"));
  EXPECT_FALSE(request.error().message.contains("nonsense"));
}

std::string token_in(const Result<Credential>& credential) {
  if (!credential) return "error: " + credential.error().message;
  const auto* token = std::get_if<Token>(&credential->proof);
  return token == nullptr ? "keys" : token->text;
}

TEST(PrintedCredential, is_read_in_every_form_that_programs_print) {
  const Moment now = moment(1'000'000);
  const auto read = [&](std::string_view text) { return credential_from(text, now); };
  EXPECT_EQ(token_in(read("ya29.token\n")), "ya29.token");
  EXPECT_FALSE(read("ya29.token\n")->expires);
  const auto oauth = read(R"({"access_token":"t","expires_in":3599,"token_type":"Bearer"})");
  EXPECT_EQ(oauth, (Credential{Token{"t"}, now + std::chrono::seconds(3599)}));
  const auto azure =
      read(R"({"accessToken":"t","expiresOn":"2026-01-01 00:00:00","expires_on":5})");
  EXPECT_EQ(azure, (Credential{Token{"t"}, moment(5)}));
  const auto kubernetes =
      read(R"({"status":{"token":"t","expirationTimestamp":"1970-01-01T00:00:09Z"}})");
  EXPECT_EQ(kubernetes, (Credential{Token{"t"}, moment(9)}));
  const auto aws = read(R"({"Version":1,"AccessKeyId":"A","SecretAccessKey":"s",)"
                        R"("SessionToken":"t","Expiration":"1970-01-01T01:00:10+01:00"})");
  EXPECT_EQ(aws, (Credential{AwsKeys{"A", "s", "t"}, moment(10)}));
  const auto jwt = read("e30." + base64url_of("{\"exp\":77}") + ".sig");
  EXPECT_EQ(jwt->expires, moment(77));
}

TEST(PrintedCredential, what_is_none_is_refused_and_not_quoted) {
  for (const std::string& text :
       {std::string(), std::string(" \n"), std::string("two\nlines-secret"),
        std::string("with blank-secret"), std::string("{\"a\":\"secret\"}"), std::string("{secret"),
        std::string("{\"access_token\":\"a\\nsecret\"}"),
        std::string("{\"AccessKeyId\":\"secret\"}"), std::string("{\"status\":{}}"),
        std::string(20'000, 's'), std::string("caf\xC3\xA9-secret")}) {
    const auto read = credential_from(text, moment(0));
    ASSERT_FALSE(read) << text.substr(0, 40);
    EXPECT_FALSE(read.error().message.contains("secret")) << read.error().message;
  }
}

TEST(IsoTime, is_read_with_offset_and_fraction_and_nothing_else) {
  EXPECT_EQ(moment_from_iso("1970-01-01T00:00:01.999Z"), moment(1));
  EXPECT_EQ(moment_from_iso("1969-12-31T23:00:02-01:00"), moment(2));
  EXPECT_EQ(moment_from_iso("2000-02-29 00:00:00Z"), moment(951'782'400));
  for (const char* text :
       {"", "2026", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00Zx", "-026-01-01T00:00:00Z"}) {
    EXPECT_FALSE(moment_from_iso(text)) << text;
  }
}

TEST(AwsProfile, is_read_from_both_files) {
  const std::string_view config =
      "[default]\nregion = eu-west-1\n\n[profile dev]\n# a comment\n"
      "region=us-west-2\ns3 =\n  region = wrong\n"
      "credential_process = \"/opt/x\" --a 'b c'\n";
  const std::string_view credentials =
      "[default]\naws_access_key_id = A\n"
      "aws_secret_access_key = s=3\n[dev]\nAWS_Session_Token=t\n";
  const auto standard = aws_profile(config, credentials, "default");
  EXPECT_EQ(standard.at("region"), "eu-west-1");
  EXPECT_EQ(standard.at("aws_secret_access_key"), "s=3");
  const auto dev = aws_profile(config, credentials, "dev");
  EXPECT_EQ(dev.at("region"), "us-west-2");
  EXPECT_EQ(dev.at("aws_session_token"), "t");
  EXPECT_TRUE(aws_profile(config, credentials, "other").empty());
  EXPECT_TRUE(aws_profile("[default\n=\n\xFF", "]", "default").empty());
}

TEST(Percent, encodes_and_decodes) {
  EXPECT_EQ(percent_encoded("a b:/\xC3\xA9~"), "a%20b%3A%2F%C3%A9~");
  EXPECT_EQ(percent_decoded("a%20b%3a%2F%C3%A9~%2%zz%"), "a b:/\xC3\xA9~%2%zz%");
}

}  // namespace
}  // namespace wright::providers
