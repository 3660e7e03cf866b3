// Reads the configuration file. Exceptions of toml++ end here.
#include "app/settings/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "agents/expansion.h"
#include "agents/toml_file.h"
#include "app/settings/setting_value.h"
#include "core/nearest.h"
#include "core/try.h"

namespace wright::app {
namespace {

std::string_view expected_kind(KeyType type) {
  switch (type) {
    case KeyType::flag: return "true or false";
    case KeyType::count: return "an integer";
    case KeyType::duration: return "a duration in quotes, such as \"30s\"";
    case KeyType::rate: return "a rate in quotes, such as \"5/s\"";
    case KeyType::names: return "an array of names in quotes";
    case KeyType::choice:
    case KeyType::text:
    case KeyType::path:
    case KeyType::secret: break;
  }
  return "a string in quotes";
}

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : kConfigKeys) {
    if (std::ranges::find(names, key.section) == names.end()) names.push_back(key.section);
  }
  names.push_back(kPermissions);
  names.push_back(kAgentSections);
  names.push_back(kVendorRows);
  names.push_back(kModelRows);
  names.push_back(kMcp);
  return names;
}

// Walks the parsed document, collects values and everything that is wrong.
class Checker {
 public:
  Checker(std::string_view text, const std::filesystem::path& path, const Environment& environment)
      : text_(text), environment_(environment), problems_(path) {
    file_.path = path;
  }

  Result<ConfigFile> check(const toml::table& document) {
    const auto sections = section_names();
    for (const auto& [name, node] : document) {
      const std::string_view section = name.str();
      const int line = line_of(name.source());
      if (std::ranges::find(sections, section) == sections.end()) {
        report(line, section, unknown_at_top(section, sections));
      } else if (!node.is_table()) {
        report(line, section,
               fmt::format("must be a section [{}], not {}", section, kind_of(node)));
      } else if (section == kPermissions) {
        for (TomlRule& rule : rules_in(kPermissions, *node.as_table(), problems_)) {
          file_.permissions.push_back({std::move(rule.name), rule.permission});
        }
      } else if (section == kBash) {
        check_bash(*node.as_table());
      } else if (section == kAgentSections) {
        check_agents(*node.as_table());
      } else if (section == kVendorRows || section == kModelRows) {
        file_.catalogue_rows = text_;  // checked by the catalogue
      } else if (section == kMcp) {
        file_.mcp_servers = mcp_servers_in(*node.as_table(), environment_, problems_);
      } else {
        check_section(section, section, *node.as_table());
      }
    }
    if (problems_.is_empty()) return std::move(file_);
    return problems_.as_error();
  }

 private:
  void report(int line, std::string_view key, std::string_view what) {
    problems_.report(line, key, what);
  }

  static std::string unknown_at_top(std::string_view name,
                                    const std::vector<std::string_view>& sections) {
    for (const ConfigKey& key : kConfigKeys) {
      if (key.name == name) {
        return fmt::format("belongs below the section [{}]", key.section);
      }
    }
    const auto near = nearest(name, sections);
    if (near) return fmt::format("unknown section; did you mean [{}]?", *near);
    return fmt::format("unknown section; there are [{}]", fmt::join(sections, "], ["));
  }

  static std::string unknown_key(std::string_view section, std::string_view name) {
    std::vector<std::string_view> siblings;
    for (const ConfigKey& key : kConfigKeys) {
      if (key.section == section) siblings.push_back(key.name);
      if (key.section != section && key.name == name) {
        return fmt::format("unknown key; {} belongs below the section [{}]", name, key.section);
      }
    }
    if (const auto near = nearest(name, siblings)) {
      return fmt::format("unknown key; did you mean '{}.{}'?", section, *near);
    }
    return fmt::format("unknown key; [{}] has {}", section, fmt::join(siblings, ", "));
  }

