#include "providers/provider_errors.h"

#include <gtest/gtest.h>

namespace wright {
namespace {

Endpoint endpoint() {
  Endpoint endpoint;
  endpoint.vendor = {.name = "openai",
                     .title = "OpenAI",
                     .base_url = "https://api.openai.com/v1",
                     .key_variables = {"OPENAI_API_KEY"},
                     .key_setting = "openai_api_key",
                     .key_page = "https://platform.openai.com/api-keys"};
  endpoint.model.name = "gpt-5-mini";
  endpoint.key = "sk-proj-0123456789abcdef";
  return endpoint;
}

Error error(int status, std::string_view body, std::vector<HttpHeader> headers = {}) {
  return error_from(endpoint(), {status, std::move(headers)}, body);
}

Json detail(const Error& error) {
  EXPECT_TRUE(error.detail.is_object()) << error.detail;
  return error.detail;
}

std::int64_t retry_after(int status, std::string_view body, std::vector<HttpHeader> headers = {}) {
  const Json reported = detail(error(status, body, std::move(headers)));
  const Json* wait = reported.as_object().if_contains("retry_after_ms");
  return wait != nullptr ? wait->as_int64() : -1;
}

TEST(ProviderErrors, say_where_a_key_is_set_and_made) {
  const Error reported =
      error(401, R"({"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}})");
  EXPECT_EQ(reported.code, ErrorCode::authentication);
  EXPECT_EQ(reported.message,
            "OpenAI does not accept the key (HTTP 401): Incorrect API key provided. Set "
            "OPENAI_API_KEY or openai_api_key in [api_keys] of the configuration. Keys are made at "
            "https://platform.openai.com/api-keys");
  EXPECT_EQ(to_text(reported.detail),
            R"({"vendor":"openai","status":401,"code":"invalid_api_key"})");
}

struct Known {
  int status;
  std::string_view body;
  ErrorCode code;
};

TEST(ProviderErrors, know_what_vendors_mean) {
  for (
      const Known& known : std::vector<Known>{
          {400,
           R"({"error":{"message":"The call does not match its schema","code":"tool_use_failed","failed_generation":"{"}})",
           ErrorCode::answer_cut},
          {400,
           R"({"error":{"message":"The messages are too long.","type":"too_many_prompt_tokens","code":400}})",
           ErrorCode::context_too_long},
          {404,
           R"({"error":{"code":"DeploymentNotFound","message":"There is no such deployment."}})",
           ErrorCode::not_found},
          {400,
           R"({"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}})",
           ErrorCode::context_too_long},
          {400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000"}})",
           ErrorCode::context_too_long},
          {400,
           R"({"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed","status":"INVALID_ARGUMENT"}})",
           ErrorCode::context_too_long},
          {413,
           R"({"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
           ErrorCode::context_too_long},
          {429,
           R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}})",
           ErrorCode::permission_denied},
          {402, R"({"error":{"message":"Insufficient Balance"}})", ErrorCode::permission_denied},
          {400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})",
           ErrorCode::permission_denied},
          {429,
           R"({"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}})",
           ErrorCode::permission_denied},
          {429,
           R"({"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}})",
           ErrorCode::rate_limited},
          {429,
           R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details"}})",
           ErrorCode::rate_limited},
          {400,
           R"([{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}])",
           ErrorCode::authentication},
          {400,
           R"({"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***"})",
           ErrorCode::authentication},
          {403,
           R"({"error":{"message":"Country not supported","code":"unsupported_country_region_territory"}})",
           ErrorCode::permission_denied},
          {404, R"({"error":{"message":"The model `x` does not exist","code":"model_not_found"}})",
           ErrorCode::not_found},
          {404, R"({"error":"model 'x' not found, try pulling it first"})", ErrorCode::not_found},
          {400, R"({"error":{"message":"gpt-9 is not a valid model ID","code":400}})",
           ErrorCode::not_found},
          {404, "404 page not found", ErrorCode::not_found},
          {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
           ErrorCode::overloaded},
          {503, "", ErrorCode::overloaded},
          {500, R"({"error":{"message":"The server had an error","type":"server_error"}})",
           ErrorCode::unavailable},
          {502, "<html><head><title>502 Bad Gateway</title></head></html>", ErrorCode::unavailable},
          {408, "", ErrorCode::unavailable},
          {400, R"({"error":{"message":"The response was filtered","code":"content_filter"}})",
           ErrorCode::content_filtered},
          {400, R"({"error":{"message":"Unknown parameter: 'x'","type":"invalid_request_error"}})",
           ErrorCode::invalid_argument},
          {422, R"({"detail":[{"loc":["body","model"],"msg":"field required"}]})",
           ErrorCode::invalid_argument},
          {307, "", ErrorCode::protocol},
      }) {
    EXPECT_EQ(to_string(error(known.status, known.body).code), to_string(known.code)) << known.body;
  }
}

