// The words of a question about a database, in order, each with what it turned out to mean. A word
// that nothing explains must not be passed over: the answer would be one to another question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

struct PromptWord {
  enum class Kind : std::uint8_t { word, quoted, number, comparison };
  Kind kind = Kind::word;
  std::string text;      // as it was typed, without quotes
  std::string singular;  // in lower case: "Countries" → "country"
  bool is_explained = false;
  bool is_name = false;   // typed like one: "US" and "the us" are no pronoun
  bool is_money = false;  // "$100"
};

// Dates ("2024-01-31") are numbers here, comparisons are signs like ">=". "17-45" is "17 to 45".
// Signs like the one in "30+" are words, which nothing explains.
std::vector<PromptWord> prompt_words(std::string_view prompt);

// "countries" → "country", "boxes" → "box"; in lower case.
std::string singular(std::string_view word);

// A run of words.
struct WordRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// Where a name of the database is spoken of: "order_items", "OrderItem" and "order items" are the
// same. Quoted words are compared as a whole. The first place that is not explained already.
std::optional<WordRange> find_name(const std::vector<PromptWord>& words, std::string_view name);

// Whether any word is one of these, given in the singular. Those that are count as explained.
bool take(std::vector<PromptWord>& words, const std::vector<std::string_view>& wanted);

void explain(std::vector<PromptWord>& words, WordRange range);

// Explains the words that hold sentences together: articles, pronouns, "are there", "please" …
void explain_grammar(std::vector<PromptWord>& words);

// Runs of words that nothing explains, joined as they were typed.
std::vector<std::string> unexplained(const std::vector<PromptWord>& words);

}  // namespace wright::offline
