// Reads a definition. Exceptions of toml++ end here.
#include "agents/agent_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/agent_file_keys.h"
#include "agents/toml_file.h"
#include "core/label.h"
#include "core/nearest.h"
#include "core/try.h"
#include "tools/tool_aliases.h"
#include "wright/agent.h"
#include "wright/json.h"

namespace wright {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr double kHighestTemperature = 2;
constexpr std::int64_t kMostTokens = 10'000'000;
constexpr std::int64_t kMostIterationsOfAFile = 1'000'000;
constexpr std::int64_t kMostOfCount = 1'000'000'000;
constexpr std::size_t kMostStopSequences = 16;

constexpr std::size_t kLargestMetadata = 16 * 1024;  // bytes, as JSON

std::optional<ReasoningEffort> reasoning_named(std::string_view word) {
  if (word == "none") return ReasoningEffort::none;
  if (word == "low") return ReasoningEffort::low;
  if (word == "medium") return ReasoningEffort::medium;
  if (word == "high") return ReasoningEffort::high;
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, const DefinitionSource& source)
      : source_(source), problems_(source.path) {
    definition_.content = text;
    definition().name = canonical_agent_name(source.path.stem().string());
  }

  Result<ReadDefinition> read(const toml::table& document) {
    for (const auto& [name, node] : document) read_key(name.str(), node, line_of(name.source()));
    check_whole(document);
    if (problems_.is_empty()) return std::move(definition_);
    return problems_.as_error();
  }

 private:
  AgentDefinition& definition() { return definition_.definition; }

  void report(int line, std::string_view key, std::string_view what) {
    problems_.report(line, key, what);
  }
  void wrong_kind(int line, std::string_view key, std::string_view wanted, const toml::node& node) {
    problems_.wrong_kind(line, key, wanted, node);
  }