TEST(ProviderErrors, are_not_misled_by_words_that_a_tool_or_a_user_wrote) {
  const Error reported =
      error(400, R"({"error":{"message":"Invalid schema for function 'rate limit overloaded'"}})");
  EXPECT_EQ(reported.code, ErrorCode::invalid_argument);
}

TEST(ProviderErrors, tell_the_words_of_whoever_stood_behind_a_gateway) {
  const Error reported = error(
      502,
      R"({"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"Acme","raw":"{\"error\":{\"message\":\"GPU on fire\"}}"}}})");
  EXPECT_NE(reported.message.find("Provider returned error (Acme: GPU on fire)"), std::string::npos)
      << reported.message;
}

TEST(ProviderErrors, never_tell_the_key) {
  for (
      const std::string_view body :
      {R"({"error":{"message":"Key sk-proj-0123456789abcdef is wrong","code":"sk-proj-0123456789abcdef"}})",
       "bad key sk-proj-0123456789abc…", "key=23456789abcdef"}) {
    const Error reported = error(401, body, {{"x-request-id", "sk-proj-0123456789abcdef"}});
    EXPECT_EQ(reported.message.find("456789"), std::string::npos) << reported.message;
    EXPECT_EQ(to_text(reported.detail).find("456789"), std::string::npos) << reported.detail;
    EXPECT_NE(reported.message.find("[secret]"), std::string::npos) << reported.message;
  }
}

TEST(ProviderErrors, stay_short_and_readable_whatever_the_body_is) {
  std::string binary("\x1f\x8b\x08\x00\x01\xff\xfe\x02", 8);
  for (const std::string& body :
       {std::string(), binary, std::string(1 << 20, 'x'), std::string("\xff\xfe\xff"),
        "{\"error\":{\"message\":\"" + std::string(100'000, 'y') + "\"}}",
        std::string("{\"error\":"), std::string(100'000, '['), std::string("null"),
        std::string("[]"), std::string("7"), std::string("<html>"),
        std::string("{\"error\":{\"message\":\"a\\u0000\\u001b[31mb\\nc\"}}")}) {
    const Error reported = error(500, body);
    EXPECT_EQ(reported.code, ErrorCode::unavailable);
    EXPECT_LT(reported.message.size(), 800U);
    EXPECT_TRUE(is_valid_utf8(reported.message));
    EXPECT_EQ(reported.message.find_first_of(std::string("\n\r\x1b\0", 4)), std::string::npos);
    EXPECT_TRUE(reported.message.starts_with("OpenAI is not available (HTTP 500)"))
        << reported.message;
  }
}

TEST(ProviderErrors, know_more_kinds) {
  for (
      const Known& known : std::vector<Known>{
          {400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}})",
           ErrorCode::content_filtered},
          {403,
           R"({"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["violence"],"flagged_input":"…"}}})",
           ErrorCode::content_filtered},
          {403, R"({"error":{"message":"This was flagged by the guard","code":403}})",
           ErrorCode::content_filtered},
          {403, R"({"error":{"message":"Your account was flagged","code":403}})",
           ErrorCode::permission_denied},
          {400,
           R"({"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}})",
           ErrorCode::permission_denied},
          {498, R"({"error":{"message":"capacity exceeded","code":"capacity_exceeded"}})",
           ErrorCode::overloaded},
          {498, "", ErrorCode::overloaded},
          {409, "", ErrorCode::unavailable},
          {425, "", ErrorCode::unavailable},
          {429,
           R"({"error":{"message":"Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000.","type":"tokens","code":"rate_limit_exceeded"}})",
           ErrorCode::context_too_long},
          {413,
           R"({"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
           ErrorCode::context_too_long},
          {301, "", ErrorCode::protocol},
      }) {
    EXPECT_EQ(error(known.status, known.body).code, known.code) << known.body;
  }
}

