// `wright serve`: the server, from its sockets to its end.
#include "app/commands/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>
#include <future>
#include <latch>
#include <numeric>
#include <optional>
#include <stop_token>

#include "app/commands/commands.h"
#include "app/settings/file_output.h"
#include "app/settings/paths.h"
#include "app/terminal/browser.h"
#include "app/terminal/interruption.h"
#include "app/terminal/log_output.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/mcp_endpoint.h"
#include "app/wiring/mcp_tracing.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/served_agents.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shipped.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/taking_over.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/try.h"
#include "net/web_url.h"
#include "net/whole_response.h"
#include "postgres/hints.h"
#include "runtime/event_writer.h"
#include "server/compatible_routes.h"
#include "server/dashboard_routes.h"
#include "server/measured_store.h"
#include "server/metrics.h"
#include "server/service.h"
#include "server/webhooks.h"
#include "store/store_telling_of_damage.h"
#include "wright/runtime.h"

namespace wright::app {
namespace {

constexpr const char* kDefaultListen = "127.0.0.1:7411";
constexpr std::chrono::milliseconds kPollTime{1'000};
constexpr std::chrono::milliseconds kDrainTime{10'000};
constexpr std::chrono::milliseconds kTakeOverTime{1'000};
constexpr std::chrono::milliseconds kWebhookDrainTime{3'000};
constexpr HttpTimeouts kWebhookTimeouts{.connect = std::chrono::seconds(10),
                                        .first_byte = std::chrono::seconds(20),
                                        .idle = std::chrono::seconds(20),
                                        .total = std::chrono::seconds(30)};

int number_in(const Environment& environment, std::string_view variable) {
  const std::string text = environment.find(variable).value_or("");
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Sockets that systemd has opened: from descriptor 3 on.
std::vector<int> inherited_sockets(const Environment& environment) {
  if (number_in(environment, "LISTEN_PID") != ::getpid()) return {};
  const int count = std::max(number_in(environment, "LISTEN_FDS"), 0);
  std::vector<int> sockets(static_cast<std::size_t>(count));
  std::iota(sockets.begin(), sockets.end(), 3);
  return sockets;
}

// Every listener takes a descriptor, and most shells give a program a thousand of them.
void allow_many_descriptors() {
  constexpr rlim_t kEnough = 24'576;  // for as many connections as are taken, and some more
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kEnough);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

Json models_json(const Models& models) {
  JsonArray list;
  for (const ModelInfo& model : models.catalogue().models()) {
    list.push_back(JsonObject{{"id", fmt::format("{}:{}", model.vendor, model.name)}});
  }
  return list;
}

// As it was written, which is its name in the store, but for the case of the scheme.
Result<std::string> webhook_url(const std::string& written) {
  const auto refused = [](std::string_view why) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--webhook needs a URL such as https://example.com/hook: {}", why));
  };
  const auto url = net::web_url_from(written);
  if (!url) return refused(url.error().message);
  // With more slashes, or fewer, others take a part of the path for the host.
  const std::size_t scheme = written.find("://");
  const bool has_host = scheme != std::string::npos && scheme + 3 < written.size() &&
                        !std::string_view("/?#").contains(written[scheme + 3]);
  if (!has_host) return refused(fmt::format("'{}' does not name a host", written));
  if (url->port == 0) return refused(fmt::format("'{}' has a port that is none", written));
  return url->scheme + written.substr(scheme);
}

// None without URLs. The secret is no flag: those can be seen by everybody on the machine.
Result<server::WebhookOptions> webhook_options(const std::vector<std::string>& urls,
                                               const Environment& environment,
                                               net::HttpClient& client, const Logger& logger) {
  server::WebhookOptions options{.logger = logger};
  if (urls.empty()) return options;
  for (const std::string& url : urls) {
    auto checked = TRY(webhook_url(url));
    options.urls.push_back(std::move(checked));
  }
  const auto secret = environment.find("WRIGHT_WEBHOOK_SECRET");
  if (!secret) {
    return fail(ErrorCode::invalid_argument,
                "webhooks are signed: put their secret into WRIGHT_WEBHOOK_SECRET, for example "
                "WRIGHT_WEBHOOK_SECRET=whsec_$(openssl rand -base64 24)");
  }
  options.key = TRY(server::webhook_key(*secret));
  options.send = [&client](HttpRequest request, const std::stop_token& stop) -> Result<int> {
    const auto nothing = [](const HttpResponseHead&) { return std::size_t{0}; };
    const auto response =
        TRY(net::ask_and_wait(client, std::move(request), kWebhookTimeouts, nothing, stop));
    return response.head.status;
  };
  return options;
}

// Where a browser finds it; empty: nowhere.
std::string dashboard_at(const std::vector<std::string>& addresses, std::string_view scheme) {
  for (const std::string& address : addresses) {
    if (!address.starts_with("unix:")) return fmt::format("{}{}", scheme, address);
  }
  return {};
}

// Everything that serves, in the order in which it has to be there.
class Serving {
 public:
  Serving(const Settings& settings, const Models& models, Store& store, server::Tokens& tokens,
          server::WebhookOptions webhooks, CommandContext context, const Logger& logger)
      : measured_(store, metrics_),
        store_(measured_,
               [this](const Session& session) {
                 logger_.log(LogLevel::warning, "A stored session cannot be read",
                             {{"session", session.id}, {"error", session.error.value_or("")}});
               }),
        tokens_(tokens),
        models_(models),
        keys_(known_keys(settings, context.environment)),
        logger_(logger),
        telemetry_(context.telemetry),
        agents_(settings, models, context, logger),
        queue_limits_(settings.queue_limits()),
        webhooks_(store_, std::move(webhooks)),
        events_(store_, kPollTime,
                [this](std::span<const StoredEvent> events) { webhooks_.tell(events); }),
        writer_(store_, [this] { events_.look(); }) {
    const StorePlace& place = settings.store();
    if (place.is_postgres()) hints_.emplace(place.uri, place.schema);
  }

  // Before open(): what is at /mcp. `key_file` is empty where there is no place for it.
  Result<void> offer_over_mcp(const McpOffer& offer, const Settings& settings,
                              CommandContext context, const std::filesystem::path& key_file);
  Result<void> open(http::ServerOptions options, const ServeCommand& command);
  const http::Server& http() const { return *http_; }
  // Whether nobody else can reach it.
  bool is_local() const {
    return std::ranges::all_of(http_->addresses(), server::is_local_address);
  }

  void end() {
    ending_.request_stop();
    if (mcp_) mcp_->end_listening();
    http_->drain(kDrainTime);
    taking_over_.reset();
    runtime_->drain(kDrainTime);
    writer_.flush();
    webhooks_.drain(kWebhookDrainTime);
  }

 private:
  Result<void> check_reach();
  void observe(const Event& event, const EventOrigin& origin) {
    write_(event, origin);
    metrics_.observe(event, origin);
    listeners_.observe(event, origin);
    if (telemetry_ != nullptr) telemetry_->observe(event, origin);
  }

  server::Metrics metrics_;
  server::MeasuredStore measured_;
  store::StoreTellingOfDamage store_;
  server::Tokens& tokens_;
  const Models& models_;
  const std::vector<std::string> keys_;
  const Logger logger_;
  telemetry::Telemetry* const telemetry_;  // null: traces are off
  ServedAgents agents_;
  store::QueueLimits queue_limits_;
  server::Webhooks webhooks_;
  server::EventHub events_;
  server::SessionListeners listeners_;
  runtime::EventWriter writer_;
  std::optional<postgres::HintSender> hints_;  // for workers of the same store
  const Observer write_ = writer_.observer();
  std::unique_ptr<Runtime> runtime_;
  // For those who are asked over MCP. Known when it listens, which is before anybody calls, and
  // kept here because what is under way there outlasts http_.
  std::string dashboard_;
  std::unique_ptr<McpEndpoint> mcp_;
  std::stop_source ending_;
  std::unique_ptr<server::Service> service_;
  std::unique_ptr<http::Server> http_;
  std::optional<TakingOver> taking_over_;
};

Result<void> Serving::offer_over_mcp(const McpOffer& offer, const Settings& settings,
                                     CommandContext context,
                                     const std::filesystem::path& key_file) {
  auto offering = TRY(make_offering(offer, settings, context, logger_, store_));
  offering.observer = [this](const Event& event, const EventOrigin& origin) {
    observe(event, origin);
  };
  offering.dashboard = [this] { return dashboard_; };
  auto key = TRY(key_file.empty() ? Result<std::string>(random_key()) : shared_key(key_file));
  offering.tracing = mcp_session_tracing(telemetry_);
  mcp_ = std::make_unique<McpEndpoint>(std::move(offering), std::move(key),
                                       mcp_spans(telemetry_, "tcp"));
  return {};
}

Result<void> Serving::open(http::ServerOptions options, const ServeCommand& command) {
  const std::string_view scheme = options.certificate_file.empty() ? "http://" : "https://";
  options.is_prompt = server::is_prompt;
  const server::AgentSource source = agents_.source();
  auto runtime =
      Runtime::open({.store = &store_,
                     .agents =
                         [this, source](const Session& session) {
                           adopt_trace(telemetry_, session);
                           return source.of_session(session);
                         },
                     .labels = command.labels,
                     .most_running = command.concurrency,
                     .observer = [this](const Event& event,
                                        const EventOrigin& origin) { observe(event, origin); },
                     .find_trace = telemetry_ != nullptr ? telemetry_->find_trace() : FindTrace()});
  if (!runtime) return std::unexpected(std::move(runtime).error());
  runtime_ = std::move(*runtime);
  // The real ports are known when it listens; nobody is answered before the service is there.
  std::promise<void> is_ready;
  auto opened = http::Server::open(std::move(options),
                                   [this, ready = is_ready.get_future().share()](
                                       http::Request request, const http::Responder& responder) {
                                     ready.wait();
                                     if (service_) service_->handle(std::move(request), responder);
                                   });
  if (!opened) return std::unexpected(std::move(opened).error());
  http_ = std::move(*opened);
  TRY(check_reach());
  dashboard_ = dashboard_at(http_->addresses(), scheme);
  std::vector<std::string> hosts = server::hosts_of(http_->addresses());
  hosts.insert(hosts.end(), command.hosts.begin(), command.hosts.end());
  service_ = std::make_unique<server::Service>(server::ServiceOptions{
      .store = store_,
      .runtime = *runtime_,
      .agents = source,
      .tokens = tokens_,
      .guard = {.hosts = std::move(hosts)},
      .events = events_,
      .queued =
          [this] {
            if (hints_) hints_->send();
          },
      .queue_limits = queue_limits_,
      .listeners = listeners_,
      .models = [this] { return models_json(models_); },
      .metrics = &metrics_,
      .gauges =
          [this] {
            const http::ServerFigures figures = http_->figures();
            const auto spans =
                telemetry_ != nullptr ? telemetry_->figures() : telemetry::ExporterFigures{};
            return std::vector<server::Gauge>{
                {"wright_spans_waiting", "Spans that are still to be sent to the collector.",
                 static_cast<double>(spans.waiting)},
                {"wright_spans_lost", "Spans that the collector did not get since the start.",
                 static_cast<double>(spans.lost)},
                {"wright_http_connections", "Connections that are open.",
                 static_cast<double>(figures.connections)},
                {"wright_events_left_out", "Events that could not be written since the start.",
                 static_cast<double>(writer_.left_out())}};
          },
      .store_gauges =
          [this] {
            const server::WebhookFigures told = webhooks_.figures();
            return std::vector<server::Gauge>{
                {"wright_webhooks_waiting", "Webhooks that are still to be delivered.",
                 static_cast<double>(told.waiting)},
                {"wright_webhooks_lost", "Webhooks that were given up since the start.",
                 static_cast<double>(told.lost)}};
          },
      .adopt_trace =
          [this](SessionId id, const TraceContext& trace) {
            if (telemetry_ != nullptr) telemetry_->adopt(id, trace);
          },
      .without_keys = [this](std::string said) { return without_keys(std::move(said), keys_); },
      .ending = ending_.get_token()});
  server::add_all_routes(*service_);
  service_->add(server::compatible_routes(service_->options(), listeners_));
  service_->add(server::dashboard_routes());
  if (mcp_) service_->add(mcp_->routes());
  is_ready.set_value();
  taking_over_.emplace(*runtime_, kTakeOverTime, [this](const std::string& message) {
    logger_.log(LogLevel::warning, "Sessions that others left cannot be looked for",
                {{"error", message}});
  });
  return {};
}

// Real addresses: those of sockets that somebody else opened, too.
Result<void> Serving::check_reach() {
  if (is_local()) return {};
  const auto known = TRY(tokens_.list());
  if (!known.empty()) return {};
  return fail(ErrorCode::invalid_argument,
              "an address that others can reach needs a token, and there is none. Make one first: "
              "wright token add NAME --scope read");
}

// How a browser on this machine reaches it; empty: not at all.
std::string address_here(std::string_view address) {
  constexpr std::string_view kAll = "0.0.0.0:";
  constexpr std::string_view kAll6 = "[::]:";
  if (address.starts_with(kAll)) return fmt::format("127.0.0.1:{}", address.substr(kAll.size()));
  if (address.starts_with(kAll6)) return fmt::format("[::1]:{}", address.substr(kAll6.size()));
  const bool is_here = server::is_local_address(address) && !address.starts_with("unix:");
  return is_here ? std::string(address) : std::string();
}

// A page that leads a browser to the link. The link itself has a code in it, and everybody on the
// machine can read what a program is started with.
class PageWithLink {
 public:
  PageWithLink(const Environment& environment, std::string link)
      : link_(std::move(link)), file_(tokens_file(environment)) {
    if (!file_.empty()) file_.replace_filename(fmt::format("dashboard-{}.html", ::getpid()));
  }
  ~PageWithLink() {
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
  }
  PageWithLink(const PageWithLink&) = delete;
  PageWithLink& operator=(const PageWithLink&) = delete;

  bool open() const {
    if (file_.empty()) return false;
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
    const std::string page = fmt::format(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={}\"><title>Wright</title>\n",
        link_);
    return create_private_file(file_, page) && open_in_browser(file_.string());
  }

 private:
  const std::string link_;
  std::filesystem::path file_;
};

// The link that a browser may be opened with; empty where there is none.
std::string announce(const Serving& serving, server::Tokens& tokens, std::string_view scheme,
                     Console& console) {
  std::string first;
  for (const std::string& address : serving.http().addresses()) {
    if (address.starts_with("unix:")) {
      console.note(fmt::format("  Listening on {}\n", address));
      continue;
    }
    console.note(fmt::format("  Listening on {}{}\n", scheme, address));
    const std::string here = address_here(address);
    if (here.empty()) continue;
    // The code is good for one browser; what stands behind '#' is sent nowhere.
    const std::string link = fmt::format("{}{}/#code={}", scheme, here, tokens.make_code());
    console.note(fmt::format("  Dashboard, once: {}\n", link));
    if (first.empty()) first = link;
  }
  if (!serving.is_local()) {
    console.note("  Others can reach it: whoever is not on this machine needs a token.\n");
  }
  console.note("  Ctrl-C ends it.\n");
  return first;
}

}  // namespace

ExitCode execute(const ServeCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  allow_many_descriptors();
  Interruption interruption;
  const auto models = make_models(*settings, command.settings, context.environment, context.paces);
  if (!models) return complain_about(models.error(), context.console);
  const auto logger = make_logger(
      *settings, [&](std::string_view line) { context.console.note(line); }, LogLevel::off);
  if (!logger) return complain_about(logger.error(), context.console);
  make_output_folder(*settings);

  http::ServerOptions options{.listen = command.listen,
                              .sockets = inherited_sockets(context.environment),
                              .certificate_file = command.certificate.value_or(""),
                              .key_file = command.key.value_or("")};
  if (options.listen.empty() && options.sockets.empty()) options.listen = {kDefaultListen};
  server::Tokens tokens(tokens_file(context.environment));
  auto store = open_store(*settings, *logger);
  if (!store) return complain_about(store.error(), context.console);
  *store = answers_without_keys(std::move(*store), known_keys(*settings, context.environment));
  net::HttpClient client;
  auto webhooks = webhook_options(command.webhooks, context.environment, client, *logger);
  if (!webhooks) return complain_about(webhooks.error(), context.console);
  Serving serving(*settings, *models, **store, tokens, std::move(*webhooks), context, *logger);
  auto key_file = tokens_file(context.environment);
  if (!key_file.empty()) key_file.replace_filename("mcp_key");
  const auto offered =
      serving.offer_over_mcp(offer_of(command.offered), *settings, context, key_file);
  // Who asked for it wants to know; all others are served the rest.
  if (!offered && command.offered != OfferedOverMcp()) {
    return complain_about(offered.error(), context.console);
  }
  if (!offered) {
    context.console.remark(fmt::format("/mcp is not there: {}", offered.error().message));
  }
  if (auto opened = serving.open(std::move(options), command); !opened) {
    return complain_about(opened.error(), context.console);
  }
  const std::string link =
      announce(serving, tokens, command.certificate ? "https://" : "http://", context.console);
  const bool has_somebody = context.console.error().is_terminal && has_screen(context.environment);
  const PageWithLink page(context.environment, link);
  if (command.browser == UseBrowser::yes && !link.empty() && has_somebody && !page.open()) {
    context.console.remark("No browser was opened: xdg-open is not there. Open the link yourself.");
  }

  std::latch is_over(1);
  const std::stop_callback on_stop(interruption.token(), [&] { is_over.count_down(); });
  interruption.watch({});
  is_over.wait();
  context.console.note("  Ending; what still runs can be resumed. Ctrl-C again quits at once.\n");
  serving.end();
  return ExitCode::ok;
}

}  // namespace wright::app