  void read_key(std::string_view key, const toml::node& node, int line) {
    if (key == "name") return read_name(node, line);
    if (key == "description") return read_text(key, node, line, definition().description);
    if (key == "domain") return read_text(key, node, line, definition().domain);
    if (key == "model") return read_text(key, node, line, definition().model.emplace());
    if (key == "instructions") return read_text(key, node, line, definition().instructions);
    if (key == "instructions_file") return read_instructions_file(node, line);
    if (key == "tools") return read_tools(node, line);
    if (key == "specialists") return read_names(key, node, line, definition().specialists);
    if (key == "labels") return read_labels(node, line);
    if (key == "enabled") return read_flag(key, node, line, definition().is_enabled);
    if (key == "primary") return read_flag(key, node, line, definition().is_primary);
    if (std::ranges::find(kAgentFileSections, key) == kAgentFileSections.end()) {
      return report(line, key, unknown_agent_key(key));
    }
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      return wrong_kind(line, key, fmt::format("a section [{}]", key), node);
    }
    if (key == "permissions") return read_permissions(*table);
    if (key == "debug" || key == "tool_execution") return read_own_values(key, *table);
    if (key == "metadata") return read_metadata(*table, line);
    for (const auto& [name, value] : *table) {
      read_parameter(fmt::format("{}.{}", key, name.str()), value, line_of(name.source()));
    }
  }

  std::optional<std::string> expanded(std::string_view key, const toml::node& node, int line) {
    const auto text = node.value_exact<std::string>();
    if (!text) {
      wrong_kind(line, key, "a string in quotes", node);
      return std::nullopt;
    }
    auto value = expand(*text, source_.variables);
    if (!value) {
      report(line, key, value.error().message);
      return std::nullopt;
    }
    if (value->find('\0') != std::string::npos || !is_valid_utf8(*value)) {
      report(line, key, "must be text in UTF-8 without a NUL character");
      return std::nullopt;
    }
    return std::move(*value);
  }

  void read_text(std::string_view key, const toml::node& node, int line, std::string& target) {
    const auto value = expanded(key, node, line);
    if (!value) return;
    if (value->find_first_not_of(" \t\r\n") == std::string::npos) {
      return report(line, key, "must not be empty");
    }
    target = *value;
  }

  void read_flag(std::string_view key, const toml::node& node, int line, bool& target) {
    const auto value = node.value_exact<bool>();
    if (!value) return wrong_kind(line, key, "true or false", node);
    target = *value;
  }

  void read_name(const toml::node& node, int line) {
    const auto value = expanded("name", node, line);
    if (!value) return;
    definition().name = canonical_agent_name(*value);
    if (const std::string problem = problem_with_agent_name(*value); !problem.empty()) {
      report(line, "name", problem);
    }
  }

  void read_names(std::string_view key, const toml::node& node, int line,
                  std::vector<std::string>& target) {
    read_strings(key, node, line, "an array of names in quotes", target);
  }

  void read_strings(std::string_view key, const toml::node& node, int line, std::string_view wanted,
                    std::vector<std::string>& target) {
    const toml::array* array = node.as_array();
    if (array == nullptr) return wrong_kind(line, key, wanted, node);
    for (const toml::node& item : *array) {
      const int at = line_of(item.source());
      const auto name = expanded(key, item, at);
      if (!name) continue;
      if (std::ranges::find(target, *name) != target.end()) {
        report(at, key, fmt::format("'{}' is there twice", *name));
      } else {
        target.push_back(*name);
      }
    }
  }

  void read_labels(const toml::node& node, int line) {
    read_strings("labels", node, line, "an array of labels in quotes", definition().labels);
    for (const std::string& label : definition().labels) {
      if (!is_label(label)) report(line, "labels", no_label(label));
    }
  }

  void read_tools(const toml::node& node, int line) {
    std::vector<std::string> names;
    read_names("tools", node, line, names);
    const std::vector<std::string_view> known(source_.known_tools.begin(),
                                              source_.known_tools.end());
    for (const std::string& name : names) {
      const std::string_view own = own_name(name);
      std::vector<std::string>& made = definition().tools;
      if (std::ranges::find(known, own) == known.end()) {
        std::string suggestion = did_you_mean(name, known);
        if (suggestion.empty()) suggestion = fmt::format("; there are {}", fmt::join(known, ", "));
        report(line, "tools", fmt::format("unknown tool '{}'{}", name, suggestion));
      } else if (std::ranges::find(made, own) != made.end()) {
        report(line, "tools", fmt::format("'{}' is there twice: it means {}", name, own));
      } else {
        made.emplace_back(own);
      }
    }
  }

  // A tool of that name comes before one that has it as another.
  std::string_view own_name(std::string_view name) const {
    const bool is_known = std::ranges::find(source_.known_tools, name) != source_.known_tools.end();
    return is_known ? name : tools::own_tool_name(name, source_.tool_aliases);
  }

  void read_instructions_file(const toml::node& node, int line) {
    constexpr std::string_view kKey = "instructions_file";
    const auto value = expanded(kKey, node, line);
    if (!value) return;
    if (value->empty()) return report(line, kKey, "must not be empty");
    const std::filesystem::path path = source_.path.parent_path() / *value;
    if (!source_.confined_to.empty() && !is_inside(path, source_.confined_to)) {
      return report(line, kKey, fmt::format("must be below {}", source_.confined_to.string()));
    }
    auto text = read_toml_file(path, "the instructions");
    if (!text) return report(line, kKey, text.error().message);
    if (!is_valid_utf8(*text) || text->find('\0') != std::string::npos) {
      return report(line, kKey, fmt::format("{} is not text in UTF-8", path.string()));
    }
    definition_.content += fmt::format("\n# {}\n{}", *value, *text);
    definition().instructions = std::move(*text);
  }

  static bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(path, error);
    if (error) return false;
    const auto base = std::filesystem::weakly_canonical(folder, error);
    if (error) return false;
    return std::ranges::mismatch(base, real).in1 == base.end();
  }

  void read_parameter(const std::string& key, const toml::node& node, int line) {
    AgentDefinition& made = definition();
    if (key == "parameters.temperature") {
      made.temperature = fraction(key, node, line, kHighestTemperature);
    } else if (key == "parameters.top_p") {
      made.top_p = fraction(key, node, line, 1);
    } else if (key == "parameters.max_tokens") {
      made.max_tokens = count(key, node, line, kMostTokens);
    } else if (key == "limits.max_iterations") {
      made.max_iterations = count(key, node, line, kMostIterationsOfAFile);
    } else if (key == "limits.context_tokens") {
      made.context_tokens = count(key, node, line, kMostTokens);
    } else if (key == "parameters.reasoning") {
      const auto word = expanded(key, node, line);
      if (!word) return;
      made.reasoning = reasoning_named(*word);
      if (!made.reasoning) {
        report(line, key, fmt::format("must be none, low, medium or high, not '{}'", *word));
      }
    } else if (key == "parameters.stop_sequences") {
      read_stop_sequences(key, node, line);
    } else if (key == "parameters.tool_choice") {
      read_tool_choice(key, node, line);
    } else if (key == "parameters.response_format") {
      read_response_format(key, node, line);
    } else if (key == "parameters.vendor_tools") {
      read_vendor_tools(key, node, line);
    } else {
      report(line, key, unknown_agent_key(key));
    }
  }

  std::optional<double> fraction(std::string_view key, const toml::node& node, int line,
                                 double highest) {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) {
      wrong_kind(line, key, "a number", node);
    } else if (!(*value >= 0 && *value <= highest)) {
      report(line, key, fmt::format("must be between 0 and {:g}", highest));
    } else {
      return value;
    }
    return std::nullopt;
  }

  std::optional<int> count(std::string_view key, const toml::node& node, int line,
                           std::int64_t highest) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value) {
      wrong_kind(line, key, "an integer", node);
    } else if (*value < 1 || *value > highest) {
      report(line, key, fmt::format("must be between 1 and {}", highest));
    } else {
      return static_cast<int>(*value);
    }
    return std::nullopt;
  }

  void read_stop_sequences(std::string_view key, const toml::node& node, int line) {
    auto& target = definition().stop_sequences;
    read_strings(key, node, line, "an array of strings in quotes", target);
    if (target.size() > kMostStopSequences) {
      report(line, key, fmt::format("has more than {} strings", kMostStopSequences));
    }
    if (std::ranges::find(target, "") != target.end()) {
      report(line, key, "must not hold an empty string");
    }
  }

  // Names, or tools as the vendor describes them.
  void read_vendor_tools(std::string_view key, const toml::node& node, int line) {
    const toml::array* list = node.as_array();
    if (list == nullptr) return wrong_kind(line, key, "an array", node);
    auto& target = definition().vendor_tools.emplace();
    for (const toml::node& each : *list) {
      if (!each.is_string() && !each.is_table()) {
        return wrong_kind(line, key, "an array of names in quotes or tables", each);
      }
      target.push_back(json_from(each));
    }
  }

  // Which tool a name means is known when all has been read.
  void read_tool_choice(std::string_view key, const toml::node& node, int line) {
    const auto word = expanded(key, node, line);
    if (!word) return;
    tool_choice_line_ = line;
    if (*word == "auto") {
      definition().tool_choice = ToolChoice::automatic();
    } else if (*word == "required") {
      definition().tool_choice = ToolChoice::required();
    } else if (*word == "none") {
      definition().tool_choice = ToolChoice::none();
    } else {
      definition().tool_choice = ToolChoice::one(std::string(own_name(*word)));
    }
  }

  void check_tool_choice() {
    ToolChoice& choice = definition().tool_choice;
    std::vector<std::string> names = definition().tools;
    for (const std::string& name : definition().specialists) {
      names.push_back(delegate_to(Agent{.name = canonical_agent_name(name)}).spec.name);
    }
    constexpr std::string_view kKey = "parameters.tool_choice";
    if (choice.kind == ToolChoice::Kind::required && names.empty()) {
      report(tool_choice_line_, kKey, "the agent has no tools that it could call");
    }
    if (choice.kind != ToolChoice::Kind::one) return;
    if (std::ranges::find(names, choice.tool) != names.end()) return;
    const std::vector<std::string_view> known(names.begin(), names.end());
    report(tool_choice_line_, kKey,
           fmt::format("must be auto, required, none or a tool of the agent, not '{}'{}",
                       choice.tool, did_you_mean(choice.tool, known)));
  }

  void read_response_format(const std::string& key, const toml::node& node, int line) {
    ResponseFormat& format = definition().response_format;
    if (const toml::table* table = node.as_table()) {
      return read_schema_of_response(key, *table, line);
    }
    const auto word = expanded(key, node, line);
    if (!word) return;
    if (*word == "json_object") {
      format.kind = ResponseFormat::Kind::json_object;
    } else if (*word != "text") {
      report(line, key,
             fmt::format("must be text, json_object or a section [{}] with a schema, not '{}'", key,
                         *word));
    }
  }

  void read_schema_of_response(const std::string& section, const toml::table& table, int line) {
    ResponseFormat format{
        .kind = ResponseFormat::Kind::json_schema, .name = definition().name, .schema = {}};
    for (const auto& [name, node] : table) {
      const std::string key = fmt::format("{}.{}", section, name.str());
      const int at = line_of(name.source());
      if (name == "name") {
        read_text(key, node, at, format.name);
        if (!is_name_of_schema(format.name)) {
          report(at, key, "may consist of letters, digits, _ and -, at most 64");
        }
      } else if (name == "schema") {
        read_schema(key, node, at, format.schema);
      } else {
        report(at, key, unknown_agent_key(key));
      }
    }
    if (!table.contains("schema")) report(line, section + ".schema", "is missing");
    definition().response_format = std::move(format);
  }

  void read_schema(const std::string& key, const toml::node& node, int line, Json& target) {
    if (node.is_table()) {
      target = json_from(node);
    } else if (const auto text = node.value_exact<std::string>()) {
      auto parsed = parse_json(*text);
      if (!parsed) return report(line, key, parsed.error().message);
      target = std::move(*parsed);
    } else {
      return wrong_kind(line, key, fmt::format("a section [{}] or JSON in quotes", key), node);
    }
    if (const auto compiled = JsonSchema::compile(target); !compiled) {
      report(line, key, fmt::format("is no JSON schema: {}", compiled.error().message));
    }
  }

  // What vendors accept.
  static bool is_name_of_schema(std::string_view name) {
    return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
  }

  void read_own_values(std::string_view section, const toml::table& table) {
    for (const auto& [name, node] : table) {
      const std::string key = fmt::format("{}.{}", section, name.str());
      const int line = line_of(name.source());
      const auto known = std::ranges::find(kOwnKeys, std::string_view(key), &OwnKey::name);
      if (key == "debug.tool_feedback") {
        if (const toml::table* inner = node.as_table()) {
          read_own_values(key, *inner);
        } else {
          wrong_kind(line, key, "a section [debug.tool_feedback]", node);
        }
      } else if (known == kOwnKeys.end()) {
        report(line, key, unknown_agent_key(key));
      } else if (known->type == OwnKey::Type::flag) {
        bool value = false;
        read_flag(key, node, line, value);
        definition().values[key] = value;
      } else {
        const auto value = node.value_exact<std::int64_t>();
        if (!value) {
          wrong_kind(line, key, "an integer", node);
        } else if (*value < 0 || *value > kMostOfCount) {
          report(line, key, fmt::format("must be between 0 and {}", kMostOfCount));
        } else {
          definition().values[key] = *value;
        }
      }
    }
  }

  // Said as it stands: nothing of the environment is put into what is listed and stored.
  void read_metadata(const toml::table& table, int line) {
    if (table.empty()) return;
    Json metadata = json_from(table);
    if (to_text(metadata).size() > kLargestMetadata) {
      return report(line, "metadata", fmt::format("is larger than {} bytes", kLargestMetadata));
    }
    definition().metadata = std::move(metadata);
  }

  void read_permissions(const toml::table& table) {
    for (TomlRule& rule : rules_in("permissions", table, problems_)) {
      definition().permissions.push_back({std::move(rule.name), rule.permission});
    }
  }

  void check_whole(const toml::table& document) {
    if (!document.contains("name")) {
      const std::string stem = source_.path.stem().string();
      if (const std::string problem = problem_with_agent_name(stem); !problem.empty()) {
        report(1, "name", fmt::format("the file's name cannot be the agent's: {}", problem));
      }
    }
    const bool has_text = document.contains("instructions");
    const bool has_file = document.contains("instructions_file");
    if (has_text && has_file) {
      report(line_of(document.get("instructions_file")->source()), "instructions_file",
             "there are instructions already; say one of the two");
    }
    if (!has_text && !has_file) report(1, "instructions", "is missing");
    for (const std::string& name : definition().specialists) {
      check_specialist(name, line_of(document.get("specialists")->source()));
    }
    check_tool_choice();
  }

  void check_specialist(std::string_view name, int line) {
    constexpr std::string_view kKey = "specialists";
    const std::string canonical = canonical_agent_name(name);
    if (canonical == definition().name) {
      return report(line, kKey, "an agent cannot be its own specialist");
    }
    if (!source_.known_specialists) return;
    const std::vector<std::string_view> known(source_.known_specialists->begin(),
                                              source_.known_specialists->end());
    if (std::ranges::find(known, canonical) != known.end()) return;
    report(line, kKey, fmt::format("unknown agent '{}'{}", name, did_you_mean(name, known)));
  }

  const DefinitionSource& source_;
  ReadDefinition definition_;
  TomlProblems problems_;
  int tool_choice_line_ = 1;
};

}  // namespace

std::string canonical_agent_name(std::string_view name) {
  std::string canonical(name);
  for (char& c : canonical) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  // What others call the agent that asks what is unclear.
  if (canonical == "user-clarification") return "requirements-gathering";
  return canonical;
}

std::string problem_with_agent_name(std::string_view name) {
  const std::string canonical = canonical_agent_name(name);
  const bool is_plain = std::ranges::all_of(canonical, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (canonical.empty()) return "must not be empty";
  if (canonical.size() > kLongestName)
    return fmt::format("is longer than {} characters", kLongestName);
  if (!is_plain || canonical.front() == '-') {
    return fmt::format("'{}' may consist of letters, digits and -, and begin with no -", name);
  }
  return {};
}

Result<ReadDefinition> parse_agent_definition(std::string_view text,
                                              const DefinitionSource& source) {
  const toml::table document = TRY(parse_toml(text, source.path));
  return Reader(text, source).read(document);
}

Result<ReadDefinition> read_agent_definition(const DefinitionSource& source) {
  const auto text = TRY(read_toml_file(source.path, "the agent"));
  return parse_agent_definition(text, source);
}

}  // namespace wright
