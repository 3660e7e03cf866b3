#include "telemetry/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace wright::telemetry {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

FoundSettings found_in(const Variables& variables) {
  return settings_from([&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TelemetrySettings settings_in(const Variables& variables) {
  const FoundSettings found = found_in(variables);
  EXPECT_TRUE(found.settings);
  EXPECT_TRUE(found.notes.empty()) << found.notes.front();
  return found.settings.value_or(TelemetrySettings{});
}

std::string resource_of(const TelemetrySettings& settings, std::string_view name) {
  for (const ResourceAttribute& each : settings.resource) {
    if (each.name == name) return each.value;
  }
  return "(none)";
}

TEST(TelemetrySettings, are_off_unless_somebody_says_where_traces_go) {
  EXPECT_FALSE(found_in({}).settings);
  EXPECT_FALSE(
      found_in({{"OTEL_SERVICE_NAME", "x"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", ""}}).settings);
  EXPECT_FALSE(
      found_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, {"OTEL_TRACES_EXPORTER", "none"}})
          .settings);
  EXPECT_FALSE(
      found_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, {"OTEL_SDK_DISABLED", "True"}})
          .settings);
  EXPECT_EQ(settings_in({{"OTEL_TRACES_EXPORTER", "otlp"}}).url, "http://localhost:4318/v1/traces");
}

TEST(TelemetrySettings, take_endpoints_as_the_specification_says) {
  EXPECT_EQ(settings_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}}).url,
            "http://c:4318/v1/traces");
  EXPECT_EQ(settings_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://c/otlp/"}}).url,
            "https://c/otlp/v1/traces");
  EXPECT_EQ(settings_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"},
                         {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:1/x"}})
                .url,
            "http://t:1/x");
}

TEST(TelemetrySettings, read_headers_resource_and_sampler) {
  const auto settings = settings_in({
      {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"},
      {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"},
      {"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc, x-team = a%2Cb ,broken"},
      {"OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment=test%20bed"},
      {"OTEL_SERVICE_NAME", "payments"},
      {"OTEL_TRACES_SAMPLER", "traceidratio"},
      {"OTEL_TRACES_SAMPLER_ARG", "0.25"},
      {"OTEL_BSP_MAX_QUEUE_SIZE", "10"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "250"},
      {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true"},
      {"TRACEPARENT", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
  });
  EXPECT_EQ(settings.encoding, Encoding::json);
  ASSERT_EQ(settings.headers.size(), 2U);
  EXPECT_EQ(settings.headers[0], (HttpHeader{"authorization", "Bearer abc", true}));
  EXPECT_EQ(settings.headers[1], (HttpHeader{"x-team", "a,b", true}));
  EXPECT_EQ(resource_of(settings, "service.name"), "payments");
  EXPECT_EQ(resource_of(settings, "deployment.environment"), "test bed");
  EXPECT_FALSE(settings.sampler.asks_parent);
  EXPECT_EQ(settings.sampler.ratio, 0.25);
  EXPECT_EQ(settings.most_waiting, 10U);
  EXPECT_EQ(settings.most_at_once, 10U);
  EXPECT_EQ(settings.timeout, std::chrono::milliseconds(250));
  EXPECT_TRUE(settings.has_content);
  EXPECT_TRUE(settings.parent);
}

TEST(TelemetrySettings, say_once_what_does_not_count) {
  const auto noted = [](const char* name, const char* value) {
    const auto found = found_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, {name, value}});
    EXPECT_TRUE(found.settings) << name;
    EXPECT_LE(found.notes.size(), 1U) << name;
    return !found.notes.empty() && found.notes.front().find(name) != std::string::npos;
  };
  EXPECT_TRUE(noted("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"));
  EXPECT_TRUE(noted("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem"));
  EXPECT_TRUE(noted("OTEL_EXPORTER_OTLP_CLIENT_KEY", "/key.pem"));
  EXPECT_TRUE(noted("OTEL_PROPAGATORS", "b3"));
  EXPECT_TRUE(noted("OTEL_METRICS_EXPORTER", "otlp"));
  EXPECT_TRUE(noted("OTEL_LOGS_EXPORTER", "otlp"));
  EXPECT_TRUE(noted("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "10"));
  EXPECT_FALSE(noted("OTEL_EXPORTER_OTLP_COMPRESSION", "none"));
  EXPECT_FALSE(noted("OTEL_PROPAGATORS", "tracecontext,baggage"));
  EXPECT_FALSE(noted("OTEL_METRICS_EXPORTER", "none"));
  // Where nothing is traced, nobody wants to know.
  EXPECT_TRUE(found_in({{"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"}}).notes.empty());
}

TEST(TelemetrySettings, say_what_they_do_not_follow) {
  const auto grpc = found_in(
      {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}});
  EXPECT_FALSE(grpc.settings);
  EXPECT_EQ(grpc.notes.size(), 1U);
  EXPECT_FALSE(found_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "c:4318"}}).settings);
  EXPECT_FALSE(found_in({{"OTEL_TRACES_EXPORTER", "zipkin"}}).settings);
  const auto odd = found_in({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"},
                             {"OTEL_TRACES_SAMPLER", "jaeger_remote"},
                             {"OTEL_BSP_SCHEDULE_DELAY", "soon"},
                             {"OTEL_EXPORTER_OTLP_HEADERS", "a=b%0Ac"},
                             {"TRACEPARENT", "nonsense"}});
  ASSERT_TRUE(odd.settings);
  EXPECT_EQ(odd.notes.size(), 3U);
  EXPECT_TRUE(odd.settings->headers.empty());
  EXPECT_FALSE(odd.settings->parent);
  EXPECT_EQ(odd.settings->sampler.ratio, 1);
}

}  // namespace
}  // namespace wright::telemetry