TEST(ProviderErrors, inside_of_a_response_are_known_by_their_code) {
  const auto code_of = [](std::string_view code) {
    return providers::error_in_answer(endpoint(), {.code = std::string(code), .message = "no"})
        .code;
  };
  EXPECT_EQ(code_of("invalid_request_error"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("INVALID_ARGUMENT"), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of("permission_error"), ErrorCode::permission_denied);
  EXPECT_EQ(code_of("not_found_error"), ErrorCode::not_found);
  EXPECT_EQ(code_of("overloaded_error"), ErrorCode::overloaded);
  EXPECT_EQ(code_of("something_new"), ErrorCode::unavailable);
}

TEST(ProviderErrors, say_where_a_redirect_leads_and_that_it_is_final) {
  const Error moved = error(308, "<html>", {{"Location", "https://elsewhere.example/v1\u202E"}});
  EXPECT_EQ(moved.message,
            "OpenAI sent the request elsewhere (HTTP 308): to https://elsewhere.example/v1. Check "
            "the model's name (`wright models`) and base_url (https://api.openai.com/v1)");
  EXPECT_TRUE(moved.find("is_final")->as_bool());
  EXPECT_EQ(error(500, "").find("is_final"), nullptr);
  EXPECT_TRUE(error(429, "", {{"x-should-retry", "false"}}).find("is_final")->as_bool());
}

TEST(ProviderErrors, hold_no_characters_that_deceive) {
  const std::string words =
      "a\u202Eb\u2066c\u2069\u200Fd\u061C\u0085e\u2028f \u00E9\u05D0\u4E2D \u200B";
  for (const std::string& body :
       {R"({"error":{"message":")" + words + "\"}}", words, "<title>" + words + "</title>"}) {
    EXPECT_NE(error(500, body).message.find("abcde f \u00E9\u05D0\u4E2D \u200B"), std::string::npos)
        << error(500, body).message;
  }
}

