#include "telemetry/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/hex.h"
#include "core/percent.h"
#include "core/text.h"
#include "telemetry/trace_context.h"
#include "wright/detail/version.h"

namespace wright::telemetry {
namespace {

constexpr std::string_view kDefaultEndpoint = "http://localhost:4318";

// "a=1,b=2" with percent escapes.
std::vector<std::pair<std::string, std::string>> pairs_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) continue;
    std::string name(trimmed(one.substr(0, equals)));
    if (name.empty()) continue;
    pairs.emplace_back(std::move(name), percent_decoded(trimmed(one.substr(equals + 1))));
  }
  return pairs;
}

class SettingsReader {
 public:
  explicit SettingsReader(const FindVariable& find) : find_(find) {}

  FoundSettings read();

 private:
  // Empty where it is not set; a variable that is set to nothing is not set.
  std::string text(std::string_view name) const { return std::string(trimmed(find_(name).value_or(""))); }
  std::string first_of(std::string_view one, std::string_view other) const {
    std::string value = text(one);
    return value.empty() ? text(other) : value;
  }
  bool is_true(std::string_view name) const {
    std::string value = text(name);
    std::ranges::transform(value, value.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return value == "true";
  }
  template <class Number>
  void read_number(std::string_view name, Number least, Number& number) {
    const std::string value = text(name);
    if (value.empty()) return;
    Number read{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
    if (error == std::errc() && end == value.data() + value.size() && read >= least) {
      number = read;
    } else {
      note(fmt::format("{}={} is no number that it takes, and does not count", name, value));
    }
  }
  void read_time(std::string_view name, std::chrono::milliseconds& time) {
    std::int64_t count = time.count();
    read_number<std::int64_t>(name, 0, count);
    time = std::chrono::milliseconds(std::min<std::int64_t>(count, 3'600'000));
  }
  void note(std::string sentence) { found_.notes.push_back(std::move(sentence)); }

  bool is_on();
  bool read_protocol(TelemetrySettings& settings);
  bool read_endpoint(TelemetrySettings& settings);
  void read_headers(TelemetrySettings& settings);
  void read_sampler(TelemetrySettings& settings);
  void read_resource(TelemetrySettings& settings);
  void note_what_does_not_count();

  const FindVariable& find_;
  FoundSettings found_;
};

bool SettingsReader::is_on() {
  if (is_true("OTEL_SDK_DISABLED")) return false;
  const std::string exporter = text("OTEL_TRACES_EXPORTER");
  if (exporter == "none") return false;
  if (!exporter.empty() && exporter != "otlp") {
    note(fmt::format("OTEL_TRACES_EXPORTER={}: traces go out by otlp, or by none", exporter));
    return false;
  }
  return !exporter.empty() || !text("OTEL_EXPORTER_OTLP_ENDPOINT").empty() ||
         !text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").empty();
}

bool SettingsReader::read_protocol(TelemetrySettings& settings) {
  const std::string protocol =
      first_of("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol == "http/json") {
    settings.encoding = Encoding::json;
  } else if (!protocol.empty() && protocol != "http/protobuf") {
    note(
        fmt::format("OTEL_EXPORTER_OTLP_PROTOCOL={} is not spoken here: traces are off. "
                    "http/protobuf and http/json are, mostly on port 4318",
                    protocol));
    return false;
  }
  return true;
}

// One for traces is taken as it is; one for all gets the path of traces.
bool SettingsReader::read_endpoint(TelemetrySettings& settings) {
  settings.url = text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (settings.url.empty()) {
    settings.url = text("OTEL_EXPORTER_OTLP_ENDPOINT");
    if (settings.url.empty()) settings.url = kDefaultEndpoint;
    while (settings.url.ends_with('/')) settings.url.pop_back();
    settings.url += "/v1/traces";
  }
  if (settings.url.starts_with("http://") || settings.url.starts_with("https://")) return true;
  note(
      fmt::format("OTEL_EXPORTER_OTLP_ENDPOINT={}: an endpoint begins with http:// or https://. "
                  "Traces are off",
                  settings.url));
  return false;
}

void SettingsReader::read_headers(TelemetrySettings& settings) {
  for (auto& [name, value] :
       pairs_in(first_of("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"))) {
    const auto is_control = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
    if (std::ranges::any_of(name + value, is_control)) {
      note("A header of OTEL_EXPORTER_OTLP_HEADERS has a line break in it and is left out");
      continue;
    }
    settings.headers.push_back({std::move(name), std::move(value), true});
  }
}

void SettingsReader::read_sampler(TelemetrySettings& settings) {
  std::string name = text("OTEL_TRACES_SAMPLER");
  if (name.empty()) return;
  Sampler& sampler = settings.sampler;
  const std::string whole = name;
  constexpr std::string_view kParentBased = "parentbased_";
  sampler.asks_parent = name.starts_with(kParentBased);
  if (sampler.asks_parent) name.erase(0, kParentBased.size());
  if (name == "always_on") return;
  if (name == "always_off") {
    sampler.ratio = 0;
  } else if (name == "traceidratio") {
    read_number<double>("OTEL_TRACES_SAMPLER_ARG", 0.0, sampler.ratio);
    sampler.ratio = std::clamp(sampler.ratio, 0.0, 1.0);
  } else {
    note(fmt::format("OTEL_TRACES_SAMPLER={} is not known: every trace is recorded", whole));
    sampler = {};
  }
}

void SettingsReader::read_resource(TelemetrySettings& settings) {
  Resource& resource = settings.resource;
  const auto set = [&](std::string name, std::string value) {
    const auto found = std::ranges::find(resource, name, &ResourceAttribute::name);
    if (found != resource.end()) {
      found->value = std::move(value);
    } else {
      resource.push_back({std::move(name), std::move(value)});
    }
  };
  IdSource ids;
  set("service.name", "wright");
  set("service.version", WRIGHT_VERSION);
  set("service.instance.id", hex_of(ids.trace()));
  set("process.pid", fmt::to_string(::getpid()));
  set("telemetry.sdk.name", "wright");
  set("telemetry.sdk.language", "cpp");
  set("telemetry.sdk.version", WRIGHT_VERSION);
  for (auto& [name, value] : pairs_in(text("OTEL_RESOURCE_ATTRIBUTES"))) {
    set(std::move(name), std::move(value));
  }
  if (std::string name = text("OTEL_SERVICE_NAME"); !name.empty()) set("service.name", name);
}

// Whoever set one of these expects something of it.
void SettingsReader::note_what_does_not_count() {
  for (const char* name :
       {"OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION"}) {
    const std::string value = text(name);
    if (value.empty() || value == "none") continue;
    note(fmt::format("{}={} does not count: traces are sent as they are", name, value));
  }
  for (const char* name :
       {"OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE",
        "OTEL_EXPORTER_OTLP_CLIENT_KEY", "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY"}) {
    if (text(name).empty()) continue;
    note(
        fmt::format("{} does not count: the collector is checked with the certificates of this "
                    "machine",
                    name));
  }
  const std::string propagators = text("OTEL_PROPAGATORS");
  if (!propagators.empty() && propagators != "tracecontext" &&
      propagators != "tracecontext,baggage") {
    note(fmt::format("OTEL_PROPAGATORS={} does not count: traces are passed on by tracecontext",
                     propagators));
  }
  for (const char* name : {"OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"}) {
    const std::string value = text(name);
    if (value.empty() || value == "none") continue;
    note(
        fmt::format("{}={} does not count: traces alone are sent. `wright serve` has /metrics, and "
                    "--log-file writes logs",
                    name, value));
  }
  for (const char* name :
       {"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
        "OTEL_CONFIG_FILE", "OTEL_EXPERIMENTAL_CONFIG_FILE"}) {
    if (!text(name).empty()) note(fmt::format("{} does not count", name));
  }
}

FoundSettings SettingsReader::read() {
  TelemetrySettings settings;
  if (!is_on() || !read_protocol(settings) || !read_endpoint(settings)) return std::move(found_);
  note_what_does_not_count();
  read_headers(settings);
  read_sampler(settings);
  read_resource(settings);
  read_time("OTEL_EXPORTER_OTLP_TIMEOUT", settings.timeout);
  read_time("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", settings.timeout);
  read_time("OTEL_BSP_SCHEDULE_DELAY", settings.delay);
  read_time("OTEL_BSP_EXPORT_TIMEOUT", settings.export_timeout);
  read_number<std::size_t>("OTEL_BSP_MAX_QUEUE_SIZE", 1, settings.most_waiting);
  read_number<std::size_t>("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, settings.most_at_once);
  settings.most_at_once = std::min(settings.most_at_once, settings.most_waiting);
  settings.has_content = is_true("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT");
  const TraceContext parent{text("TRACEPARENT"), text("TRACESTATE")};
  if (place_from(parent)) settings.parent = parent;
  found_.settings = std::move(settings);
  return std::move(found_);
}

}  // namespace

FoundSettings settings_from(const FindVariable& find) {
  return SettingsReader(find).read();
}

}  // namespace wright::telemetry
