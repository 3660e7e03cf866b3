#include "mcp/request_state.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "core/base64.h"
#include "core/sha256.h"

namespace wright::mcp {
namespace {

std::string hex(const Digest& digest) {
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

TEST(Sha256, AgreesWithThePublishedExamples) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  // RFC 4231, cases 2 and 6.
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Base64Url, GoesBothWays) {
  // RFC 7636, appendix B.
  EXPECT_EQ(base64url_of(bytes_of(sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64url(base64url_of(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
  for (const std::string_view bad : {"A", "AAAAA", "A=", "A+", "AB"}) {
    EXPECT_FALSE(from_base64url(bad)) << bad;
  }
}

TEST(RequestState, OnlyWhatWasSealedForThisRequestComesBack) {
  const JsonObject params{{"name", "delete"}, {"arguments", JsonObject{{"id", 1}}}};
  const JsonObject other{{"name", "delete"}, {"arguments", JsonObject{{"id", 2}}}};
  const StateScope scope{"anna", "tools/call", &params};
  const JsonObject state{{"step", 2}};
  const std::string sealed = seal("key", state, scope, 1000);

  const auto opened = unseal("key", sealed, scope, 2000);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(*opened, state);
  EXPECT_NE(seal("key", state, scope, 1001), sealed);

  EXPECT_FALSE(unseal("other key", sealed, scope, 2000));
  EXPECT_FALSE(unseal("key", sealed, {"bert", "tools/call", &params}, 2000));
  EXPECT_FALSE(unseal("key", sealed, {"anna", "prompts/get", &params}, 2000));
  EXPECT_FALSE(unseal("key", sealed, {"anna", "tools/call", &other}, 2000));
  EXPECT_FALSE(unseal("key", sealed, scope, 1001 + kStateLifetimeMs));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(unseal("key", changed, scope, 2000)) << i;
    EXPECT_FALSE(unseal("key", sealed.substr(0, i), scope, 2000)) << i;
  }
}

TEST(RequestState, ShowsNothingOfWhatIsInIt) {
  const std::string secret(100, 'a');
  const std::string sealed = seal("key", {{"secret", secret}}, {}, 1000);
  const auto bytes = from_base64url(sealed);
  ASSERT_TRUE(bytes);
  for (const std::string_view word : {"secret", "until", "aaaa"}) {
    EXPECT_EQ(bytes->find(word), std::string::npos) << word;
  }
  EXPECT_EQ(unseal("key", sealed, {}, 1000).value().at("secret"), Json(secret));
}

}  // namespace
}  // namespace wright::mcp
