#include "app/settings/mcp_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <ranges>

#include "agents/expansion.h"
#include "agents/toml_file.h"
#include "app/settings/setting_value.h"
#include "core/nearest.h"
#include "core/ordinary_word.h"
#include "core/text.h"

namespace wright::app {
namespace {

constexpr auto kServerKeys = std::to_array<std::string_view>(
    {"command", "args", "env", "cwd", "url", "headers", "oauth", "agents", "tools", "effects",
     "timeout", "startup_timeout", "sandbox", "network", "revision", "enabled"});

bool is_unprintable(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
}

// "name:password" of an address; empty: it has none.
std::string_view user_in(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::string_view host =
      url.substr(scheme + 3, url.find_first_of("/?#", scheme + 3) - scheme - 3);
  const std::size_t at = host.rfind('@');
  return at == std::string_view::npos ? std::string_view() : host.substr(0, at);
}

std::string without_user(std::string url) {
  const std::string_view user = user_in(url);
  if (user.empty()) return url;
  const auto begin = static_cast<std::size_t>(user.data() - url.data());
  return url.replace(begin, user.size(), "***");
}

bool is_secret_name(std::string_view name) {
  const std::string small = lower(name);
  constexpr auto kParts = std::to_array<std::string_view>(
      {"auth", "token", "key", "secret", "passw", "credential", "cookie", "bearer"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return small.contains(part); });
}

// By whole words: GIT_AUTHOR_NAME is no secret, and API_KEY_FILE says where one is.
bool names_a_secret(std::string_view variable) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"auth", "token", "key", "apikey", "secret", "password", "passwd", "pass", "passphrase",
       "credential", "credentials", "cookie", "bearer", "pat"});
  constexpr auto kPlaces = std::to_array<std::string_view>({"file", "path", "dir", "id", "name"});
  std::string rest = lower(variable);
  bool has_secret = false;
  std::string last;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("_-."), rest.size());
    last = rest.substr(0, end);
    has_secret = has_secret || is_one_of(last, kWords);
    rest.erase(0, end + 1);
  }
  return has_secret && !is_one_of(last, kPlaces);
}

// Where something is, such as a login that people are sent to. With a user, a query, or a part that
// is no word, it may be a key itself.
bool is_plain_address(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos || !user_in(value).empty() ||
      value.find_first_of("?#") != std::string_view::npos) {
    return false;
  }
  value.remove_prefix(std::min(value.find('/', scheme + 3), value.size()));
  return std::ranges::all_of(value | std::views::split('/'), [](const auto& part) {
    return may_be_ordinary_word(std::string_view(part));
  });
}

// Words that stand in many texts would be hidden there, too.
bool may_be_secret(std::string_view value) {
  constexpr std::size_t kShortest = 6;
  constexpr std::size_t kLongNumber = 16;  // longer than ports, sizes and times
  return value.size() >= kShortest && !value.starts_with('/') && !value.starts_with("~/") &&
         !value.starts_with("./") && !is_plain_address(value) &&
         (value.size() >= kLongNumber || !std::ranges::all_of(value, is_digit));
}

// Variables that say where things are on this machine.
bool is_everybodys(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"HOME", "USER", "LOGNAME", "PWD", "PATH", "SHELL", "LANG", "TMPDIR", "HOSTNAME"});
  return is_one_of(name, kNames) || name.starts_with("XDG_");
}