TEST(ProviderErrors, send_nobody_to_a_page_where_no_keys_are_made) {
  Endpoint local;
  local.vendor = {.name = "ollama",
                  .title = "Ollama",
                  .key_variables = {"OLLAMA_API_KEY"},
                  .key_setting = "ollama_api_key",
                  .key_page = "https://ollama.com/download",
                  .needs_key = false};
  const Error asked = error_from(
      local, {.status = 401},
      R"({"error":"unauthorized","signin_url":"https://ollama.com/connect?name=x&key=y"})");
  EXPECT_EQ(asked.message,
            "Ollama asks to sign in (HTTP 401): unauthorized; sign in at "
            "https://ollama.com/connect?name=x&key=y. Set OLLAMA_API_KEY or ollama_api_key in "
            "[api_keys] of the configuration. See https://ollama.com/download");
}

TEST(ProviderErrors, read_the_title_of_a_page) {
  EXPECT_EQ(error(502, "<!DOCTYPE html><HTML><TITLE>Bad\n gateway</TITLE><body>…").message,
            "OpenAI is not available (HTTP 502): Bad gateway. Trying again may help");
}

TEST(RetryAfter, is_read_from_every_place_where_vendors_put_it) {
  EXPECT_EQ(retry_after(429, "", {{"Retry-After", "20"}}), 20'000);
  EXPECT_EQ(retry_after(429, "", {{"retry-after", "1.5"}}), 1'500);
  EXPECT_EQ(retry_after(429, "", {{"retry-after-ms", "250"}, {"retry-after", "1"}}), 1'000);
  EXPECT_EQ(retry_after(429, "", {{"retry-after-ms", "1250"}, {"retry-after", "1"}}), 1'250);
  EXPECT_EQ(retry_after(429, "", {{"retry-after-ms", "x"}, {"retry-after", "1"}}), 1'000);
  EXPECT_EQ(
      retry_after(429, R"({"error":{"message":"try again in 7.66s"}})", {{"retry-after", "7"}}),
      7'660);
  EXPECT_EQ(retry_after(429, R"({"error":{"message":"try again in 1s"}})", {{"retry-after", "7"}}),
            7'000);
  EXPECT_EQ(retry_after(429, "",
                        {{"date", "Sun, 06 Nov 1994 08:49:37 GMT"},
                         {"retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"}}),
            30'000);
  EXPECT_EQ(retry_after(429, "",
                        {{"x-ratelimit-remaining-tokens", "5"},
                         {"x-ratelimit-reset-tokens", "1m6.5s"},
                         {"x-ratelimit-reset-requests", "2h"}}),
            66'500);
  EXPECT_EQ(retry_after(429, "",
                        {{"x-ratelimit-remaining-requests", "0"},
                         {"x-ratelimit-reset-tokens", "6m0s"},
                         {"x-ratelimit-reset-requests", "120ms"}}),
            120);
  EXPECT_EQ(retry_after(429, "",
                        {{"date", "Sun, 06 Nov 1994 08:49:37 GMT"},
                         {"anthropic-ratelimit-tokens-remaining", "0"},
                         {"anthropic-ratelimit-tokens-reset", "1994-11-06T08:49:40Z"}}),
            3'000);
  EXPECT_EQ(
      retry_after(
          429,
          R"({"error":{"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.074824224s"}]}})"),
      34'075);
  EXPECT_EQ(
      retry_after(429, R"({"error":{"message":"Rate limit reached. Please try again in 7.66s."}})"),
      7'660);
  EXPECT_EQ(retry_after(429, R"({"error":{"message":"try again in 20 seconds"}})"), 20'000);
}

TEST(RetryAfter, is_a_date_in_any_form_that_http_allows) {
  for (const std::string_view date :
       {"Sun, 06 Nov 2033 08:50:07 GMT", "Sunday, 06-Nov-33 08:50:07 GMT",
        "Sun Nov  6 08:50:07 2033"}) {
    EXPECT_EQ(retry_after(
                  503, "",
                  {{"date", "Sun, 06 Nov 2033 08:49:37 GMT"}, {"retry-after", std::string(date)}}),
              30'000)
        << date;
  }
}

TEST(RetryAfter, is_counted_from_the_arrival_where_the_response_has_no_date) {
  using namespace std::chrono;
  const HttpResponseHead head{.status = 429,
                              .headers = {{"retry-after", "Sun, 06 Nov 2033 08:50:07 GMT"}},
                              .arrived = sys_days(year(2033) / 11 / 6) + 8h + 49min + 57s};
  EXPECT_EQ(error_from(endpoint(), head, "").find("retry_after_ms")->as_int64(), 10'000);
}

// It would be asked again at once, if more than anybody waits counted as nothing.
TEST(RetryAfter, is_a_year_at_most) {
  constexpr std::int64_t kYear = 366LL * 24 * 3600 * 1000;
  for (const std::string& words : {std::string("99999999999"), std::string("99999999999999999999"),
                                   std::string(400, '9'), std::string("99999999999h")}) {
    EXPECT_EQ(retry_after(429, "", {{"retry-after", words}}), kYear) << words;
  }
  EXPECT_EQ(retry_after(503, "",
                        {{"date", "Sun, 06 Nov 2033 08:49:37 GMT"},
                         {"retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"}}),
            kYear);
}

TEST(RetryAfter, is_not_made_up) {
  EXPECT_EQ(retry_after(429, ""), -1);
  EXPECT_EQ(retry_after(500, "", {{"x-ratelimit-reset-tokens", "1s"}}), -1);
  EXPECT_EQ(retry_after(429, "", {{"retry-after", "soon"}}), -1);
  EXPECT_EQ(retry_after(429, "", {{"retry-after", "-5"}}), -1);
  EXPECT_EQ(retry_after(429, "", {{"retry-after", "1e400"}}), -1);
  EXPECT_EQ(retry_after(429, "", {{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}}), -1);
  EXPECT_EQ(retry_after(429, "", {{"retry-after", "Sun, 99 Xxx 1994 08:49:37 GMT"}, {"date", "x"}}),
            -1);
  EXPECT_EQ(retry_after(429, "", {{"x-ratelimit-reset", "1e18"}}), -1);
}

}  // namespace
}  // namespace wright
