#include "app/wiring/web_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "core/try.h"
#include "wright/detail/version.h"
#include "wright/tools.h"

namespace wright::app {
namespace {

constexpr std::string_view kUserAgent = "wright/" WRIGHT_VERSION;

Result<std::vector<std::uint16_t>> ports_of(const Settings& settings) {
  std::vector<std::uint16_t> ports;
  const auto words = settings.list(keys::kWebPorts);
  if (words == std::vector<std::string>{"any"}) return ports;
  for (const std::string& word : words) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
    if (error != std::errc() || end != word.data() + word.size() || port == 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} must be numbers from 1 to {}, or any, not '{}'",
                              keys::kWebPorts.full_name(),
                              std::numeric_limits<std::uint16_t>::max(), word));
    }
    ports.push_back(port);
  }
  return ports;
}

Result<Tool> fetching(const Settings& settings) {
  auto ports = TRY(ports_of(settings));
  return fetch_url_tool(
      {.allow = settings.list(keys::kWebAllow),
       .deny = settings.list(keys::kWebDeny),
       .ports = std::move(ports),
       .timeout = settings.duration(keys::kWebTimeout),
       .max_bytes = static_cast<std::size_t>(settings.count(keys::kWebMaxBytes).value()),
       .ca_file = settings.text(keys::kCaFile),
       .proxy = settings.text(keys::kWebProxy),
       .user_agent = std::string(kUserAgent)});
}

Result<Tool> searching(const Settings& settings) {
  return web_search_tool({.endpoint = settings.text(keys::kWebSearch),
                          .key = settings.text(keys::kWebSearchKey),
                          .key_header = settings.text(keys::kWebSearchHeader),
                          .timeout = settings.duration(keys::kWebTimeout),
                          .ca_file = settings.text(keys::kCaFile),
                          .user_agent = std::string(kUserAgent)});
}

}  // namespace

Result<std::vector<Tool>> web_tools(const Settings& settings) {
  std::vector<Tool> tools;
  if (settings.flag(keys::kWebFetch)) {
    auto fetch = TRY(fetching(settings));
    tools.push_back(std::move(fetch));
  }
  if (!settings.text(keys::kWebSearch).empty()) {
    auto search = TRY(searching(settings));
    tools.push_back(std::move(search));
  }
  return tools;
}

}  // namespace wright::app
