// What a process should do, as far as it is known: the outcome of gathering requirements. A plain
// value with a JSON form; as an answer it is Markdown for people, with the JSON in a fenced block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wright/schema.h"

namespace wright {

// Where data come from or go to: what kind of thing it is and what it is called. Never how to get
// in.
struct DataSource {
  std::string type = {};
  std::string name = {};
  std::string use = {};
  bool operator==(const DataSource&) const = default;
};
WRIGHT_DESCRIBE_WHEN_USED(
    DataSource,
    WRIGHT_FIELD(type, "Kind: database, spreadsheet, e-mail, API, files, …").min_length(1),
    WRIGHT_FIELD(name, "What it is called; empty when that is not known").with_default(),
    WRIGHT_FIELD(use, "What it is read or written for").with_default())

struct RequirementsDocument {
  std::string goal = {};
  std::vector<std::string> actors = {};
  std::vector<DataSource> data_sources = {};
  std::vector<std::string> steps = {};
  std::vector<std::string> examples = {};
  std::vector<std::string> open_points = {};
  bool operator==(const RequirementsDocument&) const = default;
};
WRIGHT_DESCRIBE_WHEN_USED(
    RequirementsDocument,
    WRIGHT_FIELD(goal, "What is to be achieved, in a sentence or two").min_length(1),
    WRIGHT_FIELD(actors, "Who starts it, takes part, or gets the result").with_default(),
    WRIGHT_FIELD(data_sources, "What is read and written, without credentials").with_default(),
    WRIGHT_FIELD(steps, "What happens, in its order").with_default(),
    WRIGHT_FIELD(examples, "Real samples that show what is meant").with_default(),
    WRIGHT_FIELD(open_points, "What is not settled yet").with_default())

// The document in an answer: its last fenced block of JSON that is one, or the whole text. The
// error says what is wrong with the block that came nearest.
Result<RequirementsDocument> requirements_from(std::string_view answer);

// Markdown: a heading for each part that is not empty.
std::string to_markdown(const RequirementsDocument& document);

// The Markdown and the fenced block; requirements_from() reads it back.
std::string to_answer(const RequirementsDocument& document);

}  // namespace wright
