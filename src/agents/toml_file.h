// What the readers of our TOML files share: the file's text, words for what is in it, a list of
// what is wrong, and rules in the order of the file. Knows none of the keys.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"
#include "wright/interceptors.h"
#include "wright/json.h"

namespace wright {

// At most a megabyte. `what` names it in errors: "the configuration".
Result<std::string> read_toml_file(const std::filesystem::path& path, std::string_view what);

// What is wrong names the file and the line.
Result<toml::table> parse_toml(std::string_view text, const std::filesystem::path& path);

// "a table", "an integer", …
std::string_view kind_of(const toml::node& node);

int line_of(const toml::source_region& source);

// What is no JSON (a date, a time) becomes text.
Json json_from(const toml::node& node);

// Everything that is wrong with a file, a line each.
class TomlProblems {
 public:
  explicit TomlProblems(std::filesystem::path file) : file_(std::move(file)) {}

  void report(int line, std::string_view key, std::string_view what);
  void wrong_kind(int line, std::string_view key, std::string_view wanted, const toml::node& node);

  bool is_empty() const { return problems_.empty(); }
  // In the order of the file: "reviewer.toml:7: model: must be a string in quotes, not an integer".
  std::unexpected<Error> as_error() const;

 private:
  struct Problem {
    int line;
    std::string message;
  };
  std::filesystem::path file_;
  std::vector<Problem> problems_;
};

struct TomlRule {
  std::string name;
  intercept::Permission permission;
  int line;
};
// The lines `"name" = "ask"` of a section, in the order of the file. What is wrong with others is
// reported.
std::vector<TomlRule> rules_in(std::string_view section, const toml::table& table,
                               TomlProblems& problems);

}  // namespace wright