  // Its keys, and below it the section of rules.
  void check_bash(const toml::table& bash) {
    toml::table keys = bash;
    keys.erase(kRules);
    check_section(kBash, kBash, keys);
    const toml::node* rules = bash.get(kRules);
    if (rules == nullptr) return;
    const std::string section = fmt::format("{}.{}", kBash, kRules);
    if (!rules->is_table()) {
      return report(line_of(rules->source()), section,
                    fmt::format("must be a section [{}], not {}", section, kind_of(*rules)));
    }
    for (TomlRule& rule : rules_in(section, *rules->as_table(), problems_)) {
      CommandRule made{std::move(rule.name), rule.permission};
      if (const auto compiled = CommandRules::make({made}); !compiled) {
        report(rule.line, fmt::format("{}.{}", section, made.pattern), compiled.error().message);
      }
      file_.command_rules.push_back(std::move(made));
    }
  }

  // [agents.NAME.tool_execution], [agents.NAME.debug]
  void check_agents(const toml::table& agents) {
    for (const auto& [agent, sections] : agents) {
      const std::string name = fmt::format("{}.{}", kAgentSections, agent.str());
      if (!sections.is_table()) {
        const bool is_key =
            std::ranges::find(kConfigKeys, agent.str(), &ConfigKey::name) != kConfigKeys.end();
        report(line_of(agent.source()), name,
               is_key ? unknown_at_top(agent.str(), {})
                      : fmt::format("must be a section [{}.{}], not {}", name, kToolExecution,
                                    kind_of(sections)));
        continue;
      }
      for (const auto& [section, node] : *sections.as_table()) {
        const std::string full = fmt::format("{}.{}", name, section.str());
        if (std::ranges::find(kSectionsOfAgents, section.str()) == kSectionsOfAgents.end()) {
          report(line_of(section.source()), full,
                 fmt::format("unknown section; there is [{0}.{1}]", name,
                             fmt::join(kSectionsOfAgents, fmt::format("] and [{}.", name))));
        } else if (!node.is_table()) {
          report(line_of(section.source()), full,
                 fmt::format("must be a section [{}], not {}", full, kind_of(node)));
        } else {
          check_section(section.str(), full, *node.as_table());
        }
      }
    }
  }

  static bool is_section(std::string_view name) {
    return std::ranges::find(kConfigKeys, name, &ConfigKey::section) != kConfigKeys.end();
  }

  // The keys of `section`, which stand in the file below `place`, and the sections inside of it.
  void check_section(std::string_view section, std::string_view place, const toml::table& table) {
    for (const auto& [name, node] : table) {
      const std::string inner = fmt::format("{}.{}", section, name.str());
      if (node.is_table() && is_section(inner)) {
        check_section(inner, fmt::format("{}.{}", place, name.str()), *node.as_table());
        continue;
      }
      const auto key = std::ranges::find_if(kConfigKeys, [&](const ConfigKey& known) {
        return known.section == section && known.name == name.str();
      });
      if (key == kConfigKeys.end()) {
        report(line_of(name.source()), fmt::format("{}.{}", place, name.str()),
               unknown_key(section, name.str()));
      } else {
        check_value(*key, fmt::format("{}.{}", place, key->name), node, line_of(name.source()));
      }
    }
  }

