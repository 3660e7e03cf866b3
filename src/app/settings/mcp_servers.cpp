#include "app/settings/mcp_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agents/expansion.h"
#include "agents/toml_file.h"
#include "app/settings/setting_value.h"
#include "core/nearest.h"
#include "core/text.h"

namespace wright::app {
namespace {

constexpr auto kServerKeys = std::to_array<std::string_view>(
    {"command", "args", "env", "cwd", "url", "headers", "agents", "tools", "effects", "timeout",
     "startup_timeout", "sandbox", "network", "revision", "enabled"});

// Reads one [mcp.servers.NAME].
class ServerReader {
 public:
  ServerReader(std::string name, const Environment& environment, TomlProblems& problems)
      : place_(fmt::format("mcp.servers.{}", name)),
        environment_(environment),
        problems_(problems) {
    server_.name = std::move(name);
  }

  McpServer read(const toml::table& table, int line) {
    for (const auto& [name, node] : table) {
      key_ = fmt::format("{}.{}", place_, name.str());
      line_ = line_of(name.source());
      take(name.str(), node);
    }
    key_ = place_;
    line_ = line;
    if (server_.command.empty() == server_.url.empty()) {
      report("needs either a command or a url");
    }
    if (server_.url.empty() && !server_.headers.empty()) report("headers belong to a url");
    server_.command.insert(server_.command.end(), arguments_.begin(), arguments_.end());
    return std::move(server_);
  }

 private:
  void report(std::string_view what) { problems_.report(line_, key_, what); }

  void take(std::string_view name, const toml::node& node) {
    if (name == "command") server_.command = {text(node)};
    if (name == "args") arguments_ = texts(node);
    if (name == "cwd") server_.working_directory = text(node);
    if (name == "url") take_url(text(node));
    if (name == "agents") server_.agents = texts(node);
    if (name == "tools") server_.tools = texts(node);
    if (name == "env") {
      for (auto& [key, value] : pairs(node)) server_.environment[key] = std::move(value);
    }
    if (name == "headers") server_.headers = pairs(node);
    if (name == "effects") take_effects(node);
    if (name == "timeout") take_duration(node, server_.timeout);
    if (name == "startup_timeout") take_duration(node, server_.time_to_start);
    if (name == "sandbox") take_named(node, server_.sandbox, sandbox_mode_from);
    if (name == "network") take_named(node, server_.network, network_access_from);
    if (name == "revision") take_revision(text(node));
    if (name == "enabled") {
      const auto value = node.value_exact<bool>();
      if (!value) return problems_.wrong_kind(line_, key_, "true or false", node);
      server_.is_enabled = *value;
    }
    if (!is_one_of(name, kServerKeys)) {
      const auto near = nearest(name, kServerKeys);
      report(near ? fmt::format("unknown key; did you mean '{}'?", *near)
                  : fmt::format("unknown key; there are {}", fmt::join(kServerKeys, ", ")));
    }
  }

  std::string expanded(const std::string& given) {
    auto value = expand(given, environment_.all());
    if (!value) {
      report(value.error().message);
      return {};
    }
    if (value->find('\0') != std::string::npos) report("must not contain a NUL character");
    return std::move(*value);
  }

  std::string text(const toml::node& node) {
    const auto value = node.value_exact<std::string>();
    if (!value) {
      problems_.wrong_kind(line_, key_, "a string in quotes", node);
      return {};
    }
    if (value->empty()) report("must not be empty");
    return expanded(*value);
  }

  std::vector<std::string> texts(const toml::node& node) {
    std::vector<std::string> list;
    const toml::array* array = node.as_array();
    if (array == nullptr) {
      problems_.wrong_kind(line_, key_, "an array of strings", node);
      return list;
    }
    for (const toml::node& each : *array) {
      const auto value = each.value_exact<std::string>();
      if (value) {
        list.push_back(expanded(*value));
      } else {
        problems_.wrong_kind(line_, key_, "an array of strings", each);
      }
    }
    return list;
  }

  std::vector<std::pair<std::string, std::string>> pairs(const toml::node& node) {
    std::vector<std::pair<std::string, std::string>> list;
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      problems_.wrong_kind(line_, key_, "a table of strings", node);
      return list;
    }
    for (const auto& [key, value] : *table) {
      const auto given = value.value_exact<std::string>();
      if (given) {
        list.emplace_back(std::string(key.str()), expanded(*given));
      } else {
        problems_.wrong_kind(line_, key_, "a table of strings", value);
      }
    }
    return list;
  }

  void take_url(std::string url) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
      report("must begin with http:// or https://");
    }
    server_.url = std::move(url);
  }

  void take_effects(const toml::node& node) {
    for (const auto& [pattern, word] : pairs(node)) {
      bool is_known = false;
      for (const Effect effect : {Effect::read, Effect::idempotent, Effect::write}) {
        if (to_string(effect) != word) continue;
        server_.effects.emplace_back(pattern, effect);
        is_known = true;
      }
      if (!is_known) report(fmt::format("must be read, idempotent or write, not '{}'", word));
    }
  }

  void take_duration(const toml::node& node, std::chrono::milliseconds& value) {
    const std::string given = text(node);
    const auto duration = duration_from(given);
    if (!duration || duration->count() <= 0) {
      return report(fmt::format("must be a duration such as \"30s\", not '{}'", given));
    }
    value = *duration;
  }

  template <class Value>
  void take_named(const toml::node& node, Value& value, Result<Value> (*from)(std::string_view)) {
    const auto named = from(text(node));
    if (!named) return report(named.error().message);
    value = *named;
  }

  void take_revision(std::string_view word) {
    if (word == "auto") {
      server_.revisions = McpRevisions::automatic;
    } else if (word == "2025-11-25") {
      server_.revisions = McpRevisions::legacy;
    } else if (word == "2026-07-28") {
      server_.revisions = McpRevisions::modern;
    } else {
      report(fmt::format("must be auto, 2025-11-25 or 2026-07-28, not '{}'", word));
    }
  }

  std::string place_;
  std::string key_;
  int line_ = 0;
  const Environment& environment_;
  TomlProblems& problems_;
  McpServer server_;
  std::vector<std::string> arguments_;
};

}  // namespace

bool McpServer::is_for(std::string_view agent) const {
  return agents.empty() || std::ranges::find(agents, agent) != agents.end();
}

bool is_server_name(std::string_view name) {
  constexpr std::size_t kLongest = 32;
  return !name.empty() && name.size() <= kLongest &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

std::vector<McpServer> mcp_servers_in(const toml::table& mcp, const Environment& environment,
                                      TomlProblems& problems) {
  std::vector<McpServer> servers;
  for (const auto& [section, node] : mcp) {
    if (section.str() != "servers" || !node.is_table()) {
      problems.report(line_of(section.source()), fmt::format("mcp.{}", section.str()),
                      "unknown key; there are sections [mcp.servers.NAME]");
      continue;
    }
    for (const auto& [name, server] : *node.as_table()) {
      const int line = line_of(name.source());
      const std::string place = fmt::format("mcp.servers.{}", name.str());
      if (!is_server_name(name.str())) {
        problems.report(line, place,
                        "a server's name has letters, digits and -, at most 32 of them");
      } else if (!server.is_table()) {
        problems.wrong_kind(line, place, fmt::format("a section [{}]", place), server);
      } else {
        servers.push_back(ServerReader(std::string(name.str()), environment, problems)
                              .read(*server.as_table(), line));
      }
    }
  }
  return servers;
}

}  // namespace wright::app