// A token of HTTP.
bool is_header_name(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || is_digit(c) || kOthers.contains(c);
  });
}

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
    const bool has_oauth = table.contains("oauth");
    if (server_.url.empty() && has_oauth) report("oauth belongs to a url");
    server_.command.insert(server_.command.end(), arguments_.begin(), arguments_.end());
    if (server_.url.empty()) {
      server_.shown_command = {shown_};
      server_.shown_command.insert(server_.shown_command.end(), shown_arguments_.begin(),
                                   shown_arguments_.end());
      shown_ = fmt::format("{}", fmt::join(server_.shown_command, " "));
    }
    server_.shown = shown_;
    note_secrets(server_);
    return std::move(server_);
  }

 private:
  void report(std::string_view what) { problems_.report(line_, key_, what); }

  void take(std::string_view name, const toml::node& node) {
    if (name == "command") {
      server_.command = {text(node)};
      shown_ = node.value_or(std::string());
    }
    if (name == "args") {
      arguments_ = texts(node);
      shown_arguments_ = given_texts(node);
    }
    if (name == "cwd") server_.working_directory = text(node);
    if (name == "url") {
      take_url(text(node));
      shown_ = without_user(node.value_or(std::string()));
    }
    if (name == "agents") server_.agents = texts(node);
    if (name == "tools") server_.tools = texts(node);
    if (name == "env") {
      for (auto& [key, value] : pairs(node)) server_.environment[key] = std::move(value);
    }
    if (name == "headers") take_headers(node);
    if (name == "oauth") take_oauth(node);
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
    if (*value != given) note_variables(given);
    return std::move(*value);
  }

  void note_variables(std::string_view given) {
    for (std::size_t at = given.find("${"); at != std::string_view::npos;
         at = given.find("${", at + 2)) {
      const std::string_view inside = given.substr(at + 2, given.find('}', at) - at - 2);
      const std::string_view name = inside.substr(0, inside.find(":-"));
      const auto value = environment_.find_non_empty(name);
      if (!value || is_everybodys(name)) continue;
      const std::string kept(trimmed(*value));
      server_.expanded.push_back(kept);
      if (is_secret_name(name) && may_be_secret(kept)) server_.secrets.push_back(kept);
    }
  }

  static std::vector<std::string> given_texts(const toml::node& node) {
    std::vector<std::string> given;
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& each : *array) given.push_back(each.value_or(std::string()));
    }
    return given;
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
    url = std::string(trimmed(url));
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
      report("must begin with http:// or https://");
    }
    if (std::ranges::any_of(url, [](char c) { return c == ' ' || is_unprintable(c); })) {
      report("must not have a space or a line break in it");
    }
    server_.url = std::move(url);
  }

  // A value may come from a file with a line end after it, which is no part of it.
  void take_headers(const toml::node& node) {
    for (auto& [header, value] : pairs(node)) {
      if (!is_header_name(header)) {
        report(fmt::format("'{}' cannot be the name of a header: it may have letters, digits and -",
                           to_valid_utf8(header)));
      }
      const std::string_view kept = trimmed(value);
      if (std::ranges::any_of(kept, is_unprintable)) {
        report(
            fmt::format("the value of '{}' has a line break or another control character in it; "
                        "check where it comes from",
                        to_valid_utf8(header)));
      }
      server_.headers.emplace_back(header, std::string(kept));
    }
  }

  void take_oauth(const toml::node& node) {
    McpOAuth& oauth = server_.oauth;
    for (auto& [name, given] : pairs(node)) {
      const std::string value(trimmed(given));
      if (name == "client_id") {
        oauth.client_id = value;
      } else if (name == "client_secret") {
        oauth.client_secret = value;
      } else if (name == "client_metadata_url") {
        oauth.client_metadata_url = value;
        if (!value.starts_with("https://")) report("client_metadata_url must begin with https://");
      } else if (name == "scope") {
        oauth.scope = value;
      } else if (name == "redirect_port") {
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), oauth.redirect_port);
        const bool is_port = error == std::errc() && end == value.data() + value.size() &&
                             oauth.redirect_port > 0 && oauth.redirect_port < 65536;
        if (!is_port) report(fmt::format("redirect_port must be a port, not '{}'", value));
      } else {
        report(
            fmt::format("unknown key '{}'; there are client_id, client_secret, "
                        "client_metadata_url, scope, redirect_port",
                        to_valid_utf8(name)));
      }
    }
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
  std::string shown_;
  std::vector<std::string> shown_arguments_;
};

}  // namespace

void note_secrets(McpServer& server) {
  const auto note = [&](std::string_view value) {
    constexpr std::size_t kShortest = 8;  // as keys of vendors are
    const bool is_secret = value.size() >= kShortest && may_be_secret(value);
    // What is too simple is hidden in what is said about the server itself.
    (is_secret ? server.secrets : server.expanded).emplace_back(value);
  };
  for (const auto& [name, value] : server.environment) {
    const std::string_view kept = trimmed(value);
    if (names_a_secret(name) && may_be_secret(kept)) server.secrets.emplace_back(kept);
  }
  if (const std::string_view user = user_in(server.url); !user.empty()) {
    note(user);
    const std::size_t colon = user.find(':');
    if (colon != std::string_view::npos) note(user.substr(colon + 1));
  }
  for (const auto& [name, value] : server.headers) {
    const std::string_view kept = trimmed(value);
    if (!is_secret_name(name) || kept.empty()) continue;
    note(kept);
    note(kept.substr(kept.rfind(' ') + 1));  // also without "Bearer"
  }
  if (!server.oauth.client_secret.empty()) note(server.oauth.client_secret);
}

bool McpServer::is_for(std::string_view agent) const {
  return agents.empty() || std::ranges::find(agents, agent) != agents.end();
}

std::vector<std::string> McpServer::unmistakable_secrets() const {
  std::vector<std::string> found;
  std::ranges::remove_copy_if(secrets, std::back_inserter(found), may_be_ordinary_word);
  return found;
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