  // The strings of an array as one text, "a, b"; nothing when there is anything else in it.
  static std::optional<std::string> joined(const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr) return std::nullopt;
    std::string text;
    for (const toml::node& item : *array) {
      const auto name = item.value_exact<std::string>();
      if (!name) return std::nullopt;
      // A comma inside a name would make it two.
      text += fmt::format("{}{}", text.empty() ? "" : ", ", *name);
      if (name->find(',') != std::string::npos) return std::nullopt;
    }
    return text;
  }

  void check_value(const ConfigKey& key, const std::string& name, const toml::node& node,
                   int line) {
    const auto wrong_type = [&] {
      const std::string_view kind = key.type == KeyType::names && node.is_array()
                                        ? "one with something else in it"
                                        : kind_of(node);
      report(line, name, fmt::format("must be {}, not {}", expected_kind(key.type), kind));
    };
    if (key.type == KeyType::flag) {
      const auto value = node.value_exact<bool>();
      if (!value) return wrong_type();
      file_.values[name] = {*value, line, false};
    } else if (key.type == KeyType::count) {
      const auto value = node.value_exact<std::int64_t>();
      if (!value) return wrong_type();
      if (const std::string problem = problem_with_count(key, *value); !problem.empty()) {
        return report(line, name, problem);
      }
      file_.values[name] = {*value, line, false};
    } else {
      const auto value =
          key.type == KeyType::names ? joined(node) : node.value_exact<std::string>();
      if (!value) return wrong_type();
      auto expanded = expand(*value, environment_.all());
      if (!expanded) return report(line, name, expanded.error().message);
      if (expanded->find('\0') != std::string::npos) {
        return report(line, name, "must not contain a NUL character");
      }
      if (expanded->empty() && key.type != KeyType::secret) {
        return report(line, name, "must not be empty");
      }
      const auto checked = setting_value_from(key, *expanded);
      if (!checked) return report(line, name, checked.error().message);
      const bool is_expanded = value->find("${") != std::string::npos;
      file_.values[name] = {std::get<std::string>(*checked), line, is_expanded};
    }
  }

  std::string_view text_;
  const Environment& environment_;
  ConfigFile file_;
  TomlProblems problems_;
};

// How the default of a key stands in the file.
std::string example_of(const ConfigKey& key) {
  if (!key.example.empty()) return std::string(key.example);
  if (key.type == KeyType::flag || key.type == KeyType::count) return std::string(key.fallback);
  if (key.type != KeyType::names) return fmt::format("\"{}\"", key.fallback);
  return fmt::format("[\"{}\"]", fmt::join(names_in(key.fallback), "\", \""));
}

}  // namespace

bool ConfigFile::holds_secrets() const {
  return std::ranges::any_of(kConfigKeys, [&](const ConfigKey& key) {
    if (key.type != KeyType::secret) return false;
    const auto found = values.find(key.full_name());
    if (found == values.end() || found->second.is_expanded) return false;
    return !std::get<std::string>(found->second.value).empty();
  });
}

Result<ConfigFile> parse_config(std::string_view text, const std::filesystem::path& path,
                                const Environment& environment) {
  const toml::table document = TRY(parse_toml(text, path));
  return Checker(text, path, environment).check(document);
}

Result<ConfigFile> read_config(const std::filesystem::path& path, const Environment& environment) {
  const auto text = TRY(read_toml_file(path, "the configuration"));
  return parse_config(text, path, environment);
}

std::string config_template() {
  std::string text =
      "# Configuration of wright. A line that starts with # is a comment: remove the # to set the\n"
      "# value. Flags and environment variables win over this file; see `wright config`.\n"
      "# Strings may refer to the environment: \"${VAR}\" or \"${VAR:-default}\".\n";
  std::string_view section;
  for (const ConfigKey& key : kConfigKeys) {
    if (key.section != section) {
      section = key.section;
      text += fmt::format("\n[{}]\n", section);
    }
    if (key.type == KeyType::secret) {
      text += fmt::format("# {} = \"${{{}}}\"  # {}\n", key.name, key.environment_variable,
                          key.description);
    } else {
      text += fmt::format("# {}\n# {} = {}\n", key.description, key.name, example_of(key));
    }
  }
  text +=
      "\n[permissions]\n"
      "# whether a tool may run: allow, deny, or ask a person; the first line that fits counts\n"
      "# \"write_file\" = \"ask\"\n"
      "# \"apply_patch\" = \"ask\"\n"
      "\n# a vendor of your own, or what differs from `wright models`\n"
      "#   [vendors.gateway]\n"
      "#   base_url = \"http://localhost:8000/v1\"\n"
      "\n[bash.rules]\n"
      "# whether a command of the tool bash may run, likewise; before the rules of its preset\n"
      "# \"git push *\" = \"ask\"\n"
      "\n# an MCP server whose tools agents get; see `wright help mcp`\n"
      "#   [mcp.servers.files]\n"
      "#   command = \"npx\"\n"
      "#   args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]\n"
      "\n# what differs for one agent\n"
      "#   [agents.codebase-analysis.tool_execution]\n"
      "#   enable_metadata = false\n";
  return text;
}

}  // namespace wright::app
