// What a query may need from tools, and which tools provide it: judged by their schemas and by the
// well-known names of search tools.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/tool.h"

namespace wright::feedback {

enum class Capability : std::uint8_t {
  compare_numbers,
  compare_dates,
  match_contains,  // any way to compare texts except equality
  match_prefix,
  match_suffix,
  match_regex,
  match_glob,
  sort,
  aggregate,
  relate,
  exclude,
  convert_units,
};

// What a schema reveals, gathered once per tool, with bounded work.
struct ToolFacts {
  std::string name = {};
  std::string lower_name = {};
  std::string description = {};  // in lower case, its beginning
  // Of the tool itself and of conditions that it takes, in lower case; not what stands deeper.
  std::vector<std::string> parameters = {};
  std::vector<std::string> choices = {};  // the values of their enums, in lower case
  bool has_date_format = false;
  bool takes_globs_only = false;  // its pattern is a glob, no regular expression

  bool has_parameter(std::string_view parameter) const;
  bool has_choice(std::string_view choice) const;
};

ToolFacts facts_of(const ToolSpec& spec);
std::vector<ToolFacts> facts_of(std::span<const Tool> tools);

// What a question is about. A tool that knows names of files only is of use for nothing else.
enum class Subject : std::uint8_t { files, others };

bool can(const ToolFacts& tool, Capability capability, Subject subject);
bool can(std::span<const ToolFacts> tools, Capability capability, Subject subject);

// Whether texts are compared, and what such a comparison is called: "starts_with".
bool is_text_match(Capability capability);
std::string_view operator_for(Capability text_match);

// Searches by meaning, which cannot tell whether it found everything.
bool searches_by_meaning(const ToolFacts& tool);

}  // namespace wright::feedback
