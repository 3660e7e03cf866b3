// For tests: every promise of the client is kept by each of those who carry its exchanges.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "net/http_client.h"

namespace wright::net::testing {

class HttpClientOver : public ::testing::TestWithParam<Carrier> {
 protected:
  static HttpClient::Options options(HttpClient::Options given = {}) {
    given.carrier = GetParam();
    return given;
  }
};

inline std::string carrier_name(const ::testing::TestParamInfo<Carrier>& info) {
  return info.param == Carrier::libcurl ? "libcurl" : "fitting";
}

}  // namespace wright::net::testing
