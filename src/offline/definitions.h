// Tells definitions of a name from declarations and uses, line by line and from what stands
// around a line. It never parses: it judges, and says how sure it is.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "offline/definition_rules.h"

namespace wright::offline {

struct Verdict {
  LineRole role = LineRole::use;
  int score = 0;
  std::string_view what;       // "function", "macro", …; refers to a literal
  std::size_t name_start = 0;  // where the name stands in the line
  std::size_t name_end = 0;

  bool is_use() const { return role == LineRole::use; }
};

// A rule with its pattern made for one name, or for any name.
struct CompiledRule {
  const Rule* rule;
  std::unique_ptr<RE2> pattern;
};

enum class LetterCase : std::uint8_t { exact, any };

class DefinitionJudge {
 public:
  explicit DefinitionJudge(std::string_view name, LetterCase letters = LetterCase::exact);

  // From the line alone.
  Verdict judge(std::string_view path, std::string_view line) const;

  // The same with what stands around it: lines[index] is the line.
  Verdict judge(std::string_view path, const std::vector<std::string_view>& lines,
                std::size_t index) const;

 private:
  std::vector<CompiledRule> rules_;
};

// Patterns for grep: see likely_definitions() and possible_definitions().
std::string likely_definitions_of(std::string_view name);
std::string possible_definitions_of(std::string_view name);
std::string surest_definitions_of(std::string_view name);

// How much less a file counts for being a test, an example, vendored, generated or prose.
int path_penalty(std::string_view path);

// Whether the line is nothing but a comment.
bool is_comment_line(Family family, std::string_view line);

// A name defined in a file, for outlines.
struct OutlineEntry {
  int line = 0;
  std::string name;
  std::string_view what;
  std::string text;
};

// What a file defines, in order. Members and locals are left out where they can be told apart.
std::vector<OutlineEntry> outline_of(std::string_view path,
                                     const std::vector<std::string_view>& lines);

}  // namespace wright::offline
